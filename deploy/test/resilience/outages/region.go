package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"syscall"
)

// The two regions of the second stack. The data is in the first.
const (
	canada = "ca-central-1"
	states = "us-east-1"
)

// regionRows are gone through on a stack of two regions, whose callers use the gateways of both.
func regionRows() []row {
	return []row{
		regionAway("the services of a region, kill -9", func(name string) bool {
			return !strings.HasPrefix(name, states+".gateway") && name != states+".consul"
		}),
		regionAway("all programs of a region, kill -9", func(string) bool { return true }),
	}
}

// regionAway kills programs of the region without the data.
func regionAway(name string, chosen func(name string) bool) row {
	var killed []string
	return row{
		name:    name,
		promise: "what is not pinned is processed in the other; what is pinned is 503, and never leaves; at most 0.5 % fail",
		take: func(_ context.Context, r *run) error {
			killed = slices.DeleteFunc(slices.Sorted(maps.Keys(r.stack.Description().PIDs)), func(name string) bool {
				return !strings.HasPrefix(name, states+".") || !chosen(name)
			})
			return r.stack.Halt(syscall.SIGKILL, killed...)
		},
		during: func(ctx context.Context, r *run) error { return r.pinned(ctx, http.StatusServiceUnavailable) },
		back:   func(ctx context.Context, r *run) error { return r.stack.Resume(ctx, killed...) },
		judge: func(r *run) {
			away := r.samples.between(r.gone, r.returned)
			r.noneFailed(away, "once it was away")
			left := away.where(func(s sample) bool { return s.served != canada })
			r.promise(len(left) == 0, "%d requests were processed in %q; the first: %s", len(left), states, left.example())
			before := r.samples.where(func(s sample) bool { return s.end().Before(r.taken) && s.served == states })
			r.promise(len(before) > 0, "nothing was processed in %s before it was taken away", states)
			r.few(r.samples)
		},
		then: func(ctx context.Context, r *run) error { return r.pinned(ctx, http.StatusOK) },
	}
}

// pinned asks every gateway that answers for something that must be processed in the region.
func (r *run) pinned(ctx context.Context, wanted int) error {
	tried := 0
	for gateway := range r.balancer.gateways {
		for _, c := range collections {
			a := r.balancer.at(ctx, gateway, call{method: http.MethodGet, path: c.path + "?per_page=1&forceFunctionRegion=" + states, key: r.tenants[0].key()})
			if refused(a.err) {
				continue
			}
			if a.err != nil {
				return a.err
			}
			tried++
			if served := a.header.Get("X-Served-Region"); a.status != wanted || wanted == http.StatusOK && served != states || wanted != http.StatusOK && a.code() != "region_unavailable" {
				r.promise(false, "pinned to %s, %s answers %d, processed in %s: %.300s", states, c.path, a.status, served, a.body)
			}
		}
	}
	if tried == 0 {
		return fmt.Errorf("no gateway answers")
	}
	return nil
}
