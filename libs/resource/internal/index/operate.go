package index

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/internal/table"
)

// operateFolds is after how long Operate begins no further fold.
const operateFolds = 5 * time.Second

// Operate does what those who run the platform ask for, and says how the index is then. Only our own services may ask. A collection
// that nothing is kept of is a 404 with the code not_indexed.
func Operate(ctx context.Context, set *table.Set, in reference.IndexQuery) (reference.IndexState, error) {
	if principal.From(ctx).Actor.Type != "service" {
		return reference.IndexState{}, fault.Forbidden("services_only", "Only the product's own services may ask for this.")
	}
	t, state := set.Tables[in.Collection], reference.IndexState{Collection: in.Collection}
	if t == nil || len(t.Searched) == 0 && len(Fields(t)) == 0 {
		return state, fault.New(fault.KindNotFound, "not_indexed",
			"collection: no index is kept of %s, because no field of it is searched or counted.", in.Collection)
	}
	err := operate(ctx, t, in.Action)
	if problem := (*Problem)(nil); errors.As(err, &problem) {
		state.Problem, err = problem.sentence, nil
	}
	if err != nil {
		return state, err
	}
	return state, t.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT (SELECT count(*) FROM `+t.Name+` WHERE organization_id = $1),
			(SELECT coalesce(sum(cardinality(positions)), 0) FROM facet_pending WHERE organization_id = $1 AND collection = $2)`,
			principal.From(ctx).OrganizationID, t.Row.Name).Scan(&state.Records, &state.Pending)
	})
}

func operate(ctx context.Context, t *table.Table, action string) error {
	switch action {
	case "verify":
		return Verify(ctx, t)
	case "rebuild":
		return Rebuild(ctx, t)
	}
	for begin := time.Now(); time.Since(begin) < operateFolds; {
		if folded, err := Fold(ctx, t); err != nil || folded == 0 {
			return err
		}
	}
	return nil
}
