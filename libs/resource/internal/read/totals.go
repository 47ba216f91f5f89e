package read

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/transport"
)

// totalsTimeout is how long the database may take for totals: a little less than the operation.
const totalsTimeout = "25s"

// totals gives the number of the records that the query finds, on all pages, and their sums, as a JSON object. Sums are exact: they are written
// as the database has them.
func (t list) totals(ctx context.Context, q *query) (object []byte, err error) {
	expressions := []string{"count(*)::text"}
	for _, sum := range t.Totals.Sums {
		expressions = append(expressions, "coalesce(sum("+sum.SQL+"), 0)::text")
	}
	err = t.DB.Read(ctx, func(reading context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(reading, "SET LOCAL statement_timeout = '"+totalsTimeout+"'"); err != nil {
			return err
		}
		conditions, err := t.conditionsOfAll(ctx, reading, tx, q)
		if err != nil {
			return err
		}
		rows, err := table.ReadRows(reading, tx, "SELECT "+strings.Join(expressions, ", ")+" FROM "+t.Name+" t "+t.Totals.Join+" WHERE "+conditions.SQL(),
			conditions.Arguments(ctx)...)
		if err != nil {
			return err
		}
		object = append([]byte(`{"count":`), rows[0][0]...)
		for i, sum := range t.Totals.Sums {
			object = append(append(append(object, `,"`...), sum.Name...), `":`...)
			object = append(object, rows[0][i+1]...)
		}
		object = append(object, '}')
		return nil
	})
	return object, err
}

// totalsParameter describes totals, where there are any.
func totalsParameter(t *table.Table) []transport.Parameter {
	if t.Totals == nil {
		return nil
	}
	return []transport.Parameter{{Name: "totals", In: "query", Schema: map[string]any{"type": "boolean", "default": false}, Description: t.Totals.Doc}}
}
