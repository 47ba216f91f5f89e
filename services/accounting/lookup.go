package accounting

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
)

// isLive is the condition that a transaction x is neither reversed nor a reversal.
const isLive = `x.reverses IS NULL AND NOT EXISTS (SELECT FROM transaction r
	WHERE r.organization_id = x.organization_id AND r.reverses = x.id)`

// idsOf gives the ids that a statement selects; $1 is ids. Without ids it is not asked.
func idsOf(ctx context.Context, tx pgx.Tx, sql string, ids []string) (map[string]bool, error) {
	found := map[string]bool{}
	if len(ids) == 0 {
		return found, nil
	}
	rows, err := tx.Query(ctx, sql, ids)
	if err != nil {
		return nil, err
	}
	var id string
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		found[id] = true
		return nil
	})
	return found, err
}

// classesByID reads what transactions follow from of classes.
func classesByID(ctx context.Context, tx pgx.Tx, ids []string) (map[string]*CapitalAssetClass, error) {
	found := map[string]*CapitalAssetClass{}
	if len(ids) == 0 {
		return found, nil
	}
	rows, err := tx.Query(ctx, selectClasses+" = ANY($1)", ids)
	if err != nil {
		return nil, err
	}
	return found, scanClasses(rows, found)
}

// selectClasses is followed by a condition for the id.
const selectClasses = `SELECT id::text, name, method, useful_life_years, useful_life_months, convention, capitalization_threshold::float8,
	pooled, remove_when_amortized
	FROM class WHERE organization_id = current_organization() AND id`

func scanClasses(rows pgx.Rows, found map[string]*CapitalAssetClass) error {
	var k CapitalAssetClass
	_, err := pgx.ForEachRow(rows, []any{&k.ID, &k.Name, &k.Method, &k.UsefulLifeYears, &k.UsefulLifeMonths, &k.Convention,
		&k.CapitalizationThreshold, &k.Pooled, &k.RemoveWhenAmortized}, func() error {
		read := k
		found[k.ID] = &read
		k = CapitalAssetClass{}
		return nil
	})
	return err
}

// currencyOf is the organization's.
func currencyOf(ctx context.Context) string { return principal.From(ctx).Currency }

// asJSON is a list as the argument of json_to_recordset.
func asJSON(rows any) string {
	text, err := json.Marshal(rows)
	if err != nil {
		panic(err) // they are structs of ours
	}
	if string(text) == "null" {
		return "[]"
	}
	return string(text)
}
