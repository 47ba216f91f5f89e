package main

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"ams.internal/deploy/test/resilience/load"
)

// searchDown: whoever searches is told at once, and nothing else needs it.
func searchDown() scenario {
	instances := []string{"search-1", "search-2"}
	return scenario{
		name:    "all instances of search",
		promise: "503 within 1 s for searches, nothing else fails; MCP says so; back without a restart of others",
		inject:  func(_ context.Context, r *run) error { return r.stack.Halt(syscall.SIGKILL, instances...) },
		during: func(ctx context.Context, r *run) error {
			for gateway := range r.balancer.Gateways {
				begin := time.Now()
				a := r.search(ctx, gateway)
				if a.Err != nil {
					return a.Err
				}
				r.promise(a.Status == http.StatusServiceUnavailable, "a search is answered %d: %.300s", a.Status, a.Body)
				r.bound(time.Since(begin) < time.Second, "a 503 took %s; it may take 1 s", time.Since(begin))
			}
			text, err := r.tool(ctx, "find", map[string]any{"text": "pump"})
			if err != nil {
				return err
			}
			const words = "The service that this tool needs cannot be reached right now"
			r.promise(strings.Contains(text, words), "the assistant was told %.300q, and not %q", text, words)
			return nil
		},
		restore:  func(ctx context.Context, r *run) error { return r.stack.Resume(ctx, instances...) },
		evaluate: func(r *run) { r.noneFailed(r.samples, "while nobody searches") },
		after: func(ctx context.Context, r *run) error {
			for gateway := range r.balancer.Gateways {
				if a := r.search(ctx, gateway); a.Err != nil {
					return a.Err
				} else if a.Status != http.StatusOK {
					return unexpected("/v1/search", a.Status, string(a.Body))
				}
			}
			return nil
		},
	}
}

// search looks for something at a gateway.
func (r *run) search(ctx context.Context, gateway int) load.Response {
	query := url.Values{"q": {"pump"}}
	return r.balancer.At(ctx, gateway, load.Call{Method: http.MethodGet, Path: "/v1/search?" + query.Encode(), Key: r.organizations[0].Key()})
}
