package main

import (
	"context"
	"syscall"

	"ams.internal/deploy/test/resilience/load"
)

// instanceKilled: the other instance goes on; what was in flight on the dead one is refused once.
func instanceKilled() scenario {
	return scenario{
		name:    "one of two instances, kill -9",
		promise: "at most 0.5 % fail, all 503; no acknowledged write is lost",
		inject:  func(_ context.Context, r *run) error { return r.stack.Halt(syscall.SIGKILL, "assets-1") },
		restore: func(ctx context.Context, r *run) error { return r.stack.Resume(ctx, "assets-1") },
		evaluate: func(r *run) {
			r.only503(r.samples)
			r.fewFailed(r.samples)
			r.noneFailed(r.samples.NotOf("assets"), "of other services")
		},
	}
}

// gatewayKilled: callers lose the connections that they had with it, and the other one serves.
func gatewayKilled() scenario {
	return scenario{
		name:    "one of two gateways, kill -9",
		promise: "its connections break, at most 0.5 %; the other one serves",
		inject:  func(_ context.Context, r *run) error { return r.stack.Halt(syscall.SIGKILL, "gateway-2") },
		restore: func(ctx context.Context, r *run) error { return r.stack.Resume(ctx, "gateway-2") },
		evaluate: func(r *run) {
			r.fewFailed(r.samples)
			r.noneFailed(r.samples.Where(func(s load.Sample) bool { return s.Gateway == 0 }), "at the other gateway")
			refused := r.samples.Failures().Where(func(s load.Sample) bool { return s.Status != 0 })
			r.promise(len(refused) == 0, "%d requests were refused: %s; the first: %s", len(refused), refused.Count(), refused.Example())
		},
	}
}
