package main

import "context"

// collectorDown: spans and metrics are dropped.
func collectorDown() scenario {
	return scenario{
		name:     "the collector, nobody at its address",
		promise:  "nothing fails",
		inject:   func(_ context.Context, r *run) error { r.collector.cut(); return nil },
		restore:  func(_ context.Context, r *run) error { return r.collector.mend() },
		evaluate: func(r *run) { r.noneFailed(r.samples, "") },
	}
}

func collectorHanging() scenario {
	return scenario{
		name:    "the collector, hanging",
		promise: "nothing fails; throughput as with it",
		inject:  func(_ context.Context, r *run) error { return r.collector.stall() },
		restore: func(ctx context.Context, r *run) error {
			r.collector.clear(ctx)
			return nil
		},
		evaluate: func(r *run) { r.noneFailed(r.samples, "") },
		after: func(ctx context.Context, r *run) error {
			return r.compareThroughput(ctx, r.balancer, "with a hanging collector", r.collector.stall,
				func() error { r.collector.clear(ctx); return nil })
		},
	}
}
