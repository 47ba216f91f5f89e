package main

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/test/resilience/consistency"
	"ams.internal/deploy/test/resilience/load"
)

// verify compares everything that was ever acknowledged with what is there: read back through the API, in the history, and whole in
// the database. It gives what is wrong.
func (f *fixture) verify(ctx context.Context) (wrong []string, err error) {
	for _, each := range f.databases() {
		if err := each.connected(ctx, func(db *pgx.Conn) error {
			found, err := f.verifyIn(ctx, db, each.cell)
			wrong = append(wrong, found...)
			return err
		}); err != nil {
			return nil, err
		}
	}
	for _, o := range f.organizations {
		missing, err := o.ReadBack(ctx, f.balancer)
		if err != nil {
			return nil, err
		}
		wrong = append(wrong, missing...)
	}
	return wrong, nil
}

// verifyIn is verify for what stands in the database of a cell.
func (f *fixture) verifyIn(ctx context.Context, db *pgx.Conn, cell string) (wrong []string, err error) {
	if err := consistency.AwaitPublished(ctx, db); err != nil {
		return nil, err
	}
	var here []*load.Organization
	for _, o := range f.organizations {
		if o.Cell == cell {
			here = append(here, o)
		}
	}
	found, err := consistency.Verifier{DB: db, Since: f.began}.Acknowledgements(ctx, load.Subjects(here))
	if err != nil {
		return nil, err
	}
	partial, err := consistency.PartialWrites(ctx, db)
	if err != nil {
		return nil, err
	}
	totals, err := consistency.WrongTotals(ctx, db, load.Subjects(here))
	return slices.Concat(found.Examples, partial, totals), err
}
