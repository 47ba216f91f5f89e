package discovery

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/consul/api"
)

const (
	heartbeatInterval = time.Second
	ttl               = 3 * time.Second // an instance without a heartbeat for this long gets no more calls
	deregisterAfter   = time.Minute     // Consul deletes the entry of a dead process after this time; Consul accepts no less
)

// Lease is this process's entry in the catalogue under one service name. A heartbeat renews it.
type Lease struct {
	directory *Directory
	entry     *api.AgentServiceRegistration // nil without Consul
	name      string
	address   string

	ready        atomic.Bool
	registered   atomic.Bool   // Consul took the last heartbeat
	lastFailure  atomic.Int64  // when Consul last took no heartbeat, or had lost the entry, as Unix nanoseconds; zero: never
	readyChanged chan struct{} // readiness changed: send a heartbeat now
	cancel       context.CancelFunc
	done         chan struct{} // closed when the heartbeat has ended
	leaveOnce    sync.Once
}

// Register registers this process as an instance of a service at address (host:port). The entry is critical, and gets no
// calls, until Ready(true). Consul may be down: the entry is made when Consul is available, and made again whenever Consul
// has lost it. A fixed list knows the address already; the lease changes nothing then.
func (d *Directory) Register(_ context.Context, name, address string, meta map[string]string) (*Lease, error) {
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("discovery: register %s: %w", name, err)
	}
	port, err := strconv.Atoi(portText)
	if err != nil || port < 1 || port > 65535 {
		return nil, fmt.Errorf("discovery: register %s: %q has no port", name, address)
	}
	if ip := net.ParseIP(host); host == "" || (ip != nil && ip.IsUnspecified()) {
		return nil, fmt.Errorf("discovery: register %s: others cannot reach %q; give the address they can reach", name, address)
	}
	l := &Lease{directory: d, name: name, address: address, readyChanged: make(chan struct{}, 1), done: make(chan struct{}), cancel: func() {}}
	if d.consul == nil {
		close(l.done)
		return l, nil
	}
	all := map[string]string{"region": d.config.Region}
	maps.Copy(all, meta)
	id := name + "-" + address // a restarted process at the same address takes over its entry
	l.entry = &api.AgentServiceRegistration{
		ID: id, Name: name, Address: host, Port: port, Meta: all,
		Check: &api.AgentServiceCheck{
			CheckID:                        "service:" + id,
			TTL:                            ttl.String(),
			Status:                         api.HealthCritical,
			DeregisterCriticalServiceAfter: deregisterAfter.String(),
		},
	}
	ctx, cancel := context.WithCancel(d.ctx)
	l.cancel = cancel
	l.registerMetrics(ctx)
	d.tasks.Go(func() { l.runHeartbeat(ctx) })
	return l, nil
}

// SetReady sets whether this instance gets calls.
func (l *Lease) SetReady(ready bool) {
	if l.ready.Swap(ready) != ready {
		l.list(ready)
		select {
		case l.readyChanged <- struct{}{}:
		default:
		}
	}
}

// list enters this instance in the catalogue of its process, or takes it out.
func (l *Lease) list(present bool) {
	if l.directory.config.Mode == Process {
		l.directory.catalogue.set(l.name, l.address, present)
	}
}

// Deregister removes the entry from the catalogue; watchers see it within milliseconds. An error means that Consul could not
// be reached: the entry then expires three seconds after the last heartbeat.
func (l *Lease) Deregister(ctx context.Context) error {
	var err error
	l.leaveOnce.Do(func() {
		l.cancel()
		<-l.done // a heartbeat that is still running could register us again
		if l.entry == nil {
			l.list(false)
			return
		}
		err = l.directory.consul.Agent().ServiceDeregisterOpts(l.entry.ID, (&api.QueryOptions{}).WithContext(ctx))
		switch {
		case isUnknownEntry(err): // never registered, or lost by Consul: nothing is left to remove
			err = nil
		case err != nil:
			err = fmt.Errorf("discovery: leave %s: %w", l.entry.Name, explain(err))
		}
		if err == nil && l.lastFailure.Load() != 0 && !l.registered.Swap(true) { // it is back, and no heartbeat has found that yet
			l.lastFailure.Store(time.Now().UnixNano())
		}
	})
	return err
}

// WatchersReturn is how long watchers may still use an old list, because Consul was unavailable a moment ago: they query it again with
// pauses. It is zero when Consul was available, and while it is unavailable: their list does not get better by waiting then.
func (l *Lease) WatchersReturn() time.Duration {
	if !l.registered.Load() || l.lastFailure.Load() == 0 {
		return 0
	}
	return max(0, time.Until(time.Unix(0, l.lastFailure.Load()).Add(maxReturn)))
}

// runHeartbeat sends a heartbeat every second, and at once when the readiness changes, until ctx ends.
func (l *Lease) runHeartbeat(ctx context.Context) {
	defer close(l.done)
	ticker := time.NewTicker(heartbeatInterval)
	defer ticker.Stop()
	failing, registered := false, false
	for {
		var err error
		if registered {
			err = l.heartbeat(ctx)
		} else if err = l.register(ctx); err == nil {
			registered = true
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing:
			l.directory.log.Warn("Consul cannot be told that this instance lives; trying again every second", "about_service",
				l.entry.Name, "error", err)
		case err == nil && failing:
			l.directory.log.Info("Consul knows this instance again", "about_service", l.entry.Name, "address", l.entry.Address, "port", l.entry.Port)
		}
		failing = err != nil
		if failing {
			l.lastFailure.Store(time.Now().UnixNano())
		}
		l.registered.Store(err == nil)
		select {
		case <-ctx.Done():
			return
		case <-l.readyChanged:
		case <-ticker.C:
		}
	}
}

// register makes the entry, or takes over that of the process before at this address: with our version and our token, by which the agent
// keeps the entry in the catalogue.
func (l *Lease) register(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, ttl-heartbeatInterval)
	defer cancel()
	options := api.ServiceRegisterOpts{ReplaceExistingChecks: true}.WithContext(ctx)
	if err := l.directory.consul.Agent().ServiceRegisterOpts(l.entry, options); err != nil {
		return fmt.Errorf("register: %w", explain(err))
	}
	return l.updateTTL(ctx)
}

// heartbeat reports the readiness to Consul. It registers the process where Consul has no entry for it.
func (l *Lease) heartbeat(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, ttl-heartbeatInterval)
	defer cancel()
	err := l.updateTTL(limited)
	if isUnknownEntry(err) {
		l.lastFailure.Store(time.Now().UnixNano())
		return l.register(ctx)
	}
	return err
}

// isUnknownEntry says whether Consul responded that it has no such entry.
func isUnknownEntry(err error) bool {
	var status api.StatusError
	return errors.As(err, &status) && status.Code == http.StatusNotFound
}

func (l *Lease) updateTTL(ctx context.Context) error {
	status := api.HealthCritical
	if l.ready.Load() {
		status = api.HealthPassing
	}
	// The text is always the same: another text would change the catalogue and wake every watcher.
	if err := l.directory.consul.Agent().UpdateTTLOpts(l.entry.Check.CheckID, "", status, (&api.QueryOptions{}).WithContext(ctx)); err != nil {
		return fmt.Errorf("heartbeat: %w", explain(err))
	}
	return nil
}
