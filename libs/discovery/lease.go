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
	heartbeat  = time.Second
	lifetime   = 3 * time.Second // without a heartbeat for this long an instance is no longer given to anybody
	forgetting = time.Minute     // after this long Consul forgets the instance of a process that died; it takes no less
)

// Lease is this process's entry in the catalogue under one service name, kept alive by a heartbeat.
type Lease struct {
	directory *Directory
	entry     *api.AgentServiceRegistration

	ready atomic.Bool
	known atomic.Bool   // Consul took the last heartbeat
	nudge chan struct{} // readiness changed: say so now, not at the next heartbeat
	end   context.CancelFunc
	done  chan struct{} // closed when the heartbeat has ended
	leave sync.Once
}

// Register enters this process as an instance of a service at address (host:port). The entry is critical, and
// given to nobody, until Ready(true). Consul need not be there: the entry is made when it comes, and made
// again whenever it has forgotten us. In static mode the lease does nothing.
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
	l := &Lease{directory: d, nudge: make(chan struct{}, 1), done: make(chan struct{}), end: func() {}}
	if d.consul == nil {
		close(l.done)
		return l, nil
	}
	all := map[string]string{"region": d.config.Region}
	maps.Copy(all, meta)
	id := name + "-" + address // the same place is the same instance: a restarted process takes its entry over
	l.entry = &api.AgentServiceRegistration{
		ID: id, Name: name, Address: host, Port: port, Meta: all,
		Check: &api.AgentServiceCheck{
			CheckID:                        "service:" + id,
			TTL:                            lifetime.String(),
			Status:                         api.HealthCritical,
			DeregisterCriticalServiceAfter: forgetting.String(),
		},
	}
	alive, end := context.WithCancel(d.alive)
	l.end = end
	l.observe(alive)
	d.tasks.Go(func() { l.keep(alive) })
	return l, nil
}

// Ready says whether callers may be sent here.
func (l *Lease) Ready(ready bool) {
	if l.ready.Swap(ready) != ready {
		select {
		case l.nudge <- struct{}{}:
		default:
		}
	}
}

// Leave takes the entry out of the catalogue; watchers see it within milliseconds. An error means that Consul
// could not be told: the entry then ends by itself, three seconds after the last heartbeat.
func (l *Lease) Leave(ctx context.Context) error {
	var err error
	l.leave.Do(func() {
		l.end()
		<-l.done // a heartbeat under way could enter us again
		if l.entry == nil {
			return
		}
		err = l.directory.consul.Agent().ServiceDeregisterOpts(l.entry.ID, (&api.QueryOptions{}).WithContext(ctx))
		switch {
		case unknown(err): // never entered, or forgotten: that is what was wanted
			err = nil
		case err != nil:
			err = fmt.Errorf("discovery: leave %s: %w", l.entry.Name, err)
		}
	})
	return err
}

// keep is the heartbeat.
func (l *Lease) keep(alive context.Context) {
	defer close(l.done)
	ticker := time.NewTicker(heartbeat)
	defer ticker.Stop()
	failing := false
	for {
		err := l.beat(alive)
		switch {
		case alive.Err() != nil:
			return
		case err != nil && !failing:
			l.directory.log.Warn("Consul cannot be told that this instance lives; trying again every second", "service", l.entry.Name, "error", err)
		case err == nil && failing:
			l.directory.log.Info("Consul knows this instance again", "service", l.entry.Name, "address", l.entry.Address, "port", l.entry.Port)
		}
		failing = err != nil
		l.known.Store(err == nil)
		select {
		case <-alive.Done():
			return
		case <-l.nudge:
		case <-ticker.C:
		}
	}
}

// beat tells Consul how we are, and enters us where Consul does not know us (yet, or any more).
func (l *Lease) beat(alive context.Context) error {
	ctx, cancel := context.WithTimeout(alive, lifetime-heartbeat)
	defer cancel()
	err := l.update(ctx)
	if !unknown(err) {
		return err
	}
	options := api.ServiceRegisterOpts{ReplaceExistingChecks: true}.WithContext(ctx)
	if err := l.directory.consul.Agent().ServiceRegisterOpts(l.entry, options); err != nil {
		return fmt.Errorf("register: %w", err)
	}
	return l.update(ctx)
}

// unknown says that Consul answered that it does not know the entry.
func unknown(err error) bool {
	var answer api.StatusError
	return errors.As(err, &answer) && answer.Code == http.StatusNotFound
}

func (l *Lease) update(ctx context.Context) error {
	status := api.HealthCritical
	if l.ready.Load() {
		status = api.HealthPassing
	}
	// The text is always the same: a new one would be a change of the catalogue, which wakes every watcher.
	if err := l.directory.consul.Agent().UpdateTTLOpts(l.entry.Check.CheckID, "", status, (&api.QueryOptions{}).WithContext(ctx)); err != nil {
		return fmt.Errorf("heartbeat: %w", err)
	}
	return nil
}
