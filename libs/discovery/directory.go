// Package discovery finds the instances of a service and registers this process as one.
//
// A Directory reads Consul in the background only. No request waits for Consul, and the last good list stays in use
// while Consul is down. Without Consul the instances are fixed by configuration.
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

// datacentersInterval is how often the regions are asked for: they come with days between, and every process asks.
const datacentersInterval = 5 * time.Second

// Mode is the source of the list of instances.
type Mode string

// The modes.
const (
	Consul Mode = "consul" // a Consul agent
	Static Mode = "static" // a list in the configuration: development without Consul, Kubernetes services
	// Process is a catalogue of the programs of this process.
	Process Mode = "process"
)

// Config is what Open needs.
type Config struct {
	Mode       Mode
	ConsulAddr string              // host:port of a Consul agent's HTTP interface
	Static     map[string][]string // service → host:port of its instances, see ParseStatic
	Catalogue  *Catalogue          // of this process, for Process
	Token      string              // by which this process may register, and see the others; needed where Consul has access control
	Region     string              // the own region, which is the name of the Consul datacenter too
	Log        *slog.Logger        // nil: slog.Default()
}

// Directory knows the instances of services.
type Directory struct {
	config Config
	log    *slog.Logger

	catalogue      *Catalogue  // nil with Consul
	consul         *api.Client // nil without
	blockingClient *api.Client // the same Consul, for blocking queries
	transport      *http.Transport

	ctx    context.Context // ends at Close
	cancel context.CancelFunc
	tasks  sync.WaitGroup

	mu        sync.Mutex
	watchers  map[watchKey]*watcher
	balancers map[string]*balancer // what Pick uses, by service

	datacenters atomic.Pointer[[]string]

	pulses    pulses
	questions *http.Transport // of probes
}

type watchKey struct{ service, datacenter string }

// Open makes a Directory. It never waits for Consul: a process also starts while Consul is down.
func Open(c Config) (*Directory, error) {
	if c.Region == "" {
		return nil, errors.New("discovery: the own region is not set")
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	d := &Directory{config: c, log: c.Log, watchers: map[watchKey]*watcher{}, balancers: map[string]*balancer{},
		pulses: pulses{all: map[string]*pulse{}, swept: time.Now()}, questions: &http.Transport{DisableKeepAlives: true}}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	d.datacenters.Store(&[]string{c.Region})
	switch c.Mode {
	case Static:
		d.catalogue = NewCatalogue()
		d.catalogue.instances = c.Static
		return d, nil
	case Process:
		if d.catalogue = c.Catalogue; d.catalogue == nil {
			return nil, errors.New("discovery: this process has one program, and AMS_DISCOVERY=process finds those that share it; " +
				"ams serve all runs them together")
		}
		return d, nil
	case Consul:
	default:
		return nil, fmt.Errorf("discovery: mode %q is none of consul, static and process", c.Mode)
	}
	if c.ConsulAddr == "" {
		return nil, errors.New("discovery: the address of Consul is not set")
	}
	if err := d.connect(); err != nil {
		return nil, err
	}
	d.registerMetrics()
	d.tasks.Go(d.watchDatacenters)
	return d, nil
}

// connect makes the clients.
func (d *Directory) connect() error {
	settings := api.DefaultConfig()
	settings.Address, settings.Token = d.config.ConsulAddr, d.config.Token
	settings.Transport.DialContext = (&net.Dialer{Timeout: time.Second, KeepAlive: 15 * time.Second}).DialContext
	d.transport = settings.Transport
	var err error
	if d.consul, err = api.NewClient(settings); err != nil {
		return fmt.Errorf("discovery: %w", err)
	}
	// net/http retries a GET by itself when a reused connection breaks. A blocking query would then carry the index of a
	// Consul that has stopped to its replacement, and wait there in vain. So these queries do not reuse connections.
	blocking := api.DefaultConfig()
	blocking.Address, blocking.Token = d.config.ConsulAddr, d.config.Token
	blocking.Transport.DialContext = settings.Transport.DialContext
	blocking.Transport.DisableKeepAlives = true
	if d.blockingClient, err = api.NewClient(blocking); err != nil {
		return fmt.Errorf("discovery: %w", err)
	}
	return nil
}

// Close ends every watcher and every query. Leases are not ended: see Lease.Deregister.
func (d *Directory) Close() {
	d.cancel()
	d.tasks.Wait()
	if d.transport != nil {
		d.transport.CloseIdleConnections()
	}
}

// Region is the own region.
func (d *Directory) Region() string { return d.config.Region }

// Instancer gives the instances of a service in one datacenter (empty: the own region) as go-kit expects them.
// All instancers of one service and datacenter share one background watcher. The watcher ends when the last of them is
// stopped, or with Close.
func (d *Directory) Instancer(service, datacenter string) sd.Instancer {
	if datacenter == "" {
		datacenter = d.config.Region
	}
	if d.consul == nil {
		if datacenter != d.config.Region {
			return sd.FixedInstancer{}
		}
		return catalogueInstancer{d.catalogue, service}
	}
	return d.subscribe(watchKey{service, datacenter})
}

// subscribe adds a subscriber to the watcher of p. It starts the watcher where there is none.
func (d *Directory) subscribe(p watchKey) *subscription {
	d.mu.Lock()
	defer d.mu.Unlock()
	w, found := d.watchers[p]
	if !found {
		w = newWatcher(d, p)
		d.watchers[p] = w
		d.tasks.Go(w.run)
	}
	w.subscribers++
	return &subscription{watcher: w}
}

// unsubscribe removes one subscriber of a watcher. The watcher ends with its last subscriber.
func (d *Directory) unsubscribe(w *watcher) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w.subscribers--; w.subscribers == 0 {
		delete(d.watchers, w.key)
		w.cancel()
	}
}

// Age is the time since Consul last responded about a service in a datacenter (empty: the own region). It is at most about
// ten seconds while Consul is available. It is zero where nobody watches the service there, and in static mode.
func (d *Directory) Age(service, datacenter string) time.Duration {
	if datacenter == "" {
		datacenter = d.config.Region
	}
	d.mu.Lock()
	w := d.watchers[watchKey{service, datacenter}]
	d.mu.Unlock()
	if w == nil {
		return 0
	}
	return w.age()
}

// HasSynced says whether Consul has responded at least once about a service in a datacenter that is being watched.
func (d *Directory) HasSynced(service, datacenter string) bool {
	if d.consul == nil {
		return true
	}
	d.mu.Lock()
	w := d.watchers[watchKey{service, datacenter}]
	d.mu.Unlock()
	return w != nil && w.hasSynced()
}

// Datacenters are the regions that Consul knows: the own one first, the others by distance. The call does not wait; it
// returns what the background last read. A region that was seen once stays in the list, at the end: a Consul that was
// restarted knows only itself until the others have joined it.
func (d *Directory) Datacenters() []string { return slices.Clone(*d.datacenters.Load()) }

func (d *Directory) watchDatacenters() {
	ticker := time.NewTicker(datacentersInterval)
	defer ticker.Stop()
	for {
		if known, err := d.readDatacenters(); err == nil {
			d.datacenters.Store(&known)
		}
		select {
		case <-d.ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (d *Directory) readDatacenters() ([]string, error) {
	ctx, cancel := context.WithTimeout(d.ctx, 2*time.Second)
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

// explain says of a refusal of Consul what is to be done about it.
func explain(err error) error {
	var status api.StatusError
	if errors.As(err, &status) && status.Code == http.StatusForbidden {
		return fmt.Errorf("the token of AMS_CONSUL_TOKEN does not allow it; amsctl consul prepare makes the tokens of programs known "+
			"to Consul: %w", err)
	}
	return err
}

func unavailableIn(service, region string) error {
	return fault.Unavailable("region_unavailable", "No instance of the %s service can be reached in the region %s, "+
		"which the request is pinned to; try again in a moment, or without the pin.", service, region)
}

func unavailable(service string) error {
	return fault.Unavailable("service_unavailable",
		"No instance of the %s service can be reached right now; try again in a moment.", service)
}
