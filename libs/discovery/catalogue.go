package discovery

import (
	"slices"
	"sync"

	"github.com/go-kit/kit/sd"
)

// Catalogue has the instances of services without Consul: those of a fixed list, or the programs that share this process. One of these is
// in it from when it is ready until it drains.
type Catalogue struct {
	mu        sync.Mutex
	instances map[string][]string
	channels  map[string]map[chan<- sd.Event]struct{}
}

// NewCatalogue makes an empty one.
func NewCatalogue() *Catalogue {
	return &Catalogue{instances: map[string][]string{}, channels: map[string]map[chan<- sd.Event]struct{}{}}
}

// list gives the addresses of a service. The caller must not alter it.
func (c *Catalogue) list(service string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.instances[service]
}

// set adds an instance of a service, or removes it.
func (c *Catalogue) set(service, address string, present bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.instances[service]
	now := slices.DeleteFunc(slices.Clone(before), func(other string) bool { return other == address })
	if present {
		now = append(now, address)
		slices.Sort(now)
	}
	if slices.Equal(before, now) {
		return
	}
	c.instances[service] = now
	for channel := range c.channels[service] {
		channel <- sd.Event{Instances: slices.Clone(now)} // a subscriber receives: the contract of sd.Instancer
	}
}

// catalogueInstancer is the sd.Instancer of a service.
type catalogueInstancer struct {
	catalogue *Catalogue
	service   string
}

// Register implements sd.Instancer: the channel gets the present list at once, and then every change.
func (i catalogueInstancer) Register(channel chan<- sd.Event) {
	c := i.catalogue
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.channels[i.service] == nil {
		c.channels[i.service] = map[chan<- sd.Event]struct{}{}
	}
	c.channels[i.service][channel] = struct{}{}
	channel <- sd.Event{Instances: slices.Clone(c.instances[i.service])}
}

// Deregister implements sd.Instancer.
func (i catalogueInstancer) Deregister(channel chan<- sd.Event) {
	c := i.catalogue
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.channels[i.service], channel)
}

// Stop implements sd.Instancer.
func (i catalogueInstancer) Stop() {}
