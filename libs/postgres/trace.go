package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"ams.internal/libs/telemetry"
)

const scope = "ams.internal/libs/postgres"

// tracer gives a statement a span below its request, where that is sampled or the statement fails, and measures all statements
// (db.client.operation.duration). A span has the statement's text, whose values are arguments, and of an error its SQLSTATE
// alone: the arguments, and the server's messages, which repeat them, are data of an organization.
type tracer struct {
	duration   metric.Float64Histogram
	attributes *telemetry.Attributes[operationSeries]
}

type operationSeries struct{ kind, failure string }

// operation is a running statement or batch. Its context carries it.
type operation struct {
	step   telemetry.Step
	begin  time.Time
	kind   string // query, batch, copy, connect
	text   string // of a batch that fails: the statement that failed
	size   int    // of a batch
	rows   int64
	last   time.Time // of a batch: the end of its last statement
	failed bool
}

type operationKey struct{}

func newTracer() *tracer {
	duration, err := otel.Meter(scope).Float64Histogram("db.client.operation.duration", metric.WithUnit("s"),
		metric.WithDescription("How long statements and batches took, from being sent to their last row; and connecting."),
		metric.WithExplicitBucketBoundaries(.0005, .001, .005, .01, .05, .1, .5, 1, 5, 10))
	if err != nil { // only a malformed name or bucket list, which stand above
		panic(err)
	}
	return &tracer{duration, telemetry.NewAttributes(func(s operationSeries) []attribute.KeyValue {
		all := []attribute.KeyValue{system, attribute.String("db.operation.name", s.kind)}
		if s.failure != "" {
			all = append(all, attribute.String("error.type", s.failure))
		}
		return all
	})}
}

var system = attribute.String("db.system.name", "postgresql")

// ExportPoolMetrics reports the metrics of a service's pools, by cell. It is called once, where metrics are exported.
func (db *DB) ExportPoolMetrics(service string) error {
	for _, each := range db.cells {
		attributes := otelpgx.WithStatsAttributes(attribute.String("service", service), attribute.String("cell", each.name))
		if err := otelpgx.RecordStats(each.pool, attributes); err != nil {
			return err
		}
	}
	return nil
}

func (t *tracer) begin(ctx context.Context, kind, name, text string, size int) context.Context {
	if !telemetry.Exporting() {
		return ctx
	}
	o := &operation{begin: time.Now(), kind: kind, text: text, size: size}
	o.last = o.begin
	if trace.SpanContextFromContext(ctx).IsValid() { // else it belongs to no request, such as the poll of a worker
		ctx, o.step = telemetry.StartStep(ctx, name, trace.SpanKindClient)
	}
	return context.WithValue(ctx, operationKey{}, o)
}

func (t *tracer) end(ctx context.Context, rows int64, err error) {
	o, found := ctx.Value(operationKey{}).(*operation)
	if !found {
		return
	}
	reason := failure(err)
	t.duration.Record(ctx, time.Since(o.begin).Seconds(), t.attributes.Record(operationSeries{o.kind, reason})...)
	o.rows += rows
	o.step.End(reason, func() []attribute.KeyValue { return o.attributes(err) })
}

func (o *operation) attributes(err error) []attribute.KeyValue {
	all := []attribute.KeyValue{system}
	if o.text != "" {
		all = append(all, attribute.String("db.query.text", o.text))
	}
	if o.size > 0 {
		all = append(all, attribute.Int("db.operation.batch.size", o.size))
	}
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		return append(all, attribute.String("db.response.status_code", pgErr.Code))
	}
	return append(all, attribute.Int64("db.response.returned_rows", o.rows))
}

// failure names the reason why a statement failed. It is empty for a success, for a statement that was cancelled by its caller,
// and for values that the database rejects: those are the caller's mistake.
func failure(err error) string {
	if err == nil { // before the variables below are allocated
		return ""
	}
	var pgErr *pgconn.PgError
	var connecting *pgconn.ConnectError
	switch {
	case errors.Is(err, pgx.ErrNoRows), errors.Is(err, context.Canceled):
		return ""
	case errors.As(err, &pgErr):
		if class := classOf(pgErr.Code); class == classData || class == classIntegrity {
			return ""
		}
		return pgErr.Code
	case errors.Is(err, context.DeadlineExceeded), pgconn.Timeout(err):
		return "timeout"
	case errors.As(err, &connecting):
		return "no connection"
	}
	return "connection lost"
}

// firstWord is the first word of a statement: "SELECT".
func firstWord(statement string) string {
	statement = strings.TrimLeft(statement, " \t\n")
	if end := strings.IndexAny(statement, " \t\n;("); end > 0 {
		return statement[:end]
	}
	return statement
}

// TraceQueryStart implements pgx.QueryTracer.
func (t *tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return t.begin(ctx, "query", firstWord(data.SQL), data.SQL, 0)
}

// TraceQueryEnd implements pgx.QueryTracer.
func (t *tracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	t.end(ctx, data.CommandTag.RowsAffected(), data.Err)
}

// TraceBatchStart implements pgx.BatchTracer.
func (t *tracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	return t.begin(ctx, "batch", "batch", "", data.Batch.Len())
}

// TraceBatchQuery implements pgx.BatchTracer. It is called for each statement after its result has been read. The span of a
// statement begins at the end of the one before.
func (t *tracer) TraceBatchQuery(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	o, found := ctx.Value(operationKey{}).(*operation)
	if !found {
		return
	}
	o.rows += data.CommandTag.RowsAffected()
	reason := failure(data.Err)
	if reason != "" && !o.failed { // later statements fail because of this one
		o.failed, o.text = true, data.SQL
	}
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		one := operation{text: data.SQL, rows: data.CommandTag.RowsAffected()}
		_, part := otel.Tracer(scope).Start(ctx, firstWord(data.SQL), trace.WithSpanKind(trace.SpanKindClient),
			trace.WithTimestamp(o.last), trace.WithAttributes(one.attributes(data.Err)...))
		if o.last = time.Now(); reason != "" {
			part.SetStatus(codes.Error, reason)
		}
		part.End(trace.WithTimestamp(o.last))
	}
}

// TraceBatchEnd implements pgx.BatchTracer.
func (t *tracer) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchEndData) {
	t.end(ctx, 0, data.Err)
}

// TraceCopyFromStart implements pgx.CopyFromTracer.
func (t *tracer) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceCopyFromStartData) context.Context {
	return t.begin(ctx, "copy", "COPY", "COPY "+data.TableName.Sanitize(), 0)
}

// TraceCopyFromEnd implements pgx.CopyFromTracer.
func (t *tracer) TraceCopyFromEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceCopyFromEndData) {
	t.end(ctx, data.CommandTag.RowsAffected(), data.Err)
}

// TraceConnectStart implements pgx.ConnectTracer.
func (t *tracer) TraceConnectStart(ctx context.Context, _ pgx.TraceConnectStartData) context.Context {
	return t.begin(ctx, "connect", "connect", "", 0)
}

// TraceConnectEnd implements pgx.ConnectTracer.
func (t *tracer) TraceConnectEnd(ctx context.Context, data pgx.TraceConnectEndData) {
	t.end(ctx, 0, data.Err)
}

// recordAcquireFailure records that the pool had no free connection in time.
func recordAcquireFailure(ctx context.Context, begin time.Time, err error) {
	if reason := failure(err); reason != "" && trace.SpanContextFromContext(ctx).IsValid() {
		telemetry.RecordFailure(ctx, telemetry.Failure{Name: "acquire a connection", Kind: trace.SpanKindInternal, Begin: begin, Reason: reason,
			Attributes: []attribute.KeyValue{system}})
	}
}
