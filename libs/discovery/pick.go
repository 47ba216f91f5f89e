package discovery

import (
	"context"
	"sync/atomic"
	"time"
)

// firstAnswer is how long the first Pick of a service may wait for Consul's first answer about it.
const firstAnswer = time.Second

// pool is what Pick keeps per service: a watcher for each datacenter that was ever needed, and whose turn it is.
type pool struct {
	turn    atomic.Uint64
	members map[string]*watcher // by datacenter; guarded by Directory.mu
}

// Pick gives the address of an instance of a service for one internal call: in turn among those of the own region,
// else among those of the nearest region that has any. The error is a fault.Unavailable that names the service.
func (d *Directory) Pick(ctx context.Context, service string) (string, error) {
	p := d.pool(service)
	if d.consul == nil {
		instances := d.config.Static[service]
		if len(instances) == 0 {
			return "", unavailable(service)
		}
		return instances[p.turn.Add(1)%uint64(len(instances))], nil
	}
	deadline := time.NewTimer(firstAnswer)
	defer deadline.Stop()
	for _, datacenter := range *d.datacenters.Load() {
		w := d.member(p, pair{service, datacenter})
		select {
		case <-w.ready:
		case <-deadline.C:
			return "", unavailable(service)
		case <-ctx.Done():
			return "", ctx.Err()
		case <-d.alive.Done():
			return "", unavailable(service)
		}
		if instances := w.list(); len(instances) > 0 {
			return instances[p.turn.Add(1)%uint64(len(instances))], nil
		}
	}
	return "", unavailable(service)
}

func (d *Directory) pool(service string) *pool {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, found := d.pools[service]
	if !found {
		p = &pool{members: map[string]*watcher{}}
		d.pools[service] = p
	}
	return p
}

// member gives the pool's watcher of a datacenter. It is kept until Close: what was called once is called again.
func (d *Directory) member(p *pool, of pair) *watcher {
	d.mu.Lock()
	w, found := p.members[of.datacenter]
	d.mu.Unlock()
	if found {
		return w
	}
	subscription := d.watch(of)
	d.mu.Lock()
	defer d.mu.Unlock()
	if w, found = p.members[of.datacenter]; !found { // another Pick may have been quicker; one user too many does no harm
		w = subscription.watcher
		p.members[of.datacenter] = w
	}
	return w
}
