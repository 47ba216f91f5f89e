package outbox_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/testwait"
)

// The relay reads the events of all organizations by three functions; its role sees only the rows of the transaction's organization.
func TestOnlyTheRelaysFunctionsSeeEveryOrganization(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "library", nil)
	db, mine, other := database.Open(t), caller(t), caller(t)
	add(t, mine, db, 2)
	add(t, other, db, 3)
	var seen, without, taken int
	if err := db.Read(mine, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT count(*), (SELECT count(*) FROM outbox_take(100, 1000000)) FROM outbox").Scan(&seen, &taken)
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM outbox").Scan(&without); err != nil {
		t.Fatal(err)
	}
	if seen != 2 || without != 0 || taken != 5 {
		t.Errorf("the role sees %d events of its transaction's organization and %d without one; the relay takes %d", seen, without, taken)
	}
	if err := db.Write(mine, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM outbox")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if n := waits(t, database); n != 3 {
		t.Errorf("%d events of the other organization are left", n)
	}
	for _, function := range []string{"outbox_take(integer, bigint)", "outbox_done(uuid[], uuid[])", "outbox_waiting()"} {
		if n := query(t, database, `SELECT count(*) FROM pg_proc p, aclexplode(p.proacl) a
			WHERE p.oid = $1::text::regprocedure AND a.privilege_type = 'EXECUTE' AND a.grantee NOT IN (p.proowner, 'ams_library'::regrole)`,
			function); n != 0 {
			t.Errorf("%s may be called by others", function)
		}
	}
}

// During a rollout, processes of the former version still write events, without the column that was added.
func TestTheFormerVersionCanStillWrite(t *testing.T) {
	t.Parallel()
	database, in, ctx := postgrestest.New(t, "library", nil), newInbox(t), caller(t)
	if err := database.Open(t).Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO outbox (organization_id, id, type, collection, record_id, version, payload, created_at)
			VALUES ($1, $2, 'book.created', 'books', $3, 1, '{"data":{"object":{},"changed":[],"previous":{}}}', clock_timestamp())`,
			principal.From(ctx).OrganizationID, uuid.NewString(), uuid.NewString())
		return err
	}); err != nil {
		t.Fatal(err)
	}
	in.relay(database)
	testwait.For(t, time.Minute, "the event", func() bool { return len(in.all()) == 1 })
	if got := in.all()[0].Traceparent; got != "" {
		t.Errorf("traceparent: %q", got)
	}
}

func TestAnEventCarriesTheTraceOfItsChange(t *testing.T) {
	t.Parallel()
	database, in, ctx := postgrestest.New(t, "library", nil), newInbox(t), caller(t)
	db := database.Open(t)
	in.relay(database)
	for name, sampler := range map[string]trace.Sampler{"00": trace.NeverSample(), "01": trace.AlwaysSample()} {
		ctx, span := trace.NewTracerProvider(trace.WithSampler(sampler)).Tracer("test").Start(ctx, "a request")
		before := len(in.all())
		add(t, ctx, db, 1)
		span.End()
		testwait.For(t, time.Minute, "the event", func() bool { return len(in.all()) > before })
		of := span.SpanContext()
		if got, want := in.all()[before].Traceparent, "00-"+of.TraceID().String()+"-"+of.SpanID().String()+"-"+name; got != want {
			t.Errorf("traceparent is %q, want %q", got, want)
		}
	}
}

func TestWhatWaitsCanBeSeen(t *testing.T) {
	reader := metric.NewManualReader()
	former := otel.GetMeterProvider()
	otel.SetMeterProvider(metric.NewMeterProvider(metric.WithReader(reader)))
	defer otel.SetMeterProvider(former)
	metrics := func() map[string]float64 {
		var all metricdata.ResourceMetrics
		if err := reader.Collect(t.Context(), &all); err != nil {
			t.Fatal(err)
		}
		found := map[string]float64{}
		for _, scope := range all.ScopeMetrics {
			for _, m := range scope.Metrics {
				switch data := m.Data.(type) {
				case metricdata.Gauge[int64]:
					found[m.Name] = float64(data.DataPoints[0].Value)
				case metricdata.Gauge[float64]:
					found[m.Name] = data.DataPoints[0].Value
				}
			}
		}
		return found
	}
	database, in, ctx := postgrestest.New(t, "library", nil), newInbox(t), caller(t)
	in.server.Close()
	add(t, ctx, database.Open(t), 3)
	in.relay(database)
	testwait.For(t, time.Minute, "the metrics", func() bool { return metrics()["ams.outbox.waiting"] == 3 && metrics()["ams.outbox.lag"] > 0 })
}
