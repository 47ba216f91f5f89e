package los

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/resource"
)

// miss is a measurement that misses its target and is the latest one that counts for it.
type miss struct {
	ID        string  `db:"id"`
	MeasureID string  `db:"measure_id"`
	From      string  `db:"from"`  // first day of the years for which the target counts
	Until     *string `db:"until"` // first day of those of the next target; null where there is none
	// The latest other measurement that counts for the target, of those that this call has not written.
	PeriodEnd   *string `db:"period_end"`
	PeriodStart *string `db:"period_start"`
	Attainment  *string `db:"attainment"`
}

// missingSQL finds, among measurements ($1) of which all of $2 were written together, those by which their targets are missed.
var missingSQL = `
	SELECT t.id::text, t.measure_id::text, make_date(g.year, 1, 1)::text AS "from", make_date(g.next, 1, 1)::text AS until,
		o.period_end::text, o.period_start::text, ` +
	indicators.Attainment("e.direction", "o.value", "g.target_value", "e.tolerance_pct") + ` AS attainment
	FROM measurement t
	JOIN measure e ON e.organization_id = t.organization_id AND e.id = t.measure_id
	JOIN LATERAL (
		SELECT c.year, c.target_value, (SELECT min(n.year) FROM target n WHERE n.organization_id = t.organization_id
			AND n.measure_id = t.measure_id AND n.kind = 'current' AND n.year > c.year) AS next
		FROM target c WHERE c.organization_id = t.organization_id AND c.measure_id = t.measure_id
			AND c.kind = 'current' AND c.year <= extract(year FROM t.period_end)::integer ORDER BY c.year DESC LIMIT 1) g ON true
	LEFT JOIN LATERAL (
		SELECT m.* FROM measurement m WHERE m.organization_id = t.organization_id AND m.measure_id = t.measure_id AND m.id <> ALL($2::uuid[])
			AND m.period_end >= make_date(g.year, 1, 1) AND (g.next IS NULL OR m.period_end < make_date(g.next, 1, 1))` + order +
	` LIMIT 1) o ON true
	WHERE t.organization_id = current_organization() AND t.id = ANY($1::uuid[]) AND NOT EXISTS (
		SELECT FROM measurement l WHERE l.organization_id = t.organization_id AND l.measure_id = t.measure_id
			AND (l.period_end, l.period_start) > (t.period_end, t.period_start) AND (g.next IS NULL OR l.period_end < make_date(g.next, 1, 1)))
	ORDER BY t.position`

// newlyMissed gives the measurements by which a target is missed that was not missed before. Only the latest measurement of a target
// counts. While the target stays missed, further measurements have no event.
func newlyMissed(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Measurement]) ([]*resource.Change[Measurement], error) {
	byID, ids, misses, measures := map[string]*resource.Change[Measurement]{}, []string{}, []string{}, []string{}
	for _, c := range changes {
		byID[c.ID()], ids = c, append(ids, c.ID())
		if c.After != nil && c.After.Attainment == "missed" {
			misses, measures = append(misses, c.ID()), append(measures, c.After.MeasureID)
		}
	}
	if len(misses) == 0 {
		return nil, nil
	}
	// Another transaction that misses one of these targets at the same time waits here, and then finds it missed.
	if _, err := tx.Exec(ctx, `SELECT FROM target WHERE organization_id = current_organization() AND measure_id = ANY($1::uuid[])
		AND kind = 'current' ORDER BY id FOR NO KEY UPDATE`, measures); err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, missingSQL, misses, ids)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[miss])
	var newly []*resource.Change[Measurement]
	for i := range found {
		if found[i].before(changes) != "missed" {
			newly = append(newly, byID[found[i].ID])
		}
	}
	return newly, err
}

// before is the attainment of the target before the call. It is that of the latest measurement then, which the call may have changed.
func (m *miss) before(changes []*resource.Change[Measurement]) string {
	latest, attainment := "", ""
	if m.PeriodEnd != nil {
		latest, attainment = *m.PeriodEnd+*m.PeriodStart, *m.Attainment
	}
	for _, c := range changes {
		before := c.Before
		if before == nil || before.MeasureID != m.MeasureID || before.PeriodEnd < m.From || m.Until != nil && before.PeriodEnd >= *m.Until {
			continue
		}
		if when := before.PeriodEnd + before.PeriodStart; when > latest {
			latest, attainment = when, before.Attainment
		}
	}
	return attainment
}
