package workorders

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource"
)

// Cost is money, or hours, that were spent on a work order, or given back. Labour is hours × unit_cost; everything else is
// quantity × unit_cost.
type Cost struct {
	resource.Record
	WorkOrderID   string   `json:"work_order_id" readOnly:"true" references:"work_orders" doc:"The work order that it was spent on." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Kind          string   `json:"kind" required:"true" enum:"labour,material,contractor,other" filter:"equals" sort:"true" doc:"What it was spent on. In the work order's sums labour is labour_cost, material is material_cost, contractor and other are other_cost." example:"labour"`
	Quantity      *float64 `json:"quantity" minimum:"0" maximum:"1000000000" decimals:"4" filter:"range" sort:"true" doc:"How many or how much, of everything but labour; null counts as 1." example:"2"`
	UnitCost      *float64 `json:"unit_cost" minimum:"0" maximum:"9999999999999.99" decimals:"4" filter:"range" sort:"true" doc:"Price of one; of labour, the hourly rate. Null costs nothing, so that hours can be kept without a rate." example:"68.50"`
	Hours         *float64 `json:"hours" minimum:"0" maximum:"1000000" decimals:"4" unit:"hour" filter:"range" sort:"true" doc:"Hours worked; required for labour and for nothing else." example:"3.5"`
	IsCredit      bool     `json:"is_credit" default:"false" filter:"equals" doc:"Whether it is given back: its amount is negative, and its hours are taken off. The costs of a kind cannot come to less than nothing." example:"false"`
	UserID        *string  `json:"user_id" references:"users" filter:"equals" doc:"The user who worked, bought or ordered." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	VendorID      *string  `json:"vendor_id" references:"vendors" filter:"equals" doc:"The vendor who was paid." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	PartNumber    *string  `json:"part_number" maxLength:"100" filter:"equals" sort:"true" doc:"The vendor's or the maker's number of the part." example:"6203-2RS"`
	InvoiceNumber *string  `json:"invoice_number" maxLength:"100" filter:"equals" sort:"true" doc:"Number of the invoice or credit note." example:"F-20261130-7"`
	IncurredOn    *string  `json:"incurred_on" format:"date" filter:"range" sort:"true" doc:"Day on which it was incurred." example:"2026-11-30"`
	Late          bool     `json:"late" readOnly:"true" filter:"equals" doc:"Whether the work order was closed already when it was added."`
	Amount        *float64 `json:"amount" decimals:"2" readOnly:"true" generated:"true" filter:"range" sort:"true" doc:"labour: hours × unit_cost; else quantity × unit_cost. Rounded to the cent, halves away from zero; negative of a credit; null without unit_cost." example:"239.75"`
	Currency      string   `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`
}

func (o orders) costs() resource.Definition[Cost] {
	return resource.Definition[Cost]{
		Collection: "work_order_costs", Table: "work_order_cost", Parent: "work_order_id", Label: "kind",
		Computed:    map[string]string{"currency": resource.Currency},
		BeforeWrite: prepareCosts,
		AfterWrite:  o.totalCosts,
	}
}

func prepareCosts(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Cost]) error {
	for _, c := range changes {
		if c.After != nil {
			c.After.check(c.FieldError)
		}
	}
	// Another transaction that changes costs of one of these work orders waits, so that the sums include all of them.
	states, err := lockStates(ctx, tx, "FOR NO KEY UPDATE", changes, costOf)
	if err != nil {
		return err
	}
	for _, c := range changes {
		switch closed := states[costOf(recordOf(c))] == "closed"; {
		case closed && c.Before != nil:
			c.Reject(closedError())
		case c.Before == nil:
			c.After.Late = closed
		}
	}
	return rejectCredits(ctx, tx, changes)
}

func costOf(c *Cost) string { return c.WorkOrderID }

// maxMoney is the largest amount that can be stored.
const maxMoney = 9_999_999_999_999.99

func (c *Cost) check(fieldError func(field, format string, args ...any)) {
	counted := "quantity"
	if c.Kind == "labour" {
		counted = "hours"
		if c.Hours == nil {
			fieldError("hours", "is required when kind is labour")
		}
		if c.Quantity != nil {
			fieldError("quantity", "is not for labour, which costs hours × unit_cost; leave it out")
		}
	} else if c.Hours != nil {
		fieldError("hours", "is for labour only; %s costs quantity × unit_cost: give the hours as quantity, or set kind to labour", c.Kind)
	}
	if product := c.product(); product != nil && cents(product).Cmp(exact(maxMoney)) > 0 {
		fieldError("unit_cost", "makes more than %.2f with %s; correct one of them", maxMoney, counted)
	}
}

// totalCosts updates the sums of the work orders.
func (o orders) totalCosts(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Cost]) error {
	var ids []string
	for _, c := range changes {
		ids = append(ids, costOf(recordOf(c)))
	}
	return o.registry.UpdateWhere(ctx, tx, "work_orders",
		[]string{"actual_hours", "labour_cost", "material_cost", "other_cost", "late_costs"}, `
		SELECT w.id, coalesce(sum(CASE WHEN c.is_credit THEN -c.hours ELSE c.hours END), 0) AS actual_hours,
			coalesce(sum(c.amount) FILTER (WHERE c.kind = 'labour'), 0) AS labour_cost,
			coalesce(sum(c.amount) FILTER (WHERE c.kind = 'material'), 0) AS material_cost,
			coalesce(sum(c.amount) FILTER (WHERE c.kind NOT IN ('labour', 'material')), 0) AS other_cost,
			count(*) FILTER (WHERE c.late) AS late_costs
		FROM work_order w LEFT JOIN work_order_cost c ON c.organization_id = w.organization_id AND c.work_order_id = w.id
		WHERE w.organization_id = $1 AND w.id = ANY($2::uuid[]) GROUP BY w.id`, ids)
}
