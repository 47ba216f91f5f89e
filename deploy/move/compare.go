package move

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
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

// raiseSequences brings the sequences of the target past those of the source: positions, times and numbers go on to grow for each
// organization. Others take from them meanwhile; those of positions are set under the lock that they are taken under, all others counted up.
func (m *Move) raiseSequences(ctx context.Context) error {
	last := func(p *place) (map[string]int64, error) {
		rows, err := p.work.Query(ctx, `SELECT format('%I.%I', schemaname, sequencename), coalesce(last_value, 0) FROM pg_sequences
			WHERE schemaname = ANY ($1) AND sequencename NOT LIKE 'migration%' AND sequencename NOT IN ('worker_number', 'moved_row_number_seq')`, m.source.schemas())
		if err != nil {
			return nil, fmt.Errorf("read the sequences of the cell %s: %w", p.name, err)
		}
		found := map[string]int64{}
		var name string
		var value int64
		_, err = pgx.ForEachRow(rows, []any{&name, &value}, func() error {
			found[name] = value
			return nil
		})
		return found, err
	}
	source, err := last(m.source)
	if err != nil {
		return err
	}
	target, err := last(m.target)
	if err != nil {
		return err
	}
	for name, wanted := range source {
		value, there := target[name]
		if wanted == 0 || there && value >= wanted {
			continue
		}
		if err := m.raise(ctx, name, wanted, value, there); err != nil {
			return fmt.Errorf("raise the sequence %s in the cell %s: %w", name, m.target.name, err)
		}
	}
	return nil
}

// jump is from how far on a sequence is set, with as much again for those who count meanwhile, rather than counted.
const jump = 10_000

func (m *Move) raise(ctx context.Context, name string, wanted, value int64, there bool) error {
	schema, sequence, _ := strings.Cut(name, ".")
	schema, sequence = strings.Trim(schema, `"`), strings.Trim(sequence, `"`)
	collection, isPosition := strings.CutPrefix(sequence, "position_of_")
	if !isPosition {
		collection, isPosition = strings.CutPrefix(sequence, "time_of_")
	}
	if isPosition { // as reserve_positions does
		return pgx.BeginFunc(ctx, m.target.work, func(tx pgx.Tx) error {
			if !there {
				if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended($1 || ' sequences', 0))", schema); err != nil {
					return err
				}
				if _, err := tx.Exec(ctx, "CREATE SEQUENCE IF NOT EXISTS "+name); err != nil {
					return err
				}
			}
			if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended($1 || '.' || $2, 0))", schema, collection); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "SELECT setval($1::text::regclass, greatest($2, coalesce(pg_sequence_last_value($1::text::regclass), 0)))", name, wanted)
			return err
		})
	}
	if wanted-value < jump {
		_, err := m.target.work.Exec(ctx, "SELECT count(nextval($1::text::regclass)) FROM generate_series(1, $2::bigint)", name, wanted-value)
		return err
	}
	_, err := m.target.work.Exec(ctx, "SELECT setval($1::text::regclass, $2)", name, wanted+jump)
	return err
}
