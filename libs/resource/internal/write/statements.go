package write

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/resource/internal/table"
)

// document is the JSON array of the records that a statement writes, and the columns that have a value in any of
// them. What is null is left out: it would cost Postgres as much as a value. A record that takes a number has its place among those that
// take one.
func (c *Resource) document(changes []*change.Change, numbers []numbering) ([]byte, []*table.Column, error) {
	used := make([]bool, len(c.Columns))
	dst := make([]byte, 0, 512*len(changes))
	dst = append(dst, '[')
	for n, it := range changes {
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, `{"id":"`...), it.ID...), '"')
		record := change.Record(it.After)
		for i, column := range c.Columns {
			if !column.Stored || it.Numbered[column.Name] { // a row that is tried again had a number
				continue
			}
			value := column.Get(record)
			if value == nil {
				continue
			}
			used[i] = true
			dst = append(append(append(dst, `,"`...), column.Column...), `":`...)
			var err error
			if dst, err = appendJSON(dst, value); err != nil {
				return nil, nil, err
			}
		}
		for i := range numbers {
			if place := numbers[i].place(it); place > 0 {
				dst = append(append(append(dst, `,"`...), numbers[i].field.Column...), `_place":`...)
				dst = strconv.AppendInt(dst, int64(place), 10)
			}
		}
		dst = append(dst, '}')
	}
	var columns []*table.Column
	for i, column := range c.Columns {
		if used[i] {
			columns = append(columns, column)
		}
	}
	return append(dst, ']'), columns, nil
}

func idsOf(changes []*change.Change) []string {
	ids := make([]string, len(changes))
	for i, it := range changes {
		ids[i] = it.ID
	}
	return ids
}

func appendJSON(dst []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case string:
		return jsontext.AppendQuote(dst, v)
	case bool:
		return strconv.AppendBool(dst, v), nil
	case int:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case float64:
		return strconv.AppendFloat(dst, v, 'g', -1, 64), nil
	}
	encoded, err := json.Marshal(value)
	return append(dst, encoded...), err
}

// replace writes the records anew. They are named by an array too, here and wherever rows of a document meet a table: a plan that is kept
// takes a document for a hundred rows and an organization for one of average size, and would rather read all records of the organization
// than a hundred by their ids, however many those of a large one are.
func (c *Resource) replace(ctx context.Context, tx pgx.Tx, changes []*change.Change) error {
	records, _, err := c.document(changes, nil)
	if err != nil {
		return err
	}
	p := principal.From(ctx)
	actor, err := json.Marshal(p.Actor)
	if err != nil {
		return err
	}
	sql := `WITH input AS (SELECT row_number() OVER () AS place, r.* FROM json_populate_recordset(NULL::` + c.Name + `, $3::json) r),
		written AS (UPDATE ` + c.Name + ` AS t SET version = t.version + 1, updated_at = statement_timestamp(), updated_by = $2::jsonb,
			(` + c.StoredNames("") + `) = ROW(` + c.StoredNames("r.") + `)
			FROM input r WHERE t.organization_id = $1 AND t.id = r.id AND t.id = ANY($4::uuid[]) RETURNING r.place, t.*)
		SELECT ` + table.Selection(c.Columns) + ` FROM written t ORDER BY t.place`
	return c.run(ctx, tx, changes, sql, p.OrganizationID, actor, records, idsOf(changes))
}

func (c *Resource) erase(ctx context.Context, tx pgx.Tx, changes []*change.Change) error {
	sql := `DELETE FROM ` + c.Name + ` WHERE organization_id = $1 AND id = ANY($2::uuid[])`
	args := []any{principal.From(ctx).OrganizationID, idsOf(changes)}
	if c.Parent == "" {
		sql = `WITH gone AS (` + sql + ` RETURNING position)
			INSERT INTO ledger (organization_id, collection, block, live)
			SELECT $1, $3, position / ` + strconv.Itoa(table.BlockSize) + `, -count(*) FROM gone GROUP BY 3`
		args = append(args, c.Row.Name)
	}
	_, err := tx.Exec(ctx, sql, args...)
	return err
}

// run keeps the rows that a statement gives back, in the order of the changes.
func (c *Resource) run(ctx context.Context, tx pgx.Tx, changes []*change.Change, sql string, args ...any) error {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		if n < len(changes) {
			changes[n].Written = table.Copy(rows.RawValues())
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if n != len(changes) {
		return fmt.Errorf("%s: %d records written, %d expected", c.Row.Name, n, len(changes))
	}
	return nil
}
