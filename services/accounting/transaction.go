package accounting

import (
	"strings"

	"ams.internal/libs/resource"
)

// CapitalAssetTransaction is an entry of the ledger. It is never altered: what was wrong is reversed, or adjusted once its year is closed.
type CapitalAssetTransaction struct {
	resource.Record
	Number         *string `json:"number" readOnly:"true" maxLength:"20" unique:"true" auto:"T-%07d" filter:"equals" search:"code" doc:"Its number: entries are numbered without a gap, in the order in which they are posted." example:"T-0000001"`
	Sequence       int64   `json:"sequence" readOnly:"true" generated:"true" filter:"range" sort:"true" doc:"The number as a number." example:"1"`
	CapitalAssetID string  `json:"capital_asset_id" required:"true" references:"capital_assets" filter:"equals" doc:"The capital asset." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Type           string  `json:"type" required:"true" enum:"opening,acquisition,construction,in_service,contribution,betterment,estimate,write_down,disposal,reinstatement,transfer,adjustment,retirement_cost,amortization,accretion,settlement" filter:"equals" sort:"true" doc:"What it is. opening: what was there before the ledger. acquisition: bought. construction: work in progress, negative for credits. in_service: from work in progress to cost. contribution: given, at its fair value. betterment: more or longer service, a layer of cost. estimate: another life or residual value, from this year on. write_down: a lasting loss of service, of cost or of work in progress. disposal: sold, scrapped, lost. reinstatement: a disposal of a closed year that was wrong is taken back. transfer: to another capital asset or class, at book value. adjustment: a correction of a closed year. The others are made by the service alone. retirement_cost: of an obligation, or of its revision. amortization: of a year. accretion: by how much a liability has grown. settlement: of an obligation, or of a part of it." example:"acquisition"`
	EffectiveOn    string  `json:"effective_on" required:"true" format:"date" filter:"range" sort:"true" doc:"The day it counts from, in an open fiscal year and not after today." example:"2027-04-03"`
	FiscalYear     int     `json:"fiscal_year" readOnly:"true" filter:"range" sort:"true" doc:"The fiscal year of that day." example:"2027"`

	Amount                  *float64 `json:"amount" minimum:"-9999999999999.99" maximum:"9999999999999.99" decimals:"2" filter:"range" sort:"true" doc:"Of all types but estimate, disposal and adjustment: how much. Of construction, acquisition and betterment negative for credits of a supplier. Of transfer: the cost that goes, all when left out." example:"120000.00"`
	AccumulatedAmortization *float64 `json:"accumulated_amortization" money:"true" doc:"Of opening: what is amortized already; 0 when left out." example:"45600.00"`
	InServiceOn             *string  `json:"in_service_on" format:"date" doc:"When it came into service. Of opening: required. Of acquisition: of what was found, a day before its fiscal year; effective_on when left out." example:"2017-04-03"`
	RemainingUnits          *int     `json:"remaining_units" minimum:"0" maximum:"73200" doc:"Of opening and estimate: units of life that are left, as the capital asset's unit counts them. Of opening, from its life when left out." example:"31"`
	UsefulLifeYears         *int     `json:"useful_life_years" minimum:"0" maximum:"200" unit:"year" doc:"Of estimate: the life in all. Of what brings into service: the life that it begins with, from the capital asset." example:"25"`
	UsefulLifeMonths        *int     `json:"useful_life_months" minimum:"0" maximum:"11" unit:"month" doc:"Months of that life beyond useful_life_years." example:"6"`
	ResidualValue           *float64 `json:"residual_value" money:"true" doc:"Of estimate: what is not amortized. Of what brings into service: what it begins with, from the capital asset." example:"0"`
	AddedLifeYears          *int     `json:"added_life_years" minimum:"0" maximum:"100" unit:"year" doc:"Of betterment and in_service: by how much it lengthens the life of all layers." example:"10"`
	AddedLifeMonths         *int     `json:"added_life_months" minimum:"0" maximum:"11" unit:"month" doc:"Months beyond added_life_years." example:"6"`
	Proceeds                *float64 `json:"proceeds" money:"true" doc:"Of disposal: what it brought; 0 when left out. Of reinstatement: what the disposal had brought." example:"40000.00"`
	CostRemoved             *float64 `json:"cost_removed" money:"true" doc:"Of disposal: the cost that goes. One of cost_removed, share_pct and quantity; all goes when none is given." example:"50000.00"`
	SharePct                *float64 `json:"share_pct" minimum:"0" maximum:"100" decimals:"4" unit:"percent" doc:"Of disposal: the share of the cost that goes, above 0. Of settlement: the share of the liability that was settled, where it was said so." example:"25"`
	Quantity                *int     `json:"quantity" minimum:"1" maximum:"10000000" doc:"Of disposal from a pool: how many go; of a share the whole number that comes closest. Of what brings into service: how many there are, from the capital asset. Of reinstatement: how many come back." example:"10"`
	Reinstates              *string  `json:"reinstates" format:"uuid" filter:"equals" doc:"Of reinstatement: the disposal that it takes back, of a fiscal year that is closed; required." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	ToCapitalAssetID        *string  `json:"to_capital_asset_id" references:"capital_assets" filter:"equals" doc:"Of transfer and in_service: the capital asset that it goes to." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	ToClassID               *string  `json:"to_class_id" references:"capital_asset_classes" filter:"equals" doc:"Of transfer: the class that all of the capital asset goes to." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	FromClassID             *string  `json:"from_class_id" readOnly:"true" format:"uuid" doc:"Of transfer to a class: the former one." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	BelowThreshold          bool     `json:"below_threshold" default:"false" doc:"Of acquisition: that it is wanted though it is below the capitalization threshold of its class." example:"false"`
	OfWorkInProgress        bool     `json:"of_work_in_progress" default:"false" doc:"Of write_down: that it is of the work in progress, and not of the cost. True of what is not in service, whatever was sent." example:"false"`
	Memo                    *string  `json:"memo" maxLength:"1000" doc:"Why; required of what corrects closed years: adjustments, reinstatements, and acquisitions of what was found." example:"Facture 4711"`

	ObligationID    *string  `json:"obligation_id" readOnly:"true" format:"uuid" filter:"equals" doc:"The retirement obligation that it is about: amount is by how much its liability changes." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	EstimatedCost   *float64 `json:"estimated_cost" decimals:"2" readOnly:"true" doc:"Of what recognizes or revises an obligation: what it is expected to cost, which the amount follows from. Of the settlement of a part: what the rest is expected to cost." example:"1000000.00"`
	SettlementOn    *string  `json:"settlement_on" readOnly:"true" format:"date" doc:"Of what recognizes or revises an obligation, or settles a part of it: when it is expected to be settled." example:"2046-01-01"`
	DiscountRatePct *float64 `json:"discount_rate_pct" readOnly:"true" unit:"percent" doc:"Of what recognizes or revises an obligation, or settles a part of it: by how much a year it is discounted." example:"4"`

	Layer             *int     `json:"layer" readOnly:"true" doc:"The layer of cost that it made, or that it amortizes, from 1." example:"1"`
	CostChange        *float64 `json:"cost_change" minimum:"-9999999999999.99" maximum:"9999999999999.99" decimals:"2" doc:"By how much it changes the cost. Given for adjustments, else reckoned." example:"120000.00"`
	AccumulatedChange *float64 `json:"accumulated_change" minimum:"-9999999999999.99" maximum:"9999999999999.99" decimals:"2" doc:"By how much it changes the accumulated amortization. Given for adjustments, else reckoned, and provisional while its year is open." example:"0"`
	GainLoss          *float64 `json:"gain_loss" decimals:"2" readOnly:"true" doc:"Of disposal: proceeds less the net book value that goes; provisional while its year is open. Of reinstatement: the gain of the disposal, taken back. Of settlement: the liability that is settled less what was paid." example:"11250.00"`
	Reverses          *string  `json:"reverses" readOnly:"true" format:"uuid" filter:"equals" doc:"The entry whose exact negative this is." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	CloseID           *string  `json:"close_id" readOnly:"true" format:"uuid" filter:"equals" doc:"The close, or the reopening, of a fiscal year that has made it; null of what was posted." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Currency          string   `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`
}

func (a *accounting) transactions() resource.Definition[CapitalAssetTransaction] {
	effect := func(column string) string {
		return "coalesce((SELECT e." + column +
			" FROM transaction_effect e WHERE e.organization_id = t.organization_id AND e.transaction_id = t.id), t." + column + ")"
	}
	return resource.Definition[CapitalAssetTransaction]{
		Collection: "capital_asset_transactions", Table: "transaction", Label: "type",
		Holds: strings.ReplaceAll(isLive, "x.", "t."), HoldsHere: true, // what is reversed keeps no draft
		Computed: map[string]string{
			"currency": resource.Currency,
			"layer":    effect("layer"), "cost_change": effect("cost_change"), "accumulated_change": effect("accumulated_change"),
			"gain_loss": effect("gain_loss"),
		},
		BeforeTransaction: beginPosting,
		BeforeWrite:       a.preparePosting,
		AfterWrite:        a.completePosting,
	}
}

// given are the fields that an entry says something in, besides those that go with every type.
func (t *CapitalAssetTransaction) given() map[string]any {
	given := map[string]any{}
	for name, amount := range map[string]*float64{"amount": t.Amount,
		"accumulated_amortization": t.AccumulatedAmortization, "residual_value": t.ResidualValue, "proceeds": t.Proceeds,
		"cost_removed": t.CostRemoved, "share_pct": t.SharePct, "cost_change": t.CostChange, "accumulated_change": t.AccumulatedChange} {
		if amount != nil {
			given[name] = *amount
		}
	}
	for name, number := range map[string]*int{"remaining_units": t.RemainingUnits,
		"useful_life_years": t.UsefulLifeYears, "useful_life_months": t.UsefulLifeMonths,
		"added_life_years": t.AddedLifeYears, "added_life_months": t.AddedLifeMonths, "quantity": t.Quantity} {
		if number != nil {
			given[name] = *number
		}
	}
	for name, text := range map[string]*string{"in_service_on": t.InServiceOn, "to_capital_asset_id": t.ToCapitalAssetID,
		"to_class_id": t.ToClassID, "reinstates": t.Reinstates} {
		if text != nil {
			given[name] = *text
		}
	}
	if t.BelowThreshold {
		given["below_threshold"] = true
	}
	if t.OfWorkInProgress {
		given["of_work_in_progress"] = true
	}
	return given
}

// check objects to what does not go with the type, and to what can be judged without the ledger.
func (t *CapitalAssetTransaction) check(fieldError func(field, format string, args ...any)) {
	given := t.given()
	rule, postable := postable[t.Type]
	if !postable {
		fieldError("type", "%s is made by the service alone%s", t.Type, madeBy[t.Type])
		return
	}
	for field := range given {
		if !rule.takes(field) {
			fieldError(field, "does not go with the type %s", t.Type)
		}
	}
	for _, field := range rule.needs {
		if given[field] == nil {
			fieldError(field, "is required for the type %s", t.Type)
		}
	}
	if t.Amount != nil && *t.Amount <= 0 && t.Type != "construction" && !t.credits() {
		fieldError("amount", "must be above 0")
	}
	if t.credits() {
		for _, field := range []string{"in_service_on", "added_life_years", "added_life_months"} {
			if given[field] != nil {
				fieldError(field, "does not go with a credit, whose amount is negative")
			}
		}
	}
	switch t.Type {
	case "construction":
		if t.Amount != nil && *t.Amount == 0 {
			fieldError("amount", "must not be 0; it is negative for credits")
		}
	case "estimate":
		life := t.UsefulLifeYears != nil || t.UsefulLifeMonths != nil
		if t.RemainingUnits != nil && life {
			fieldError("remaining_units", "is another way to say useful_life_years; give one of them")
		}
		if t.RemainingUnits == nil && !life && t.ResidualValue == nil {
			fieldError("useful_life_years", "or remaining_units or residual_value is required for an estimate")
		}
		if t.RemainingUnits != nil && *t.RemainingUnits == 0 {
			fieldError("remaining_units", "must be 1 or more")
		}
	case "disposal":
		t.checkDisposal(fieldError)
	case "transfer":
		if (t.ToCapitalAssetID == nil) == (t.ToClassID == nil) {
			fieldError("to_capital_asset_id", "or to_class_id is required for a transfer, and not both")
		}
		if t.ToClassID != nil && t.Amount != nil {
			fieldError("amount", "does not go with to_class_id: all of the capital asset goes to the class")
		}
	case "acquisition":
		if t.InServiceOn != nil && t.Memo == nil {
			fieldError("memo", "is required of what was found: it says why it was not in the ledger")
		}
	case "reinstatement":
		if t.Memo == nil {
			fieldError("memo", "is required: it says what was wrong")
		}
	case "adjustment":
		if t.Memo == nil {
			fieldError("memo", "is required: it says what was wrong")
		}
		if (t.CostChange == nil || *t.CostChange == 0) && (t.AccumulatedChange == nil || *t.AccumulatedChange == 0) {
			fieldError("cost_change", "or accumulated_change is required for an adjustment, and must not be 0")
		}
	}
	if t.ToCapitalAssetID != nil && *t.ToCapitalAssetID == t.CapitalAssetID {
		fieldError("to_capital_asset_id", "must be another capital asset")
	}
}

func (t *CapitalAssetTransaction) checkDisposal(fieldError func(field, format string, args ...any)) {
	ways := 0
	for _, given := range []bool{t.CostRemoved != nil, t.SharePct != nil, t.Quantity != nil} {
		if given {
			ways++
		}
	}
	if ways > 1 {
		fieldError("cost_removed", "share_pct and quantity are ways to say the same; give one of them, or none for all")
	}
	if t.SharePct != nil && *t.SharePct <= 0 {
		fieldError("share_pct", "must be above 0, and at most 100")
	}
	if t.CostRemoved != nil && *t.CostRemoved <= 0 {
		fieldError("cost_removed", "must be above 0")
	}
}

// typeRule says which fields an entry of a type takes.
type typeRule struct{ needs, may []string }

func (f typeRule) takes(field string) bool {
	for _, known := range [][]string{f.needs, f.may} {
		for _, name := range known {
			if name == field {
				return true
			}
		}
	}
	return false
}

// postable are the types of entries that callers post.
var postable = map[string]typeRule{
	"opening":       {needs: []string{"amount", "in_service_on"}, may: []string{"accumulated_amortization", "remaining_units"}},
	"acquisition":   {needs: []string{"amount"}, may: []string{"below_threshold", "in_service_on"}},
	"construction":  {needs: []string{"amount"}},
	"in_service":    {needs: []string{"amount"}, may: []string{"to_capital_asset_id", "added_life_years", "added_life_months"}},
	"contribution":  {needs: []string{"amount"}},
	"betterment":    {needs: []string{"amount"}, may: []string{"added_life_years", "added_life_months"}},
	"estimate":      {may: []string{"remaining_units", "useful_life_years", "useful_life_months", "residual_value"}},
	"write_down":    {needs: []string{"amount"}, may: []string{"of_work_in_progress"}},
	"disposal":      {may: []string{"proceeds", "cost_removed", "share_pct", "quantity"}},
	"reinstatement": {needs: []string{"reinstates"}},
	"transfer":      {may: []string{"amount", "to_capital_asset_id", "to_class_id"}},
	"adjustment":    {may: []string{"cost_change", "accumulated_change"}},
}

// madeBy is where entries come from that callers do not post.
var madeBy = map[string]string{
	"retirement_cost": ": make or revise a retirement obligation", "settlement": ": settle a retirement obligation",
	"amortization": ": close the fiscal year", "accretion": ": close the fiscal year",
}

// credits says whether it is what a supplier gives back: less cost.
func (t *CapitalAssetTransaction) credits() bool {
	return t.Amount != nil && *t.Amount < 0 && (t.Type == "acquisition" || t.Type == "betterment")
}

// begins says whether an entry may bring a capital asset into service: then it says what life and residual value that begins with.
func (t *CapitalAssetTransaction) begins() bool {
	switch t.Type {
	case "opening", "acquisition", "contribution", "in_service":
		return true
	}
	return false
}
