package assets

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
)

// PriceIndex is a series of prices, such as Statistics Canada's building construction price indexes. By it, costs of different years are
// brought to the prices of one year. A cost is brought by the index of its service category, else by the default one, else not at all.
type PriceIndex struct {
	resource.Record
	Name              string   `json:"name" required:"true" maxLength:"200" unique:"true" filter:"equals" sort:"true" search:"name" doc:"What people call the index." example:"Construction non résidentielle, Québec"`
	Code              *string  `json:"code" maxLength:"50" unique:"true" auto:"IDX-%02d" filter:"equals" sort:"true" search:"code" doc:"Short code; numbered when left out." example:"IDX-01"`
	Source            *string  `json:"source" maxLength:"500" search:"text" doc:"Where the values come from." example:"Statistics Canada, building construction price indexes, table 18-10-0289-01"`
	ServiceCategories []string `json:"service_categories" enum:"roads,bridges_culverts,water,wastewater,stormwater,facilities,parks_recreation,fleet,solid_waste,transit,fire,library,education,housing,natural_assets,other" maxItems:"16" uniqueItems:"true" filter:"contains" doc:"The service categories whose costs it brings to the prices of another year, each in one index only (409)." example:"[\"facilities\",\"education\"]"`
	IsDefault         bool     `json:"is_default" default:"false" filter:"equals" sort:"true" doc:"Whether it counts for every service category that no index names. One index only (409)." example:"true"`
}

// PriceIndexValue is what an index was in a year.
type PriceIndexValue struct {
	resource.Record
	PriceIndexID string  `json:"price_index_id" readOnly:"true" references:"price_indexes" doc:"The index." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Year         int     `json:"year" required:"true" minimum:"1900" maximum:"2200" unique:"price_index_id" filter:"range" sort:"true" doc:"The year; once in an index. Where a year has no value, that of the year before it counts; after the last value the last." example:"2026"`
	Value        float64 `json:"value" required:"true" minimum:"0.0001" maximum:"99999999.9999" filter:"range" sort:"true" doc:"The index in that year, above 0, with at most 4 decimals." example:"168.4"`
}

var priceIndexes = resource.Definition[PriceIndex]{
	Collection: "price_indexes", Table: "price_index", NaturalKey: "code",
	BeforeWrite: rejectSharedCategories,
}

var priceIndexValues = resource.Definition[PriceIndexValue]{
	Collection: "price_index_values", Table: "price_index_value", Parent: "price_index_id", Label: "year",
	BeforeWrite: func(_ context.Context, _ pgx.Tx, changes []*resource.Change[PriceIndexValue]) error {
		for _, c := range changes {
			if c.After == nil {
				continue
			}
			if _, decimals, _ := strings.Cut(strconv.FormatFloat(c.After.Value, 'f', -1, 64), "."); len(decimals) > 4 {
				c.FieldError("value", "must have at most 4 decimals")
			}
		}
		return nil
	},
}

// rejectSharedCategories rejects a second default index, and a service category in a second index: a cost would have two prices. One
// transaction at a time changes an organization's indexes, because two that each take the same category would not see each other.
func rejectSharedCategories(ctx context.Context, tx pgx.Tx, changes []*resource.Change[PriceIndex]) error {
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('price indexes ' || $1, 0))",
		principal.From(ctx).OrganizationID); err != nil {
		return err
	}
	held, err := heldByIndexes(ctx, tx)
	if err != nil {
		return err
	}
	for _, c := range changes {
		for claim, holder := range held {
			if holder == c.ID() {
				delete(held, claim)
			}
		}
		if c.After == nil {
			continue
		}
		claims := claimsOf(c.After.IsDefault, c.After.ServiceCategories)
		taken := slices.IndexFunc(claims, func(claim claim) bool { return held[claim] != "" })
		if taken >= 0 {
			conflict := claims[taken].conflict()
			conflict.ExistingID = held[claims[taken]]
			c.Reject(conflict)
			claims = nil // the record stays as it was
			if c.Before != nil {
				claims = claimsOf(c.Before.IsDefault, c.Before.ServiceCategories)
			}
		}
		for _, claim := range claims {
			held[claim] = c.ID()
		}
	}
	return nil
}

// claim is a service category that an index counts for; empty: all that no index names.
type claim string

func claimsOf(isDefault bool, categories []string) []claim {
	var claims []claim
	if isDefault {
		claims = append(claims, "")
	}
	for _, category := range categories {
		claims = append(claims, claim(category))
	}
	return claims
}

func (c claim) conflict() *fault.Error {
	if c == "" {
		return fault.Conflict("already_exists", "is_default", true,
			"There already is a default price index; set its is_default to false first.")
	}
	return fault.Conflict("already_exists", "service_categories", string(c),
		"There already is a price index for %s; take it out of that one's service_categories first.", fmt.Sprintf("%q", string(c)))
}

// heldByIndexes gives the index that holds each claim.
func heldByIndexes(ctx context.Context, tx pgx.Tx) (map[claim]string, error) {
	rows, err := tx.Query(ctx, `SELECT id::text, is_default, service_categories FROM price_index
		WHERE organization_id = current_organization()`)
	if err != nil {
		return nil, err
	}
	held := map[claim]string{}
	var id string
	var isDefault bool
	var categories []string
	_, err = pgx.ForEachRow(rows, []any{&id, &isDefault, &categories}, func() error {
		for _, claim := range claimsOf(isDefault, categories) {
			held[claim] = id
		}
		return nil
	})
	return held, err
}
