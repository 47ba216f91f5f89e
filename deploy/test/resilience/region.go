package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"

	"ams.internal/deploy/test/resilience/load"
)

// The two regions of the second stack. The data is in the first.
const (
	canada = "ca-central-1"
	states = "us-east-1"
)

// regionScenarios are gone through on a stack of two regions, whose callers use the gateways of both.
func regionScenarios() []scenario {
	return []scenario{
		regionDown("the services of a region, kill -9", func(name string) bool {
			return !strings.HasPrefix(name, states+".gateway") && name != states+".consul"
		}),
		regionDown("all programs of a region, kill -9", func(string) bool { return true }),
	}
}

// regionDown kills programs of the region without the data.
func regionDown(name string, chosen func(name string) bool) scenario {
	var killed []string
	return scenario{
		name:    name,
		promise: "what is not pinned is processed in the other; what is pinned is 503, and never leaves; at most 0.5 % fail",
		inject: func(_ context.Context, r *run) error {
			killed = slices.DeleteFunc(slices.Sorted(maps.Keys(r.stack.Description().PIDs)), func(name string) bool {
				return !strings.HasPrefix(name, states+".") || !chosen(name)
			})
			return r.stack.Halt(syscall.SIGKILL, killed...)
		},
		during: func(ctx context.Context, r *run) error {
			wrong, err := r.pinned(ctx, http.StatusServiceUnavailable)
			r.promise(wrong == "", "%s", wrong)
			return err
		},
		restore: func(ctx context.Context, r *run) error { return r.stack.Resume(ctx, killed...) },
		evaluate: func(r *run) {
			down := r.samples.Between(r.down, r.restoring)
			r.noneFailed(down, "once it was away")
			left := down.Where(func(s load.Sample) bool { return s.Served != canada })
			r.promise(len(left) == 0, "%d requests were processed in %q; the first: %s", len(left), states, left.Example())
			before := r.samples.Where(func(s load.Sample) bool { return s.End().Before(r.injecting) && s.Served == states })
			r.promise(len(before) > 0, "nothing was processed in %s before it was taken away", states)
			r.fewFailed(r.samples)
		},
		after: func(ctx context.Context, r *run) error { return r.pinnedAgain(ctx) },
	}
}

// pinnedAgain waits until the region's own instances answer what is pinned to it: Consul has to hear of them first.
func (r *run) pinnedAgain(ctx context.Context) error {
	restored := time.Now()
	for {
		wrong, err := r.pinned(ctx, http.StatusOK)
		if waited := time.Since(restored); err != nil || wrong == "" || waited > 20*time.Second {
			r.promise(wrong == "", "%s", wrong)
			r.bound(waited < 5*time.Second, "what is pinned waited %s for the region", waited)
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// pinned sends every gateway that responds a request that must be processed in the region, and says what is not answered as wanted.
func (r *run) pinned(ctx context.Context, wanted int) (wrong string, err error) {
	tried := 0
	for gateway := range r.balancer.Gateways {
		for _, c := range load.Collections {
			a := r.balancer.At(ctx, gateway, load.Call{Method: http.MethodGet, Path: c.Path + "?per_page=1&forceFunctionRegion=" + states,
				Key: r.organizations[0].Key()})
			if load.Refused(a.Err) {
				continue
			}
			if a.Err != nil {
				return "", a.Err
			}
			tried++
			if served := a.Header.Get("X-Served-Region"); a.Status != wanted || wanted == http.StatusOK && served != states ||
				wanted != http.StatusOK && a.Code() != "region_unavailable" {
				wrong = fmt.Sprintf("pinned to %s, %s answers %d, processed in %s: %.300s", states, c.Path, a.Status, served, a.Body)
			}
		}
	}
	if tried == 0 {
		return "", fmt.Errorf("no gateway answers")
	}
	return wrong, nil
}
