// Package bookvalue shows beside records what the ledger has of the capital assets that stand for them: the accounting service keeps it,
// and the owners of the records ask for it when a caller does.
package bookvalue

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
)

// MaxShown is how many capital assets are shown with a record: those with the first numbers.
const MaxShown = 20

// LinkedCapitalAsset is what is shown of a capital asset that stands for a record.
type LinkedCapitalAsset struct {
	ID           string  `json:"id" format:"uuid" doc:"The capital asset." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Number       *string `json:"number" doc:"Its number in the ledger; null where somebody has cleared it." example:"TCA-000001"`
	Cost         float64 `json:"cost" decimals:"2" doc:"Historical cost in service, of the whole capital asset, whatever else it stands for." example:"120000.00"`
	NetBookValue float64 `json:"net_book_value" decimals:"2" doc:"cost less accumulated amortization, of the whole capital asset." example:"74400.00"`
	BalancesAsOf *string `json:"balances_as_of" format:"date" doc:"The last day whose amortization is in net_book_value; null in the ledger's first year." example:"2026-12-31"`
}

// Query asks the accounting service about records of any collection.
type Query struct {
	IDs []string `json:"ids" required:"true" maxItems:"1000"`
}

// Response has the capital assets of each record that has any: by number, and at most MaxShown of them.
type Response struct {
	Data []OfRecord `json:"data"`
}

// OfRecord is the capital assets of a record.
type OfRecord struct {
	ID            string               `json:"id"`
	CapitalAssets []LinkedCapitalAsset `json:"capital_assets"`
}

// OfRecords are the capital assets of records.
var OfRecords = reference.Contract[Query, Response]{Owner: "accounting", Path: "/capital-assets/of-records", Repeatable: true}

// collection is what is shown.
const collection = "capital_assets"

// Expansions are those of a collection whose records capital assets stand for.
var Expansions = map[string]resource.Expansion{collection: {
	Collection: collection, Entry: reflect.TypeFor[LinkedCapitalAsset](),
	Doc: fmt.Sprintf("the first %d capital assets that stand for the record, by number. All of them: "+
		"/v1/accounting/capital-assets?linked_to=ID.", MaxShown),
	Find: func(ctx context.Context, references *reference.Client, ids []string) (map[string]string, error) {
		response, err := OfRecords.Call(ctx, references, Query{ids})
		if err != nil {
			return nil, err
		}
		found := make(map[string]string, len(response.Data))
		for _, of := range response.Data {
			shown, err := json.Marshal(of.CapitalAssets)
			if err != nil {
				return nil, err
			}
			found[of.ID] = string(shown)
		}
		return found, nil
	},
}}
