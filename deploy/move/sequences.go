package move

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// headroom is how far past the source's the sequences of the target are set before the pause, so that most need nothing in it; and
// what others may take from one while it is set.
const headroom = 10_000

// sequences gives the last values of those that move, by their quoted names.
func (p *place) sequences(ctx context.Context) (map[string]int64, error) {
	rows, err := p.work.Query(ctx, `SELECT format('%I.%I', schemaname, sequencename), coalesce(last_value, 0) FROM pg_sequences
		WHERE schemaname = ANY ($1) AND sequencename NOT LIKE 'migration%' AND sequencename NOT IN ('worker_number', 'moved_row_number_seq')`,
		p.schemas())
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

// raiseSequences brings the sequences of the target past those of the source: positions, times and numbers go on to grow for each
// organization. Others take from them meanwhile. Those of positions and times are set under the lock that they are taken under; the rest is
// counted up, or set far ahead.
func (m *Move) raiseSequences(ctx context.Context) error {
	source, err := m.source.sequences(ctx)
	if err != nil {
		return err
	}
	return m.target.raiseSequences(ctx, source)
}

func (p *place) raiseSequences(ctx context.Context, source map[string]int64) error {
	target, err := p.sequences(ctx)
	if err != nil {
		return err
	}
	raising := &pgx.Batch{} // one transaction
	for name, wanted := range source {
		value, exists := target[name]
		if wanted == 0 || exists && value >= wanted {
			continue
		}
		schema, sequence, _ := strings.Cut(name, ".")
		schema, sequence = strings.Trim(schema, `"`), strings.Trim(sequence, `"`)
		collection, isTime := strings.CutPrefix(sequence, "time_of_")
		collection, isPosition := strings.CutPrefix(collection, "position_of_")
		switch {
		case isTime || isPosition: // as reserve_positions does
			if !exists {
				raising.Queue("SELECT pg_advisory_xact_lock(hashtextextended($1 || ' sequences', 0))", schema)
				raising.Queue("CREATE SEQUENCE IF NOT EXISTS " + name)
			}
			if isPosition {
				wanted += headroom
			}
			raising.Queue("SELECT pg_advisory_xact_lock(hashtextextended($1 || '.' || $2, 0))", schema, collection)
			raising.Queue("SELECT setval($1::text::regclass, greatest($2, coalesce(pg_sequence_last_value($1::text::regclass), 0)))", name, wanted)
		case wanted-value < headroom:
			raising.Queue("SELECT count(nextval($1::text::regclass)) FROM generate_series(1, $2::bigint)", name, wanted-value)
		default:
			raising.Queue("SELECT setval($1::text::regclass, $2)", name, wanted+headroom)
		}
	}
	if raising.Len() == 0 {
		return nil
	}
	if err := p.work.SendBatch(ctx, raising).Close(); err != nil {
		return fmt.Errorf("raise the sequences of the cell %s: %w", p.name, err)
	}
	return nil
}
