package edge

import (
	"context"
	"errors"

	"github.com/sony/gobreaker"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"ams.internal/libs/telemetry"
)

// metrics are those of the public listener. None has an organization or a key among its attributes: there are too many of them.
type metrics struct {
	decisions, attempts metric.Int64Counter

	ofDecision *telemetry.Attributes[decision]
	ofAttempt  *telemetry.Attributes[attempt]
}

// decision is what the limits decided, and whose limit it was: of a key, of its organization, or of the address of a caller without
// a key.
type decision struct{ decision, identity string }

// attempt is one try to send a request to an instance.
type attempt struct{ service, region, outcome string }

func newMetrics() *metrics {
	meter, m := otel.Meter("ams.internal/gateway"), &metrics{}
	var failures [2]error // only malformed names, which stand here
	m.decisions, failures[0] = meter.Int64Counter("ams.gateway.limit.decisions", metric.WithUnit("{request}"),
		metric.WithDescription("Requests that were held against the limit, by what was decided and by whom the limit is for."))
	m.attempts, failures[1] = meter.Int64Counter("ams.gateway.forward.attempts", metric.WithUnit("{attempt}"),
		metric.WithDescription("Tries to hand a request to an instance of a service."))
	if err := errors.Join(failures[:]...); err != nil {
		panic(err)
	}
	m.ofDecision = telemetry.NewAttributes(func(d decision) []attribute.KeyValue {
		return []attribute.KeyValue{attribute.String("decision", d.decision), attribute.String("identity", d.identity)}
	})
	m.ofAttempt = telemetry.NewAttributes(func(a attempt) []attribute.KeyValue {
		return []attribute.KeyValue{
			attribute.String("service", a.service), attribute.String("region", a.region), attribute.String("outcome", a.outcome),
		}
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
