package discovery

import (
	"context"
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
// are excluded: Consul notices a moment later, and the next region must take over at once. The error names service and region.
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
		if address := p.next(d.config.Static[service], exclude); address != "" && slices.Contains(regions, d.config.Region) {
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
		if address := p.next(w.list(), exclude); address != "" {
			return address, nil
		}
	}
	return "", errNone
}

// next gives the next instance that is not excluded; empty where there is none.
func (p *balancer) next(instances, exclude []string) string {
	if len(instances) == 0 {
		return ""
	}
	counter := p.counter.Add(1)
	for i := range instances {
		if address := instances[(counter+uint64(i))%uint64(len(instances))]; !slices.Contains(exclude, address) {
			return address
		}
	}
	return ""
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
