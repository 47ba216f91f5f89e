package accounting

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
	"ams.internal/services/accounting/ledger"
)

// CapitalAssetClass is a class of capital assets that are amortized by the same rules.
type CapitalAssetClass struct {
	resource.Record
	Name     string  `json:"name" required:"true" maxLength:"200" unique:"true" filter:"prefix" sort:"true" search:"name" doc:"What people call the class." example:"Bâtiments administratifs"`
	Code     *string `json:"code" maxLength:"50" unique:"true" auto:"CLS-%02d" filter:"equals" sort:"true" search:"code" doc:"Short code; numbered when left out." example:"CLS-01"`
	Category string  `json:"category" required:"true" enum:"land,land_improvements,buildings,machinery_equipment,vehicles,information_technology,library_collections,roads,bridges_culverts,water,wastewater,stormwater,other_infrastructure,other" filter:"equals" sort:"true" doc:"The major category that the notes of the financial statements disclose." example:"buildings"`

	Method                  string  `json:"method" default:"straight_line" enum:"straight_line,none" filter:"equals" doc:"none: never amortized, as land. Fixed once the class has capital assets." example:"straight_line"`
	UsefulLifeYears         *int    `json:"useful_life_years" minimum:"0" maximum:"200" unit:"year" filter:"range" sort:"true" doc:"Of its capital assets, where they say nothing else; required unless the method is none. For new ones." example:"40"`
	UsefulLifeMonths        int     `json:"useful_life_months" default:"0" minimum:"0" maximum:"11" unit:"month" doc:"Months of the life beyond useful_life_years: 6 of half a year. Whole half-years by the convention half_year, none by full_year and following_year." example:"0"`
	Convention              string  `json:"convention" default:"half_year" enum:"half_year,month,month_inclusive,day,day_365,full_year,following_year" filter:"equals" doc:"How much of the first and the last year is charged. half_year: half of a year in each. month: by months, that of service whole, that of disposal not. month_inclusive: by months, both whole. day: by days. day_365: by days of years of 365, of which 29 February is none, so that each full year is charged alike. full_year: the first whole, the last not. following_year: from the next year on, the last whole. Fixed once the class has capital assets." example:"half_year"`
	CapitalizationThreshold float64 `json:"capitalization_threshold" default:"0" money:"true" doc:"An acquisition of less is an expense: it is refused, unless it says below_threshold." example:"5000.00"`
	Pooled                  bool    `json:"pooled" default:"false" filter:"equals" doc:"Its capital assets stand for many alike, such as laptops, and have a quantity. Fixed once the class has capital assets." example:"false"`
	RemoveWhenAmortized     bool    `json:"remove_when_amortized" default:"false" doc:"Of pools: what is amortized leaves at the close of the year. Fixed once the class has capital assets." example:"false"`
	Currency                string  `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`

	Accounts Accounts `json:"accounts" doc:"Its accounts in the general ledger, which the journal names."`
}

// Accounts are those of a class in the general ledger. The journal names what is left out by its own word,
// such as accumulated_amortization.
type Accounts struct {
	Asset                   *string `json:"asset,omitempty" required:"false" maxLength:"50" doc:"Cost." example:"1-1500"`
	AccumulatedAmortization *string `json:"accumulated_amortization,omitempty" required:"false" maxLength:"50" doc:"Accumulated amortization." example:"1-1590"`
	AmortizationExpense     *string `json:"amortization_expense,omitempty" required:"false" maxLength:"50" doc:"The year's amortization." example:"5-6000"`
	WorkInProgress          *string `json:"work_in_progress,omitempty" required:"false" maxLength:"50" doc:"What is under construction." example:"1-1599"`
	GainLoss                *string `json:"gain_loss,omitempty" required:"false" maxLength:"50" doc:"Gains and losses of disposals." example:"4-4900"`
	WriteDown               *string `json:"write_down,omitempty" required:"false" maxLength:"50" doc:"Write-downs." example:"5-6100"`
	ContributedRevenue      *string `json:"contributed_revenue,omitempty" required:"false" maxLength:"50" doc:"Revenue of what was contributed." example:"4-4500"`
	Clearing                *string `json:"clearing,omitempty" required:"false" maxLength:"50" doc:"Against what the general ledger has already: invoices, proceeds, opening balances." example:"2-2900"`
	Obligation              *string `json:"obligation,omitempty" required:"false" maxLength:"50" doc:"Liability of retirement obligations." example:"2-2700"`
	Accretion               *string `json:"accretion,omitempty" required:"false" maxLength:"50" doc:"Accretion of retirement obligations: by how much their liabilities grow." example:"5-6200"`
	PriorPeriod             *string `json:"prior_period,omitempty" required:"false" maxLength:"50" doc:"Accumulated surplus of former years: against what was found, and disposals that are taken back." example:"3-3900"`
	RetirementExpense       *string `json:"retirement_expense,omitempty" required:"false" maxLength:"50" doc:"What obligations cost, when they are recognized or revised, of capital assets that are not in productive use; less is income." example:"5-6250"`
}

var classes = resource.Definition[CapitalAssetClass]{
	Collection: "capital_asset_classes", Table: "class", NaturalKey: "code", Category: "category",
	Computed:    map[string]string{"currency": resource.Currency},
	BeforeWrite: prepareClasses,
}

func prepareClasses(ctx context.Context, tx pgx.Tx, changes []*resource.Change[CapitalAssetClass]) error {
	var changed, deleted []string
	for _, c := range changes {
		if c.After == nil {
			deleted = append(deleted, c.ID())
			continue
		}
		c.After.check(c.FieldError)
		if c.Before != nil && c.After.fixed() != c.Before.fixed() {
			changed = append(changed, c.ID())
		}
	}
	used, err := idsOf(ctx, tx, usedClasses, changed)
	if err != nil {
		return err
	}
	left, err := idsOf(ctx, tx, leftClasses, deleted)
	if err != nil {
		return err
	}
	for _, c := range changes {
		switch {
		case c.After == nil && left[c.ID()]:
			c.Reject(fault.Conflict("in_use", "id", c.ID(), "The class %s had capital assets, which went to another one or were deleted: "+
				"former years are reported by it, and it stays.", c.Before.Name))
		case c.After != nil && used[c.ID()]:
			if field, value := c.After.differs(c.Before); field != "" {
				c.Reject(fault.Conflict("in_use", field, value,
					"The class has or had capital assets: its %s stays %v. Make another class, and transfer them by a transaction.", field, value))
			}
		}
	}
	return nil
}

// leftClasses selects the classes that a capital asset has left: with the class of its record they are all those that rows of the
// schedule and entries name. usedClasses adds those that have one.
const (
	leftClasses = `SELECT from_class_id::text FROM transaction WHERE organization_id = current_organization() AND from_class_id = ANY($1)
		UNION SELECT to_class_id::text FROM transaction WHERE organization_id = current_organization() AND to_class_id = ANY($1)
		UNION SELECT class_id::text FROM former_draft WHERE organization_id = current_organization() AND class_id = ANY($1)`
	usedClasses = leftClasses + ` UNION SELECT class_id::text FROM capital_asset
		WHERE organization_id = current_organization() AND class_id = ANY($1)`
)

func (k *CapitalAssetClass) check(fieldError func(field, format string, args ...any)) {
	switch {
	case k.Category == "land" && k.Method != "none":
		fieldError("method", "must be none: land is not amortized")
	case k.Method == "none" && k.UsefulLifeYears != nil:
		fieldError("useful_life_years", "is for what is amortized; the method is none")
	case k.Method == "none" && k.UsefulLifeMonths != 0:
		fieldError("useful_life_months", "is for what is amortized; the method is none")
	case k.Method != "none" && monthsOf(k.UsefulLifeYears, &k.UsefulLifeMonths) == 0:
		fieldError("useful_life_years", "is required unless the method is none: 1 or more, or useful_life_months")
	case k.Method != "none":
		k.checkLife(k.UsefulLifeMonths, fieldError)
	}
	if k.RemoveWhenAmortized && !k.Pooled {
		fieldError("remove_when_amortized", "is for pools; pooled is false")
	}
}

// checkLife objects to months of a life that the convention has no unit for.
func (k *CapitalAssetClass) checkLife(months int, fieldError func(field, format string, args ...any)) {
	if c := ledger.Conventions[k.Convention]; !c.Takes(months) {
		fieldError("useful_life_months", "(%d) is not possible by the convention %s: a life is whole %s", months, k.Convention, c.Whole())
	}
}

// monthsOf is a life, or what is added to one, in months.
func monthsOf(years, months *int) (all int) {
	if years != nil {
		all = 12 * *years
	}
	if months != nil {
		all += *months
	}
	return all
}

// fixed is what a class keeps once it has capital assets.
type fixed struct {
	category string
	fixedRules
}

// fixedRules are how its capital assets are amortized.
type fixedRules struct {
	method, convention          string
	pooled, removeWhenAmortized bool
}

func (k *CapitalAssetClass) fixed() fixed { return fixed{k.Category, k.fixedRules()} }

func (k *CapitalAssetClass) fixedRules() fixedRules {
	return fixedRules{k.Method, k.Convention, k.Pooled, k.RemoveWhenAmortized}
}

// differs names the first of them that is another than before, with its value before.
func (k *CapitalAssetClass) differs(before *CapitalAssetClass) (field string, value any) {
	switch now, then := k.fixed(), before.fixed(); {
	case now.category != then.category:
		return "category", then.category
	case now.method != then.method:
		return "method", then.method
	case now.convention != then.convention:
		return "convention", then.convention
	case now.pooled != then.pooled:
		return "pooled", then.pooled
	case now.removeWhenAmortized != then.removeWhenAmortized:
		return "remove_when_amortized", then.removeWhenAmortized
	}
	return "", nil
}
