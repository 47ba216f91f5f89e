package effects

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// countInterval is the time between two counts of the backlog by the leader.
const countInterval = 5 * time.Second

const meterName = "ams.internal/libs/effects"

// processed counts the answers that owners give.
var processed = func() metric.Int64Counter {
	counter, err := otel.Meter(meterName).Int64Counter("ams.effects.answered", metric.WithUnit("{effect}"),
		metric.WithDescription("Instructions of effects that this service answered as the owner of what they change."))
	if err != nil { // only a malformed name
		panic(err)
	}
	return counter
}()

func recordResult(ctx context.Context, in Instruction, result Result) {
	processed.Add(ctx, 1, metric.WithAttributes(attribute.String("kind", in.Kind), attribute.String("outcome", string(result.Outcome))))
}

// backlog is the number and the age of the instructions that wait, as of at.
type backlog struct {
	instructions int64
	lag          float64 // age of the oldest, in seconds
	at           time.Time
}

// countBacklog reads the backlog, for the metrics.
func (s *Sender) countBacklog(ctx context.Context) {
	now := &backlog{at: time.Now()}
	if err := s.db.Poll(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT waiting, lag FROM effects_waiting()").Scan(&now.instructions, &now.lag)
	}); err != nil {
		return // the next count is soon
	}
	s.backlog.Store(now)
}

// registerMetrics reports the backlog that the leader counted, as ams_effects_lag_seconds and ams_effects_waiting, until unregister is
// called.
func (s *Sender) registerMetrics() (unregister func()) {
	meter := otel.Meter(meterName)
	lag, err := meter.Float64ObservableGauge("ams.effects.lag", metric.WithUnit("s"),
		metric.WithDescription("How long the first instruction that waits for its owner has waited."))
	if err != nil { // only a malformed name
		panic(err)
	}
	waiting, err := meter.Int64ObservableGauge("ams.effects.waiting", metric.WithUnit("{effect}"),
		metric.WithDescription("Instructions of effects that wait for their owners."))
	if err != nil {
		panic(err)
	}
	attributes := metric.WithAttributes(attribute.String("service", s.service), attribute.String("cell", s.cell))
	registration, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		now := s.backlog.Load()
		if now == nil || now.at.IsZero() {
			return nil
		}
		o.ObserveInt64(waiting, now.instructions, attributes)
		age := 0.0
		if now.instructions > 0 {
			age = now.lag + time.Since(now.at).Seconds()
		}
		o.ObserveFloat64(lag, age, attributes)
		return nil
	}, lag, waiting)
	if err != nil {
		panic(err)
	}
	return func() { _ = registration.Unregister() } // fails only where the meter provider has ended
}
