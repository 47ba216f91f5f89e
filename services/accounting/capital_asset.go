package accounting

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
)

// CapitalAsset is something that the ledger keeps the historical cost of.
type CapitalAsset struct {
	resource.Record
	Name   string  `json:"name" required:"true" maxLength:"200" filter:"prefix" sort:"index" search:"name" doc:"What people call it." example:"Usine de filtration, agrandissement 2017"`
	Number *string `json:"number" maxLength:"50" unique:"true" auto:"TCA-%06d" filter:"equals" sort:"true" search:"code" doc:"Its number in the ledger; numbered when left out." example:"TCA-000001"`

	ClassID     string `json:"class_id" required:"true" references:"capital_asset_classes" filter:"equals" doc:"Its class. Once something was posted, only a transaction of the type transfer changes it." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Acquisition string `json:"acquisition" default:"purchased" enum:"purchased,constructed,contributed,leased,nominal" filter:"equals" sort:"true" doc:"How it was acquired." example:"purchased"`

	UsefulLifeYears  *int    `json:"useful_life_years" minimum:"0" maximum:"200" unit:"year" filter:"range" sort:"true" doc:"The life that it is amortized over: its class's when left out. Once something was posted, only a transaction of the type estimate changes it; the register's expected_useful_life_years is another field." example:"25"`
	UsefulLifeMonths int     `json:"useful_life_months" default:"0" minimum:"0" maximum:"11" unit:"month" doc:"Months of that life beyond useful_life_years." example:"0"`
	ResidualValue    float64 `json:"residual_value" default:"0" money:"true" filter:"range" doc:"What is not amortized. Once something was posted, only a transaction of the type estimate changes it." example:"0"`
	Quantity         *int    `json:"quantity" minimum:"0" maximum:"10000000" filter:"range" doc:"Of pools: how many there are. Disposals by quantity lower it." example:"100"`

	ServiceCategory *string `json:"service_category" enum:"roads,bridges_culverts,water,wastewater,stormwater,facilities,parks_recreation,fleet,solid_waste,transit,fire,library,education,housing,natural_assets,other" filter:"equals" sort:"true" doc:"The service that it is for." example:"water"`
	Department      *string `json:"department" maxLength:"200" filter:"equals" sort:"true" search:"text" doc:"Whose it is." example:"Travaux publics"`
	ProjectID       *string `json:"project_id" references:"projects" filter:"equals" doc:"The project that built it." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Notes           *string `json:"notes" maxLength:"5000" search:"text" doc:"Anything else."`

	State       string  `json:"state" readOnly:"true" enum:"draft,in_progress,in_service,disposed" filter:"equals" sort:"true" doc:"From its transactions: draft before the first, in_progress while it is built, in_service, disposed." example:"in_service"`
	InServiceOn *string `json:"in_service_on" readOnly:"true" format:"date" filter:"range" sort:"true" doc:"When it came into service, by its transactions." example:"2017-04-03"`

	Cost                    float64 `json:"cost" decimals:"2" readOnly:"true" filter:"range" sort:"true" doc:"Historical cost in service, with all that was posted." example:"120000.00"`
	AccumulatedAmortization float64 `json:"accumulated_amortization" decimals:"2" readOnly:"true" filter:"range" doc:"As of balances_as_of, less what was disposed of or transferred since." example:"45600.00"`
	NetBookValue            float64 `json:"net_book_value" decimals:"2" readOnly:"true" filter:"range" sort:"true" doc:"cost less accumulated_amortization." example:"74400.00"`
	WorkInProgress          float64 `json:"work_in_progress" decimals:"2" readOnly:"true" filter:"range" doc:"What was spent on it and is not in service yet." example:"0"`
	RemainingUnits          *int    `json:"remaining_units" readOnly:"true" doc:"Units of its life that are left as of balances_as_of, of its first cost." example:"31"`
	Unit                    *string `json:"unit" readOnly:"true" enum:"half_year,year,month,day" doc:"What remaining_units counts, by the convention of its class; null where it is not amortized." example:"half_year"`
	BalancesAsOf            *string `json:"balances_as_of" readOnly:"true" format:"date" doc:"The last day that amortization is in the balances of: the end of the last closed year, or of the year before the last one in which something was posted. Null in the ledger's first year. With as_of, that day." example:"2026-12-31"`
	GainLoss                float64 `json:"gain_loss" decimals:"2" readOnly:"true" doc:"Sum of its gains and losses by disposal. Those of an open year are provisional." example:"0"`
	Currency                string  `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`
}

func (a *accounting) capitalAssets() resource.Definition[CapitalAsset] {
	return resource.Definition[CapitalAsset]{
		Collection: "capital_assets", Table: "capital_asset", NaturalKey: "number", Category: "service_category",
		Computed: map[string]string{
			"currency":                 resource.Currency,
			"cost":                     latest("y.cost_closing", "0"),
			"accumulated_amortization": latest("y.accumulated_closing", "0"),
			"net_book_value":           latest("y.cost_closing - y.accumulated_closing", "0"),
			"work_in_progress":         latest("y.work_closing", "0"),
			"remaining_units":          "CASE WHEN " + unitSQL + " IS NOT NULL THEN " + latest("y.units_left", "NULL") + " END",
			"unit":                     unitSQL,
			"balances_as_of":           balancesAsOf,
			"gain_loss": `coalesce((SELECT sum(y.gain_loss + y.gain_loss_adjustments) FROM capital_asset_year y
				WHERE y.organization_id = t.organization_id AND y.capital_asset_id = t.id), 0)`,
		},
		Filters: map[string]resource.Filter{"linked_to": {
			Kind: schema.UUID, SQL: `EXISTS (SELECT FROM link l WHERE l.organization_id = t.organization_id AND l.capital_asset_id = t.id
				AND l.target_id = $2)`, Doc: "Those that stand for a record: the id of an asset, system, building, segment, network or site.",
		}},
		AsOf:        &resource.AsOf{Doc: asOfDoc, Fields: balanceFields, Read: a.balancesOn},
		Totals:      capitalAssetTotals,
		BeforeWrite: a.prepareCapitalAssets,
		AfterWrite:  leaveDrafts,
		Events: map[string]resource.Emits[CapitalAsset]{"capital_asset.disposed": resource.WhenUpdated(func(before, after *CapitalAsset) bool {
			return before.State != "disposed" && after.State == "disposed"
		})},
	}
}

// latest is an expression over the last of a capital asset's rows of the schedule, y.
func latest(expression, none string) string {
	return `coalesce((SELECT ` + expression + ` FROM capital_asset_year y
		WHERE y.organization_id = t.organization_id AND y.capital_asset_id = t.id
			ORDER BY y.fiscal_year DESC, y.part DESC LIMIT 1), ` + none + `)`
}

// unitSQL is what the units of a capital asset are, by its class.
const unitSQL = `(SELECT CASE WHEN k.method = 'none' THEN NULL WHEN k.convention IN ('full_year', 'following_year') THEN 'year'
	WHEN k.convention = 'month_inclusive' THEN 'month' WHEN k.convention = 'day_365' THEN 'day' ELSE k.convention END
	FROM class k WHERE k.organization_id = t.organization_id AND k.id = t.class_id)`

// balancesAsOf is the last day that amortization is in a capital asset's balances of.
const balancesAsOf = `(SELECT max(CASE WHEN f.state = 'closed' THEN f.period_end ELSE f.period_start - 1 END) FROM fiscal_year f
	WHERE f.organization_id = t.organization_id AND (f.state = 'closed' OR EXISTS (SELECT FROM capital_asset_year y
		WHERE y.organization_id = t.organization_id AND y.capital_asset_id = t.id AND y.fiscal_year = f.fiscal_year)))`

// prepareCapitalAssets completes new ones from their class. What transactions go on from stays as it is once there is one.
func (a *accounting) prepareCapitalAssets(ctx context.Context, tx pgx.Tx, changes []*resource.Change[CapitalAsset]) error {
	var classIDs, ids []string
	for _, c := range changes {
		if c.After != nil {
			classIDs = append(classIDs, c.After.ClassID)
		}
		if c.Before != nil {
			classIDs, ids = append(classIDs, c.Before.ClassID), append(ids, c.ID())
		}
	}
	known, err := classesByID(ctx, tx, classIDs)
	if err != nil {
		return err
	}
	posted, err := idsOf(ctx, tx, `SELECT id::text FROM capital_asset c WHERE organization_id = current_organization()
		AND id = ANY($1) AND EXISTS (
		SELECT FROM transaction x WHERE x.organization_id = c.organization_id AND c.id IN (x.capital_asset_id,
			x.to_capital_asset_id) AND `+isLive+`)`, ids)
	if err != nil {
		return err
	}
	for _, c := range changes {
		switch {
		case c.After == nil && posted[c.ID()]:
			c.Reject(fault.Conflict("in_use", "id", c.ID(), "The capital asset %s has transactions; only a draft can be deleted. %s",
				c.Before.label(), leavesBy[c.Before.State]))
		case c.After == nil:
		case posted[c.ID()]:
			if field, value := c.After.differs(c.Before); field != "" {
				c.Reject(fault.Conflict("in_use", field, value, "The capital asset %s has transactions: its %s is changed by one of the type %s.",
					c.Before.label(), field, changedBy[field]))
			}
		default:
			if c.Before == nil {
				c.After.State = "draft"
			} else if former := known[c.Before.ClassID]; c.After.ClassID != c.Before.ClassID && former != nil &&
				!c.Sets("useful_life_years") && !c.Sets("useful_life_months") && resource.Same(c.Before.UsefulLifeYears, former.UsefulLifeYears) &&
				c.Before.UsefulLifeMonths == former.UsefulLifeMonths {
				c.After.UsefulLifeYears, c.After.UsefulLifeMonths = nil, 0 // it had its class's life, and has that of the other
			}
			c.After.complete(known[c.After.ClassID], c)
		}
	}
	return nil
}

// formerDraftRow is what a draft was before it was deleted, or went to another class.
type formerDraftRow struct {
	CapitalAssetID string  `json:"capital_asset_id"`
	ClassID        string  `json:"class_id"`
	Number         *string `json:"number"`
	Name           string  `json:"name"`
	Deleted        bool    `json:"deleted"`
}

// leaveDrafts writes down what drafts were whose entries are all reversed, when they are deleted or go to another class: entries, and rows
// of closed years, name them by it. Their rows of open years have nothing, and are deleted.
func leaveDrafts(ctx context.Context, tx pgx.Tx, changes []*resource.Change[CapitalAsset]) error {
	var rows []formerDraftRow
	deleted := []string{}
	for _, c := range changes {
		if c.Before == nil || c.After != nil && c.After.ClassID == c.Before.ClassID {
			continue
		}
		rows = append(rows, formerDraftRow{c.ID(), c.Before.ClassID, c.Before.Number, c.Before.Name, c.After == nil})
		if c.After == nil {
			deleted = append(deleted, c.ID())
		}
	}
	if len(rows) == 0 {
		return nil
	}
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO former_draft (organization_id, capital_asset_id, sequence, class_id, number, name, deleted)
		SELECT current_organization(), d.capital_asset_id, x.sequence, d.class_id, d.number, d.name, d.deleted
		FROM json_populate_recordset(NULL::former_draft, $1) d CROSS JOIN LATERAL (SELECT max(x.sequence) AS sequence FROM transaction x
			WHERE x.organization_id = current_organization()
				AND (x.capital_asset_id = d.capital_asset_id OR x.to_capital_asset_id = d.capital_asset_id)
			HAVING count(*) FILTER (WHERE `+isLive+`) = 0) x
		WHERE x.sequence IS NOT NULL
		ON CONFLICT (organization_id, capital_asset_id, sequence) DO UPDATE SET deleted = excluded.deleted`, asJSON(rows))
	for _, table := range []string{"layer", "capital_asset_year"} {
		batch.Queue(`DELETE FROM `+table+` WHERE organization_id = current_organization() AND capital_asset_id = ANY($1::uuid[])
			AND fiscal_year IN (SELECT fiscal_year FROM fiscal_year WHERE organization_id = current_organization() AND state <> 'closed')`, deleted)
	}
	return tx.SendBatch(ctx, batch).Close()
}

// leavesBy is how a capital asset that has transactions leaves the ledger, by its state. A draft has none but reversed ones.
var leavesBy = map[string]string{
	"in_progress": "A write_down of its work in progress takes it out of the ledger; a disposal, where it has none.",
	"in_service":  "A disposal takes it out of the ledger.",
	"disposed":    "It is out of the ledger, and stays for the years that it is reported in.",
}

// changedBy is the type of the transactions that change a field.
var changedBy = map[string]string{"class_id": "transfer", "useful_life_years": "estimate", "useful_life_months": "estimate",
	"residual_value": "estimate", "quantity": "disposal"}

// label is what messages call it.
func (c *CapitalAsset) label() string { return labelOf(c.Number, c.Name) }

// labelOf is a number, or the name of what has none.
func labelOf(number *string, name string) string {
	if number == nil {
		return name
	}
	return *number
}

// complete takes over what its class says, and objects to what does not go with it.
func (c *CapitalAsset) complete(k *CapitalAssetClass, change *resource.Change[CapitalAsset]) {
	switch {
	case k == nil:
		return // there is no such class, which is said already
	case k.Method == "none":
		if c.UsefulLifeYears != nil {
			change.FieldError("useful_life_years", "is for what is amortized; capital assets of the class %s are not", k.Name)
		}
		if c.UsefulLifeMonths != 0 {
			change.FieldError("useful_life_months", "is for what is amortized; capital assets of the class %s are not", k.Name)
		}
		if c.ResidualValue != 0 {
			change.FieldError("residual_value", "is for what is amortized; capital assets of the class %s are not", k.Name)
		}
	case c.UsefulLifeYears == nil && c.UsefulLifeMonths == 0:
		c.UsefulLifeYears, c.UsefulLifeMonths = k.UsefulLifeYears, k.UsefulLifeMonths
	case monthsOf(c.UsefulLifeYears, &c.UsefulLifeMonths) == 0:
		change.FieldError("useful_life_years", "must be 1 or more, or useful_life_months")
	default:
		if c.UsefulLifeYears == nil {
			c.UsefulLifeYears = new(int)
		}
		k.checkLife(c.UsefulLifeMonths, change.FieldError)
	}
	if !k.Pooled && c.Quantity != nil {
		change.FieldError("quantity", "is for pools; the class %s is none", k.Name)
	}
	if k.Pooled && (c.Quantity == nil || *c.Quantity == 0) {
		change.FieldError("quantity", "is required, 1 or more: the class %s is a pool", k.Name)
	}
}

// differs names the first field that only transactions change and that is another than before, with its value before.
func (c *CapitalAsset) differs(before *CapitalAsset) (field string, value any) {
	switch {
	case c.ClassID != before.ClassID:
		return "class_id", before.ClassID
	case !resource.Same(c.UsefulLifeYears, before.UsefulLifeYears):
		return "useful_life_years", before.UsefulLifeYears
	case c.UsefulLifeMonths != before.UsefulLifeMonths:
		return "useful_life_months", before.UsefulLifeMonths
	case c.ResidualValue != before.ResidualValue:
		return "residual_value", before.ResidualValue
	case !resource.Same(c.Quantity, before.Quantity):
		return "quantity", before.Quantity
	}
	return "", nil
}
