package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	ams "ams.internal/clients/go"
)

// workUntil closes one deficiency after the other, four at a time, until working ends; each request until it succeeds. It gives how many.
func (o *exactlyOnce) workUntil(ctx, working context.Context) (int, error) {
	var next atomic.Int64
	var all sync.WaitGroup
	failures := make([]error, 4)
	for i := range failures {
		all.Go(func() {
			for working.Err() == nil && failures[i] == nil {
				failures[i] = o.closeOne(ctx, next.Add(1))
			}
		})
	}
	all.Wait()
	return int(next.Load()), errors.Join(failures...)
}

// closeOne makes a deficiency, and a work order that closes it, which is begun and completed.
func (o *exactlyOnce) closeOne(ctx context.Context, n int64) error {
	client := o.organization.Client()
	var deficiency struct{ ID string }
	put := func(path string, body ams.Record, out any) error {
		return client.Request(ctx, ams.Request{Method: http.MethodPut, Path: fmt.Sprintf("%s/by-external-id/kill-%d", path, n), Body: body}, out)
	}
	if err := put("/v1/deficiencies", ams.Record{"title": "Fissure", "site_id": o.site, "estimated_cost": 100}, &deficiency); err != nil {
		return fmt.Errorf("make deficiency %d: %w", n, err)
	}
	effects := []any{ams.Record{"kind": "close_deficiency", "payload": ams.Record{"deficiency_id": deficiency.ID}}}
	for _, body := range []ams.Record{{"title": "Réparer la fissure", "effects": effects}, {"status": "in_progress"},
		{"status": "completed", "effects": effects}} {
		if err := put("/v1/work-orders", body, nil); err != nil {
			return fmt.Errorf("work order %d, %v: %w", n, body["status"], err)
		}
	}
	return nil
}

// compareEffects looks whether each effect of the completed work has happened once, and nothing else has.
func (o *exactlyOnce) compareEffects(ctx context.Context, db *pgx.Conn, found *onceReport) error {
	for _, each := range []struct {
		what, sql string
		want      int
	}{
		{"effects that are applied", "SELECT count(*) FROM workorders.work_order_effect WHERE state = 'applied'", found.Completed},
		{"effects", "SELECT count(*) FROM workorders.work_order_effect", found.Completed},
		{"work orders", "SELECT count(*) FROM workorders.work_order WHERE status = 'completed'", found.Completed},
		{"results that owners store", "SELECT count(*) FROM assets.applied_effect WHERE stage = 'completed' AND result ->> 'outcome' = 'applied'",
			found.Completed},
		{"corrections in the history", `SELECT count(*) FROM assets.history WHERE collection = 'deficiencies'
			AND changes -> 'status' ->> 'new' = 'corrected'`, found.Completed},
		{"deficiencies corrected once, by the work that closed them", `SELECT count(*) FROM assets.deficiency d JOIN workorders.work_order w
			ON w.id = d.work_order_id AND w.status = 'completed' WHERE d.status = 'corrected'`, found.Completed},
		{"deficiencies corrected", "SELECT count(*) FROM assets.deficiency WHERE status = 'corrected'", found.Completed},
	} {
		var got int
		if err := db.QueryRow(ctx, each.sql).Scan(&got); err != nil {
			return err
		}
		found.count(each.what, got, each.want)
	}
	rows, err := db.Query(ctx, `SELECT concat_ws(' ', e.state, e.message, w.number, w.status, a.stage, a.result::text,
		e.payload ->> 'deficiency_id', d.status)
		FROM workorders.work_order_effect e JOIN workorders.work_order w ON w.id = e.work_order_id
		LEFT JOIN assets.applied_effect a ON a.effect_id = e.id LEFT JOIN assets.deficiency d ON d.id = (e.payload ->> 'deficiency_id')::uuid
		WHERE e.state <> 'applied' LIMIT 10`)
	if err != nil {
		return err
	}
	strays, err := pgx.CollectRows(rows, pgx.RowTo[string])
	found.Wrong = append(found.Wrong, strays...)
	return err
}
