package infrastructure

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/work"
)

// Lengths that a program of an earlier release computed were measured on a sphere. They are measured anew in the background, organization
// by organization. What is still to be measured is found by an index of what differs from measured_length_m, so whoever is killed has
// lost nothing, and what a program of the earlier release writes meanwhile is found as well.

// remeasureBatch is how many segments one transaction measures.
const remeasureBatch = 1000

// remeasureAll measures what is to be measured, again and again, because a program of the earlier release may run beside this one.
func (f family) remeasureAll(organizations organizations) work.Sweep {
	return work.Sweep{Name: "lengths", DB: f.registry.DB, Log: f.registry.Log, Organizations: organizations,
		Start: 10 * time.Second, Interval: 10 * time.Minute,
		Do: func(ctx context.Context) (err error) {
			for measured := remeasureBatch; measured > 0 && err == nil; {
				measured, err = f.remeasure(ctx)
			}
			return err
		}}
}

// toMeasure is the condition of the index segment_to_measure.
const toMeasure = "t.length_computed AND t.length_m IS DISTINCT FROM t.measured_length_m"

// remeasure measures up to remeasureBatch segments of the caller's organization, and gives how many. Segments that somebody is writing are
// left to the next call. A cost that would be more than can be stored stays.
func (f family) remeasure(ctx context.Context) (measured int, err error) {
	err = f.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT t.id::text, t.geometry::text, t.replacement_cost_computed, t.replacement_unit_cost_per_m::float8,
			t.replacement_cost::float8 FROM segment t WHERE t.organization_id = current_organization() AND `+toMeasure+`
			ORDER BY t.id LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED`, remeasureBatch)
		if err != nil {
			return err
		}
		var ids []string
		var lengths, costs []*float64
		var id string
		var text *string
		var computed bool
		var perMetre, cost *float64
		if _, err := pgx.ForEachRow(rows, []any{&id, &text, &computed, &perMetre, &cost}, func() error {
			var geometry *Geometry
			if text != nil {
				if err := json.Unmarshal([]byte(*text), &geometry); err != nil {
					return err
				}
			}
			length, now := geometry.length(), cost
			if computed && length != nil && perMetre != nil {
				if c := costOf(*length, *perMetre); c <= maxMoney {
					now = &c
				}
			}
			ids, lengths, costs = append(ids, id), append(lengths, length), append(costs, now)
			return nil
		}); err != nil {
			return err
		}
		measured = len(ids)
		return f.registry.UpdateWhere(ctx, tx, "segments", []string{"length_m", "measured_length_m", "replacement_cost"}, `
			SELECT m.id, m.length AS length_m, m.length AS measured_length_m, m.cost::numeric(15, 2) AS replacement_cost
			FROM unnest($2::uuid[], $3::float8[], $4::float8[]) m (id, length, cost) WHERE $1::uuid IS NOT NULL`, ids, lengths, costs)
	})
	return measured, err
}
