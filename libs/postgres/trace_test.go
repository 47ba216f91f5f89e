package postgres_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel"
	v1 "go.opentelemetry.io/proto/otlp/trace/v1"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/telemetry"
	"ams.internal/libs/telemetry/telemetrytest"
)

// A statement's span has its text and, of an error, the SQLSTATE, but none of its arguments.
func TestASpanHasTheStatementAndNeverAValue(t *testing.T) {
	for name, ratio := range map[string]float64{"sampled": 1, "not sampled": 0} {
		t.Run(name, func(t *testing.T) {
			collector := telemetrytest.Start(t)
			finish := observe(t, collector, ratio)
			db := openTraced(t)
			ctx, span := otel.Tracer("test").Start(t.Context(), "request")
			ctx = principal.Into(ctx, principal.Principal{OrganizationID: "0197d2f0-0000-7000-8000-000000000001"})
			err := db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
				var text string
				return tx.QueryRow(ctx, "SELECT $1::text", "private words").Scan(&text)
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, statement := range []string{"SELECT $1::regclass", "SELECT $1::text::uuid"} { // unknown to the database; no value of the type
				if err := db.Batch(ctx, func(batch *pgx.Batch) { batch.Queue(statement, "private_words") }); err == nil {
					t.Errorf("%s succeeded", statement)
				}
			}
			span.End()
			finish()

			failed, good := 0, 0
			for _, span := range collector.Spans() {
				text := telemetrytest.Value(span.GetAttributes(), "db.query.text")
				switch {
				case span.GetStatus().GetCode() == v1.Status_STATUS_CODE_ERROR:
					failed++
					if state := telemetrytest.Value(span.GetAttributes(), "db.response.status_code"); state != postgres.UndefinedTable {
						t.Errorf("state %s: %v", state, span)
					}
					if name == "not sampled" && text != "SELECT $1::regclass" {
						t.Errorf("the text of what failed is %q", text)
					}
				case text == "SELECT $1::text":
					good++
				}
			}
			if want := map[string][2]int{"sampled": {2, 1}, "not sampled": {1, 0}}[name]; failed != want[0] || good != want[1] {
				t.Errorf("%d failed and %d succeeded: %v", failed, good, collector.Spans())
			}
			if strings.Contains(collector.Raw(), "private") {
				t.Error("a value reached the collector")
			}
		})
	}
}

// A database that is down has a failed span below the request.
func TestADatabaseThatIsDownIsRecorded(t *testing.T) {
	collector := telemetrytest.Start(t)
	finish := observe(t, collector, 0)
	db, err := postgres.Open(t.Context(), "postgres://somebody:password@127.0.0.1:1/ams")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx, span := otel.Tracer("test").Start(t.Context(), "request")
	if err := db.Ping(ctx); err == nil {
		t.Error("there was a response")
	}
	if err := db.Ping(t.Context()); err == nil { // belongs to no request: readiness pings every second
		t.Error("there was a response")
	}
	span.End()
	finish()
	names := map[string]int{}
	for _, each := range collector.Spans() {
		names[each.GetName()]++
		if telemetrytest.ID(each.GetTraceId()) != span.SpanContext().TraceID().String() {
			t.Errorf("it is of another trace: %v", each)
		}
	}
	if names["acquire a connection"] != 1 || names["connect"] == 0 {
		t.Errorf("spans: %v", names)
	}
	if strings.Contains(collector.Raw(), "password") {
		t.Error("the password reached the collector")
	}
}

func TestThePoolAndItsStatementsAreCounted(t *testing.T) {
	collector := telemetrytest.Start(t)
	finish := observe(t, collector, 0)
	db := openTraced(t)
	if err := db.ExportPoolMetrics("assets"); err != nil {
		t.Fatal(err)
	}
	if err := db.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Pool().Exec(t.Context(), "SELECT 1"); err != nil {
		t.Fatal(err)
	}
	finish()
	found := map[string]telemetrytest.Point{}
	for _, point := range collector.Points() {
		found[point.Name+" "+point.Attributes["db.operation.name"]] = point
	}
	pool := found["pgxpool.max_connections "]
	if pool.Attributes["service"] != "assets" || pool.Value == 0 || found["pgxpool.acquires "].Value == 0 ||
		found["db.client.operation.duration query"].Count == 0 ||
		found["db.client.operation.duration connect"].Count == 0 {
		t.Errorf("metrics: %v", found)
	}
}

func openTraced(t *testing.T) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), postgrestest.New(t, "assets", nil).URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

func observe(t *testing.T, collector *telemetrytest.Collector, ratio float64) (finish func()) {
	t.Helper()
	shutdown, err := telemetry.Start(t.Context(),
		telemetry.Config{Service: "assets", Region: "ca-central-1", Endpoint: collector.URL, Ratio: ratio})
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		limited, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := shutdown(limited); err != nil {
			t.Errorf("shutdown: %v", err)
		}
	}
}
