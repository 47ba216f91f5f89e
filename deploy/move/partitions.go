package move

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Partition is a partition by time of a table: of the month or day that begins on a date, in UTC.
type Partition struct {
	Schema string `json:"schema"`
	Table  string `json:"table"`
	Begins string `json:"begins"` // as 2026-11-01
}

// partitions are those that the tables of a cell have, but for the one of the rest.
func (p *place) partitions(ctx context.Context) (all []Partition, err error) {
	for _, schema := range p.schemas() {
		rows, err := p.work.Query(ctx, `SELECT $1, p.name, to_date(substr(c.relname, length(p.name) + 2), 'YYYY_MM_DD')::text
			FROM `+pgx.Identifier{schema, "partitioned_table"}.Sanitize()+` p
			JOIN pg_inherits h ON h.inhparent = to_regclass(quote_ident($1) || '.' || quote_ident(p.name))
			JOIN pg_class c ON c.oid = h.inhrelid WHERE c.relname <> p.name || '_rest' ORDER BY 2, 3`, schema)
		if err != nil {
			return nil, fmt.Errorf("read the partitions of %s: %w", schema, err)
		}
		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Partition])
		if err != nil {
			return nil, fmt.Errorf("read the partitions of %s: %w", schema, err)
		}
		all = append(all, found...)
	}
	return all, nil
}

// makePartitions makes those that a cell does not have: else all rows of earlier months would lie in the one of the rest.
func (p *place) makePartitions(ctx context.Context, partitions []Partition) error {
	for _, partition := range partitions {
		statement := fmt.Sprintf("SELECT %s.make_partition(%s, %s, 0)", pgx.Identifier{partition.Schema}.Sanitize(), literal(partition.Table),
			literal(partition.Begins+" 00:00:00Z"))
		if err := p.change(ctx, table{schema: partition.Schema, name: partition.Table}, []string{statement}); err != nil {
			return err
		}
	}
	return nil
}
