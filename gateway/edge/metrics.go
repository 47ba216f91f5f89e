package edge

import (
	"context"
	"errors"

	"github.com/sony/gobreaker/v2"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"ams.internal/libs/discovery"
	"ams.internal/libs/telemetry"
)

// metrics are those of the public listener. None has an organization or a key among its attributes: there are too many of them.
type metrics struct {
	decisions, attempts, repeats metric.Int64Counter

	ofDecision *telemetry.Attributes[decision]
	ofAttempt  *telemetry.Attributes[outcome]
	ofRepeat   *telemetry.Attributes[repeat]
}

// decision is what the limits decided, and whose limit it was: of a key, of its organization, or of the address of a caller without
// a key.
type decision struct{ decision, identity string }

// outcome is how one try to send a request to an instance ended.
type outcome struct{ service, region, outcome string }

// repeat is a request that was sent to one more instance although one may have it, and why.
type repeat struct{ service, reason string }

func newMetrics() *metrics {
	meter, m := otel.Meter("ams.internal/gateway"), &metrics{}
	var failures [3]error // only malformed names, which stand here
	m.decisions, failures[0] = meter.Int64Counter("ams.gateway.limit.decisions", metric.WithUnit("{request}"),
		metric.WithDescription("Requests that were held against the limit, by what was decided and by whom the limit is for."))
	m.attempts, failures[1] = meter.Int64Counter("ams.gateway.forward.attempts", metric.WithUnit("{attempt}"),
		metric.WithDescription("Tries to hand a request to an instance of a service."))
	m.repeats, failures[2] = meter.Int64Counter("ams.gateway.forward.repeats", metric.WithUnit("{request}"),
		metric.WithDescription("Reads that were sent to one more instance although one has them, and why."))
	if err := errors.Join(failures[:]...); err != nil {
		panic(err)
	}
	m.repeats.Add(context.Background(), 0) // so that none is reported as none
	m.ofDecision = telemetry.NewAttributes(func(d decision) []attribute.KeyValue {
		return []attribute.KeyValue{attribute.String("decision", d.decision), attribute.String("identity", d.identity)}
	})
	m.ofAttempt = telemetry.NewAttributes(func(a outcome) []attribute.KeyValue {
		return []attribute.KeyValue{
			attribute.String("service", a.service), attribute.String("region", a.region), attribute.String("outcome", a.outcome),
		}
	})
	m.ofRepeat = telemetry.NewAttributes(func(r repeat) []attribute.KeyValue {
		return []attribute.KeyValue{attribute.String("service", r.service), attribute.String("reason", r.reason)}
	})
	return m
}

// decided counts what the limits decided about a request.
func (m *metrics) decided(ctx context.Context, made decision) {
	m.decisions.Add(ctx, 1, m.ofDecision.Add(made)...)
}

// attempted counts an attempt. One that ended because of the caller says nothing about the instance.
func (m *metrics) attempted(ctx context.Context, service, region string, err error) {
	if err != nil && !instanceFailed(err) {
		return
	}
	m.attempts.Add(ctx, 1, m.ofAttempt.Add(outcome{service, region, outcomeOf(err)})...)
}

// overtaken counts an attempt that was ended because another one was answered first.
func (m *metrics) overtaken(ctx context.Context, service, region string) {
	m.attempts.Add(ctx, 1, m.ofAttempt.Add(outcome{service, region, "overtaken"})...)
}

// repeated counts a read that is sent to one more instance.
func (m *metrics) repeated(ctx context.Context, service, reason string) {
	m.repeats.Add(ctx, 1, m.ofRepeat.Add(repeat{service, reason})...)
}

func outcomeOf(err error) string {
	switch {
	case err == nil:
		return "answered"
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		return "breaker_open"
	case errors.Is(err, discovery.ErrHung):
		return "hung"
	case neverReached(err):
		return "unreachable"
	}
	return "broken"
}
