package stored

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/effects"
)

// What a cause has cost is divided among the staged effects that it completes: each correction of a deficiency costs its part, and together
// they cost no more than the work. Whose part is larger nobody here knows, so the parts are equal, in whole cents; those that are left over
// go to the first effects, as in the allocation of a work order's cost to targets of equal shares. An effect keeps the part that it was
// told, also while it is refused; one that is completed later has its part of what the others have left.

// divideCosts tells staged effects that are completed their parts of the costs of their causes. Where the cost is not known, or nothing of
// it is left, they are told none.
func (f *follower[E]) divideCosts(ctx context.Context, tx pgx.Tx) error {
	at := map[string]int{} // by effect: its instruction
	var ids []string
	for i, in := range f.instructions {
		if in.Stage == effects.Completed && staged(in.Kind) {
			at[in.ID], ids = i, append(ids, in.ID)
		}
	}
	if ids == nil {
		return nil
	}
	parts := "UPDATE " + f.Table + ` e SET cost = (p.cents / p.parts + CASE WHEN p.place <= p.cents % p.parts THEN 1 ELSE 0 END) / 100.0
		FROM (SELECT n.id, count(*) OVER (PARTITION BY n.cause) AS parts, row_number() OVER (PARTITION BY n.cause ORDER BY n.position) AS place,
				(100 * (n.cost - coalesce((SELECT sum(o.cost) FROM ` + f.Table + " o WHERE o.organization_id = current_organization() AND o." +
		f.Parent + ` = n.cause AND o.state <> 'withdrawn'), 0)))::bigint AS cents
			FROM (SELECT e.id, e.position, e.` + f.Parent + " AS cause, (" + f.Cost + ")::numeric AS cost FROM " + f.Table + " e JOIN " +
		f.CauseTable + " c ON c.organization_id = e.organization_id AND c.id = e." + f.Parent + `
				WHERE e.organization_id = current_organization() AND e.id = ANY($1::uuid[]) AND e.cost IS NULL) n) p
		WHERE e.organization_id = current_organization() AND e.id = p.id AND p.cents > 0`
	if _, err := tx.Exec(ctx, parts, ids); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, "SELECT e.id::text, e.cost::text FROM "+f.Table+
		" e WHERE e.organization_id = current_organization() AND e.id = ANY($1::uuid[]) AND e.cost IS NOT NULL", ids)
	if err != nil {
		return err
	}
	var id, cost string
	_, err = pgx.ForEachRow(rows, []any{&id, &cost}, func() error { f.instructions[at[id]].Cause.Cost = cost; return nil })
	return err
}

// forgetPart takes the part of an effect away.
func (k *Of[E]) forgetPart(ctx context.Context, tx pgx.Tx, id string) error {
	_, err := tx.Exec(ctx, "UPDATE "+k.Table+" SET cost = NULL WHERE organization_id = current_organization() AND id = $1::uuid", id)
	return err
}
