package main

import (
	"context"
	"errors"
	"time"

	"github.com/sony/gobreaker"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"ams.internal/libs/telemetry"
)

// meters are the gateway's own figures. None has an organization or a key among its attributes: there are too many of them.
type meters struct {
	decisions, attempts metric.Int64Counter
	lookups             metric.Float64Histogram
	callers             metric.Int64Histogram

	ofDecision *telemetry.Attributes[decision]
	ofAttempt  *telemetry.Attributes[attempt]
	ofLookup   *telemetry.Attributes[bool]
}

// decision is what the limit decided, about a key or about the address of a caller without one.
type decision struct{ decision, identity string }

// attempt is one try to hand a request to an instance.
type attempt struct{ service, region, outcome string }

func newMeters() *meters {
	meter, m := otel.Meter("ams.internal/gateway"), &meters{}
	var failures [4]error // only malformed names and bucket lists, which stand here
	m.decisions, failures[0] = meter.Int64Counter("ams.gateway.limit.decisions", metric.WithUnit("{request}"),
		metric.WithDescription("Requests that were held against the limit, by what was decided and by whom the limit is for."))
	m.attempts, failures[1] = meter.Int64Counter("ams.gateway.forward.attempts", metric.WithUnit("{attempt}"),
		metric.WithDescription("Tries to hand a request to an instance of a service."))
	m.lookups, failures[2] = meter.Float64Histogram("ams.gateway.key.lookup.duration", metric.WithUnit("s"),
		metric.WithDescription("How long the statements took that look keys up."),
		metric.WithExplicitBucketBoundaries(.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2))
	m.callers, failures[3] = meter.Int64Histogram("ams.gateway.key.lookup.callers", metric.WithUnit("{request}"),
		metric.WithDescription("Requests whose keys were looked up by one statement."),
		metric.WithExplicitBucketBoundaries(1, 2, 5, 10, 20, 50, 100, 200))
	if err := errors.Join(failures[:]...); err != nil {
		panic(err)
	}
	m.ofDecision = telemetry.NewAttributes(func(d decision) []attribute.KeyValue {
		return []attribute.KeyValue{attribute.String("decision", d.decision), attribute.String("identity", d.identity)}
	})
	m.ofAttempt = telemetry.NewAttributes(func(a attempt) []attribute.KeyValue {
		return []attribute.KeyValue{attribute.String("service", a.service), attribute.String("region", a.region), attribute.String("outcome", a.outcome)}
	})
	m.ofLookup = telemetry.NewAttributes(func(ok bool) []attribute.KeyValue {
		if ok {
			return []attribute.KeyValue{attribute.String("outcome", "ok")}
		}
		return []attribute.KeyValue{attribute.String("outcome", "failed")}
	})
	return m
}

// decided counts what the limit decided about a request.
func (m *meters) decided(ctx context.Context, c *call, what string) {
	d := decision{what, "address"}
	if c.key != nil {
		d.identity = "key"
	}
	m.decisions.Add(ctx, 1, m.ofDecision.Add(d)...)
}

// lookedUp notes a statement that looked up the keys of some callers.
func (m *meters) lookedUp(ctx context.Context, took time.Duration, times []int, err error) {
	callers := 0
	for _, n := range times {
		callers += n
	}
	m.lookups.Record(ctx, took.Seconds(), m.ofLookup.Record(err == nil)...)
	m.callers.Record(ctx, int64(callers))
}

// attempted counts a try. One that ended because of the caller says nothing about the instance.
func (m *meters) attempted(ctx context.Context, service, region string, err error) {
	if err != nil && !instanceFailed(err) {
		return
	}
	m.attempts.Add(ctx, 1, m.ofAttempt.Add(attempt{service, region, outcomeOf(err)})...)
}

func outcomeOf(err error) string {
	switch {
	case err == nil:
		return "answered"
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		return "breaker_open"
	case neverReached(err):
		return "unreachable"
	}
	return "broken"
}
