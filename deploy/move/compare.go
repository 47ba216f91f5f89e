package move

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// errDiffers says that rows are not the same in both databases.
var errDiffers = errors.New("the copy differs from its original")

// sum is how many rows there are, and the sum of the hashes of their texts, which has no order.
type sum struct {
	rows int64
	hash string
}

// sum gives the query for a table's sum, generated columns among them.
func (t table) sum(condition, joined string) string {
	return fmt.Sprintf("SELECT count(*), coalesce(sum(hashtextextended(ROW(%s)::text, 0)), 0)::text FROM %s t%s WHERE %s",
		quote(t.all, "t."), t, joined, condition)
}

func (s sum) compare(target sum) error {
	if s != target {
		return fmt.Errorf("%w: %d rows with the checksum %s have become %d with %s", errDiffers, s.rows, s.hash, target.rows, target.hash)
	}
	return nil
}

// compareAll compares all rows of the organizations. The source's connection is in the snapshot that the target was brought up to.
func (m *Move) compareAll(ctx context.Context) error {
	condition := "t.organization_id IN (" + list(m.Organizations) + ")"
	m.result.Compared = 0
	for i, t := range m.source.tables {
		var source, target sum
		var both errgroup.Group
		both.Go(func() error {
			return m.source.work.QueryRow(ctx, t.sum(condition, "")).Scan(&source.rows, &source.hash)
		})
		both.Go(func() error {
			return m.target.work.QueryRow(ctx, m.target.tables[i].sum(condition, "")).Scan(&target.rows, &target.hash)
		})
		if err := both.Wait(); err != nil {
			return fmt.Errorf("compare %s: %w", t, err)
		}
		if err := source.compare(target); err != nil {
			return fmt.Errorf("compare %s: %w", t, err)
		}
		m.result.Compared += source.rows
		m.report("compare", t.String(), source.rows)
	}
	return nil
}
