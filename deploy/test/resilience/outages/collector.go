package main

import "context"

// collectorAway: spans and figures are dropped.
func collectorAway() row {
	return row{
		name:    "the collector, nobody at its address",
		promise: "nothing fails",
		take:    func(_ context.Context, r *run) error { r.collector.cut(); return nil },
		back:    func(_ context.Context, r *run) error { return r.collector.mend() },
		judge:   func(r *run) { r.noneFailed(r.samples, "") },
	}
}

func collectorHanging() row {
	return row{
		name:    "the collector, hanging",
		promise: "nothing fails; throughput as with it",
		take:    func(_ context.Context, r *run) error { return r.collector.stall() },
		back: func(ctx context.Context, r *run) error {
			r.collector.clear(ctx)
			return nil
		},
		judge: func(r *run) { r.noneFailed(r.samples, "") },
		then: func(ctx context.Context, r *run) error {
			return r.compareThroughput(ctx, r.balancer, "with a hanging collector", r.collector.stall, func() error { r.collector.clear(ctx); return nil })
		},
	}
}
