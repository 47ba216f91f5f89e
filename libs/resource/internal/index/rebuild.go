package index

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/table"
)

// lockOf is what folds and rebuilds of an organization's collection lock: one of them is at work at a time.
const lockOf = "hashtextextended('facets ' || $1::text || $2::text, 0)"

// Rebuild forgets the facets and terms of the organization's collection, in one transaction, and makes all its records pending: from
// there on they are folded as after an import. It waits for a fold that is under way, for a minute at most.
func Rebuild(ctx context.Context, t *table.Table) error {
	return t.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error { return RebuildIn(ctx, tx, t) })
}

// RebuildIn is Rebuild in a transaction that has changed records.
func RebuildIn(ctx context.Context, tx pgx.Tx, t *table.Table) error {
	if _, err := tx.Exec(ctx, longStatement+"; SET LOCAL lock_timeout = '1min'"); err != nil {
		return err
	}
	organization := principal.From(ctx).OrganizationID
	// What is written meanwhile is pending by its own transaction. What the last statement sees of it is pending twice, which does no
	// harm. Each statement sees what was committed before it, so no row of facet_pending is deleted whose record the last one misses.
	for _, sql := range []string{
		"SELECT pg_advisory_xact_lock(" + lockOf + ")",
		"DELETE FROM term_block WHERE organization_id = $1 AND collection = $2",
		"DELETE FROM term_run WHERE organization_id = $1 AND collection = $2",
		"DELETE FROM facet WHERE organization_id = $1 AND collection = $2",
		"DELETE FROM facet_pending WHERE organization_id = $1 AND collection = $2",
		`INSERT INTO facet_pending (organization_id, collection, positions)
			SELECT $1, $2, array_agg(position) FROM ` + t.Name + ` WHERE organization_id = $1 GROUP BY position / 65536`,
	} {
		if _, err := tx.Exec(ctx, sql, organization, t.Row.Name); err != nil {
			return err
		}
	}
	return nil
}
