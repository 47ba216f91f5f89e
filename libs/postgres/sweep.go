package postgres

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"ams.internal/libs/principal"
)

const (
	// sweepRows is how many rows a batch has: some are responses of a megabyte.
	sweepRows = 500
	// sweepRest is the least time between two batches. A batch is followed by as much time as it took.
	sweepRest = 5 * time.Millisecond
)

var swept = func() metric.Int64Counter {
	counter, err := otel.Meter(scope).Int64Counter("ams.rows.swept", metric.WithUnit("{row}"),
		metric.WithDescription("Rows that were removed because their time was over."))
	if err != nil { // only a malformed name
		panic(err)
	}
	return counter
}()

// CountSwept adds to the rows that were removed from a table in the cell of ctx. A program begins with 0, so that its first sweep is an
// increase.
func CountSwept(ctx context.Context, service, table string, rows int64) {
	swept.Add(ctx, rows, metric.WithAttributes(attribute.String("service", service), attribute.String("table", table),
		attribute.String("cell", principal.From(ctx).CellName())))
}

// Sweep removes the rows of a table whose time is over, in the cell of ctx and of all organizations, by the schema's function
// sweep_<table>. Each batch is a transaction of its own: whoever is killed leaves the rest to the next one, and several may do it at once.
func (db *DB) Sweep(ctx context.Context, service, table string) error {
	for {
		begin := time.Now()
		var removed int64
		if err := db.Pool().QueryRow(ctx, "SELECT sweep_"+table+"($1)", sweepRows).Scan(&removed); err != nil {
			return fmt.Errorf("postgres: sweep %s: %w", table, err)
		}
		CountSwept(ctx, service, table, removed)
		if removed < sweepRows {
			return nil
		}
		select {
		case <-time.After(max(time.Since(begin), sweepRest)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
