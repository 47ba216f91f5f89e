package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/test/resilience/consistency"
)

// settling is how long events may take to leave the outboxes once everything is back.
const settling = 2 * time.Minute

// verify holds everything that was ever acknowledged against what is there: read back through the API, in the history, and
// whole in the database. It gives what is wrong.
func (w *world) verify(ctx context.Context) (wrong []string, err error) {
	db, err := pgx.Connect(ctx, w.databaseURL)
	if err != nil {
		return nil, err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	if err := w.settle(ctx, db); err != nil {
		return nil, err
	}
	var kept consistency.Comparison
	for _, t := range w.tenants {
		committed, err := consistency.History(ctx, db, t.id, w.began)
		if err != nil {
			return nil, err
		}
		kept.Acknowledgements(t.said, committed)
		missing, err := w.readBack(ctx, t)
		if err != nil {
			return nil, err
		}
		wrong = append(wrong, missing...)
	}
	wrong = append(wrong, kept.Examples...)
	halves, err := halfWritten(ctx, db)
	return append(wrong, halves...), err
}

// settle waits until no event waits in an outbox.
func (w *world) settle(ctx context.Context, db *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	for {
		outboxes, _, err := consistency.Waiting(ctx, db)
		if err == nil && outboxes == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("after %s there are still %d events in the outboxes (%w)", settling, outboxes, ctx.Err())
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// readBack reads every collection of a tenant as a stream, and some records one by one: each that was acknowledged is there, in
// the version that was acknowledged or a later one.
func (w *world) readBack(ctx context.Context, t *tenant) (missing []string, err error) {
	there := map[string]int{}
	for _, c := range collections {
		a := w.balancer.do(ctx, call{method: http.MethodGet, path: c.path, key: t.key(), accept: "application/x-ndjson"})
		if a.err != nil || a.status != http.StatusOK {
			return nil, fmt.Errorf("reading %s back: %d %s %w", c.path, a.status, a.code(), a.err)
		}
		lines := bufio.NewScanner(bytes.NewReader(a.body))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var r acknowledged
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				return nil, fmt.Errorf("reading %s back: %w", c.path, err)
			}
			there[r.ID] = r.Version
		}
	}
	for _, r := range t.records {
		if there[r.id] < r.version {
			missing = append(missing, fmt.Sprintf("acknowledged, and not to be read: %s/%s version %d (there is version %d)", collections[r.collection].path, r.id, r.version, there[r.id]))
		}
	}
	for range min(10, len(t.records)) {
		r := t.records[rand.IntN(len(t.records))]
		a := w.balancer.do(ctx, t.get(r).call)
		if _, version, err := written(a.body); a.err != nil || err != nil || version < r.version {
			missing = append(missing, fmt.Sprintf("acknowledged, and not to be read by its id: %s/%s version %d: %d %.200s", collections[r.collection].path, r.id, r.version, a.status, a.body))
		}
	}
	return missing, nil
}
