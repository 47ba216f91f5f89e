package planning

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
)

// column gives a column of type text of some records, by id. Names are ours.
func column(ctx context.Context, tx pgx.Tx, table, name string, ids []string) (map[string]string, error) {
	return texts(ctx, tx,
		"SELECT id::text, "+name+"::text FROM "+table+" WHERE organization_id = current_organization() AND id = ANY($1::uuid[])", ids)
}

// texts gives what a statement selects, by its first column; $1 is ids. Without ids it is not asked.
func texts(ctx context.Context, tx pgx.Tx, sql string, ids []string) (map[string]string, error) {
	found := map[string]string{}
	if len(ids) == 0 {
		return found, nil
	}
	rows, err := tx.Query(ctx, sql, ids)
	if err != nil {
		return nil, err
	}
	var id, value string
	_, err = pgx.ForEachRow(rows, []any{&id, &value}, func() error {
		found[id] = value
		return nil
	})
	return found, err
}

// at names a member of an entry of a list: at("points", 2, "condition") is points[2].condition.
func at(list string, entry int, member string) string {
	return fmt.Sprintf("%s[%d].%s", list, entry, member)
}

// entry names an entry of a list: entry("treatment_ids", 1) is treatment_ids[1].
func entry(list string, n int) string { return fmt.Sprintf("%s[%d]", list, n) }

// currencyOf is the organization's.
func currencyOf(ctx context.Context) string { return principal.From(ctx).Currency }

func joined(words []string) string { return strings.Join(words, ", ") }

// rounded is to two decimals.
func rounded(value float64) float64 { return math.Round(value*100) / 100 }
