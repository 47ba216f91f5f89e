// Package discovery says where the instances of a service are, and tells the others where this process is.
//
// A Directory reads Consul in the background only: nothing in a request's path waits for it, and what was
// last known good stays in use while Consul is away. Without Consul the instances are fixed by configuration.
package discovery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-kit/kit/sd"
	"github.com/hashicorp/consul/api"

	"ams.internal/libs/fault"
)

// Mode says where the instances are known from.
type Mode string

// The modes.
const (
	Consul Mode = "consul" // a Consul agent
	Static Mode = "static" // a list in the configuration: development without Consul, Kubernetes services
)

// Config is what Open needs.
type Config struct {
	Mode       Mode
	ConsulAddr string              // host:port of a Consul agent's HTTP interface
	Static     map[string][]string // service → host:port of its instances, see ParseStatic
	Region     string              // the own region, which is the name of the Consul datacenter too
	Log        *slog.Logger        // nil: slog.Default()
}

// Directory knows the instances of services.
type Directory struct {
	config Config
	log    *slog.Logger

	consul    *api.Client // nil in static mode
	watching  *api.Client // the same Consul, for blocking queries
	transport *http.Transport

	alive context.Context // ends at Close
	end   context.CancelFunc
	tasks sync.WaitGroup

	mu       sync.Mutex
	watchers map[pair]*watcher
	pools    map[string]*pool // what Pick uses, by service

	datacenters atomic.Pointer[[]string]
}

type pair struct{ service, datacenter string }

// Open makes a Directory. It never waits for Consul: a process starts also while Consul is away.
func Open(c Config) (*Directory, error) {
	if c.Region == "" {
		return nil, errors.New("discovery: the own region is not set")
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	d := &Directory{config: c, log: c.Log, watchers: map[pair]*watcher{}, pools: map[string]*pool{}}
	d.alive, d.end = context.WithCancel(context.Background())
	d.datacenters.Store(&[]string{c.Region})
	switch c.Mode {
	case Static:
		return d, nil
	case Consul:
	default:
		return nil, fmt.Errorf("discovery: mode %q is neither consul nor static", c.Mode)
	}
	if c.ConsulAddr == "" {
		return nil, errors.New("discovery: the address of Consul is not set")
	}
	if err := d.connect(); err != nil {
		return nil, err
	}
	d.observe()
	d.tasks.Go(d.watchDatacenters)
	return d, nil
}

// connect makes the clients.
func (d *Directory) connect() error {
	settings := api.DefaultConfig()
	settings.Address = d.config.ConsulAddr
	settings.Transport.DialContext = (&net.Dialer{Timeout: time.Second, KeepAlive: 15 * time.Second}).DialContext
	d.transport = settings.Transport
	var err error
	if d.consul, err = api.NewClient(settings); err != nil {
		return fmt.Errorf("discovery: %w", err)
	}
	// net/http sends a GET again by itself when a connection that was used before breaks. A blocking query would so take the
	// index of a Consul that has died to the one that was started in its place, and wait there for it in vain.
	fresh := api.DefaultConfig()
	fresh.Address = d.config.ConsulAddr
	fresh.Transport.DialContext = settings.Transport.DialContext
	fresh.Transport.DisableKeepAlives = true
	if d.watching, err = api.NewClient(fresh); err != nil {
		return fmt.Errorf("discovery: %w", err)
	}
	return nil
}

// Close ends every watcher and every query. Leases are not ended: see Lease.Leave.
func (d *Directory) Close() {
	d.end()
	d.tasks.Wait()
	if d.transport != nil {
		d.transport.CloseIdleConnections()
	}
}

// Region is the own region.
func (d *Directory) Region() string { return d.config.Region }

// Instancer gives the instances of a service in one datacenter (empty: the own region) as go-kit wants them.
// However many are asked for, one background watcher per pair asks Consul; it ends when the last of
// them is stopped, or with Close.
func (d *Directory) Instancer(service, datacenter string) sd.Instancer {
	if datacenter == "" {
		datacenter = d.config.Region
	}
	if d.consul == nil {
		if datacenter != d.config.Region {
			return sd.FixedInstancer{}
		}
		return sd.FixedInstancer(slices.Clone(d.config.Static[service])) // the Endpointer sorts what it is given
	}
	return d.watch(pair{service, datacenter})
}

// watch gives a new user of the watcher of a pair, which is started where there is none.
func (d *Directory) watch(p pair) *subscription {
	d.mu.Lock()
	defer d.mu.Unlock()
	w, found := d.watchers[p]
	if !found {
		w = newWatcher(d, p)
		d.watchers[p] = w
		d.tasks.Go(w.run)
	}
	w.users++
	return &subscription{watcher: w}
}

// release is the end of one user of a watcher; the watcher ends with its last.
func (d *Directory) release(w *watcher) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w.users--; w.users == 0 {
		delete(d.watchers, w.pair)
		w.end()
	}
}

// Age says how long ago Consul last answered about a service in a datacenter (empty: the own region): about ten
// seconds at most while all is well. Zero where nobody watches the pair, and in static mode.
func (d *Directory) Age(service, datacenter string) time.Duration {
	if datacenter == "" {
		datacenter = d.config.Region
	}
	d.mu.Lock()
	w := d.watchers[pair{service, datacenter}]
	d.mu.Unlock()
	if w == nil {
		return 0
	}
	return w.age()
}

// Knows says whether the instances of a service in a datacenter, which are watched, have been told at least once.
func (d *Directory) Knows(service, datacenter string) bool {
	if d.consul == nil {
		return true
	}
	d.mu.Lock()
	w := d.watchers[pair{service, datacenter}]
	d.mu.Unlock()
	return w != nil && w.told()
}

// Datacenters are the regions that Consul knows, the own one first, the others by distance. It answers at once,
// from what the background last learnt. One that was known once stays known, at the end: a Consul that was started anew knows only
// itself until the others have joined it.
func (d *Directory) Datacenters() []string { return slices.Clone(*d.datacenters.Load()) }

func (d *Directory) watchDatacenters() {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		if known, err := d.readDatacenters(); err == nil {
			d.datacenters.Store(&known)
		}
		select {
		case <-d.alive.Done():
			return
		case <-ticker.C:
		}
	}
}

func (d *Directory) readDatacenters() ([]string, error) {
	ctx, cancel := context.WithTimeout(d.alive, 2*time.Second)
	defer cancel()
	var known []string
	if _, err := d.consul.Raw().Query("/v1/catalog/datacenters", &known, (&api.QueryOptions{}).WithContext(ctx)); err != nil {
		return nil, err
	}
	own := d.config.Region
	known = slices.DeleteFunc(known, func(name string) bool { return name == own })
	known = slices.Insert(known, 0, own)
	for _, name := range *d.datacenters.Load() {
		if !slices.Contains(known, name) {
			known = append(known, name)
		}
	}
	return known, nil
}

// ParseStatic reads "assets=127.0.0.1:7001,127.0.0.1:7002;users=127.0.0.1:7003".
func ParseStatic(list string) (map[string][]string, error) {
	services := map[string][]string{}
	for entry := range strings.SplitSeq(list, ";") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		name, addresses, found := strings.Cut(entry, "=")
		if name = strings.TrimSpace(name); !found || name == "" {
			return nil, fmt.Errorf("%q is not service=host:port,host:port", entry)
		}
		for address := range strings.SplitSeq(addresses, ",") {
			address = strings.TrimSpace(address)
			if host, port, err := net.SplitHostPort(address); err != nil || host == "" || port == "" {
				return nil, fmt.Errorf("%q, an address of %s, is not host:port", address, name)
			}
			services[name] = append(services[name], address)
		}
	}
	return services, nil
}

func unavailableIn(service, region string) error {
	return fault.Unavailable("region_unavailable", "No instance of the %s service can be reached in the region %s, which the request is pinned to; try again in a moment, or without the pin.", service, region)
}

func unavailable(service string) error {
	return fault.Unavailable("service_unavailable", "No instance of the %s service can be reached right now; try again in a moment.", service)
}
