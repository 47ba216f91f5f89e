package discovery

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"
)

// firstResponseTimeout is how long the first Pick of a service may wait for Consul's first response about it.
const firstResponseTimeout = 3 * time.Second

// balancer is the round robin of Pick over one service's instances. It has a watcher for each datacenter that was needed so far.
type balancer struct {
	counter  atomic.Uint64
	watchers map[string]*watcher // by datacenter; guarded by Directory.mu
}

// Pick gives the address of an instance of a service for one internal call: round robin among those of the own region, else
// among those of the nearest region that has any. The error is a fault.Unavailable that names the service.
func (d *Directory) Pick(ctx context.Context, service string) (string, error) {
	return d.PickIn(ctx, service, "")
}

// PickIn is Pick for a call that must not leave a region; the empty region is any. Instances that the caller could not reach
// are excluded: Consul notices a moment later, and the next region must take over at once. Those that are silent come last, and
// those that hang not at all. The error names service and region.
func (d *Directory) PickIn(ctx context.Context, service, region string, exclude ...string) (string, error) {
	if region == "" {
		return d.pick(ctx, service, *d.datacenters.Load(), exclude, unavailable(service))
	}
	return d.pick(ctx, service, []string{region}, exclude, unavailableIn(service, region))
}

// pick tries the regions in their order. It returns errNone where none of them has an instance.
func (d *Directory) pick(ctx context.Context, service string, regions, exclude []string, errNone error) (string, error) {
	p := d.balancer(service)
	if d.consul == nil {
		if address := d.next(p, d.catalogue.list(service), exclude); address != "" && slices.Contains(regions, d.config.Region) {
			return address, nil
		}
		return "", errNone
	}
	deadline := time.NewTimer(firstResponseTimeout)
	defer deadline.Stop()
	for _, datacenter := range regions {
		w := d.watcherOf(p, watchKey{service, datacenter})
		select {
		case <-w.ready:
		case <-deadline.C:
			return "", errNone
		case <-ctx.Done():
			return "", ctx.Err()
		case <-d.ctx.Done():
			return "", errNone
		}
		if address := d.next(p, w.list(), exclude); address != "" {
			return address, nil
		}
	}
	return "", errNone
}

// next gives the next instance that is not excluded and does not hang, and one that is not silent before others; empty where there is
// none.
func (d *Directory) next(p *balancer, instances, exclude []string) (silent string) {
	if len(instances) == 0 {
		return ""
	}
	counter := p.counter.Add(1)
	for i := range instances {
		address := instances[(counter+uint64(i))%uint64(len(instances))]
		switch {
		case slices.Contains(exclude, address), d.Hung(address):
		case !d.Silent(address):
			return address
		case silent == "":
			silent = address
		}
	}
	return silent
}

// another says whether there is an instance that was not tried and is not silent, as far as it is known by now.
func (d *Directory) another(service, region string, tried []string) bool {
	p, known := d.balancer(service), []string(nil)
	if d.consul == nil {
		known = d.catalogue.list(service)
	} else {
		for _, w := range d.watchersOf(p) {
			if region == "" || region == w.key.datacenter {
				known = append(known, w.list()...)
			}
		}
	}
	return slices.ContainsFunc(known, func(address string) bool { return !slices.Contains(tried, address) && !d.Silent(address) })
}

func (d *Directory) watchersOf(p *balancer) []*watcher {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Collect(maps.Values(p.watchers))
}

func (d *Directory) balancer(service string) *balancer {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, found := d.balancers[service]
	if !found {
		p = &balancer{watchers: map[string]*watcher{}}
		d.balancers[service] = p
	}
	return p
}

// watcherOf gives the balancer's watcher of a datacenter. The watcher runs until Close, for the next call.
func (d *Directory) watcherOf(p *balancer, of watchKey) *watcher {
	d.mu.Lock()
	w, found := p.watchers[of.datacenter]
	d.mu.Unlock()
	if found {
		return w
	}
	subscription := d.subscribe(of)
	d.mu.Lock()
	defer d.mu.Unlock()
	if w, found = p.watchers[of.datacenter]; !found { // another Pick may have been quicker; the additional subscriber does no harm
		w = subscription.watcher
		p.watchers[of.datacenter] = w
	}
	return w
}
