package main

import (
	"context"
	"syscall"
)

// instanceKilled: the other instance goes on; what was in flight on the dead one is refused once.
func instanceKilled() row {
	return row{
		name:    "one of two instances, kill -9",
		promise: "at most 0.5 % fail, all 503; no acknowledged write is lost",
		take:    func(_ context.Context, r *run) error { return r.stack.Halt(syscall.SIGKILL, "assets-1") },
		back:    func(ctx context.Context, r *run) error { return r.stack.Resume(ctx, "assets-1") },
		judge: func(r *run) {
			r.only503(r.samples)
			r.few(r.samples)
			r.noneFailed(r.samples.notOf("assets"), "of other services")
		},
	}
}

// gatewayKilled: callers lose the connections that they had with it, and the other one serves.
func gatewayKilled() row {
	return row{
		name:    "one of two gateways, kill -9",
		promise: "its connections break, at most 0.5 %; the other one serves",
		take:    func(_ context.Context, r *run) error { return r.stack.Halt(syscall.SIGKILL, "gateway-2") },
		back:    func(ctx context.Context, r *run) error { return r.stack.Resume(ctx, "gateway-2") },
		judge: func(r *run) {
			r.few(r.samples)
			r.noneFailed(r.samples.where(func(s sample) bool { return s.gateway == 0 }), "at the other gateway")
			refused := r.samples.failures().where(func(s sample) bool { return s.status != 0 })
			r.promise(len(refused) == 0, "%d requests were refused: %s; the first: %s", len(refused), refused.count(), refused.example())
		},
	}
}
