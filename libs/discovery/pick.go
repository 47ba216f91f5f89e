package discovery

import (
	"context"
	"slices"
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
	return d.PickIn(ctx, service, "")
}

// PickIn is Pick for what must not leave a region; the empty region is any. Instances that the caller has found dead
// are left out: Consul notices a moment later, and the next region must take over at once. The error names service and region.
func (d *Directory) PickIn(ctx context.Context, service, region string, dead ...string) (string, error) {
	if region == "" {
		return d.pick(ctx, service, *d.datacenters.Load(), dead, unavailable(service))
	}
	return d.pick(ctx, service, []string{region}, dead, unavailableIn(service, region))
}

// pick tries the regions in their order; none is what is answered where none of them has an instance.
func (d *Directory) pick(ctx context.Context, service string, regions, dead []string, none error) (string, error) {
	p := d.pool(service)
	if d.consul == nil {
		if address := p.next(d.config.Static[service], dead); address != "" && slices.Contains(regions, d.config.Region) {
			return address, nil
		}
		return "", none
	}
	deadline := time.NewTimer(firstAnswer)
	defer deadline.Stop()
	for _, datacenter := range regions {
		w := d.member(p, pair{service, datacenter})
		select {
		case <-w.ready:
		case <-deadline.C:
			return "", none
		case <-ctx.Done():
			return "", ctx.Err()
		case <-d.alive.Done():
			return "", none
		}
		if address := p.next(w.list(), dead); address != "" {
			return address, nil
		}
	}
	return "", none
}

// next gives the instance whose turn it is, and which is not dead; empty where there is none.
func (p *pool) next(instances, dead []string) string {
	if len(instances) == 0 {
		return ""
	}
	turn := p.turn.Add(1)
	for i := range instances {
		if address := instances[(turn+uint64(i))%uint64(len(instances))]; !slices.Contains(dead, address) {
			return address
		}
	}
	return ""
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
