// Package deficiencies defines the deficiencies of any record: something found wrong, what its correction would cost, and what
// became of it. The services whose records have deficiencies share its fields, transitions and rules, and the SQL that sums deferred
// maintenance from them.
package deficiencies

import (
	"fmt"
	"strconv"
)

// Finding has the fields of a deficiency but the record that it is of. Embed it behind those.
type Finding struct {
	Title         string   `json:"title" required:"true" maxLength:"200" filter:"equals" sort:"true" search:"name" doc:"What is wrong, in a few words." example:"Membrane fendue au droit du drain nº 3"`
	Number        *string  `json:"number" maxLength:"50" unique:"true" auto:"DEF-%06d" filter:"equals" sort:"true" search:"code" doc:"Its number; given when left out." example:"DEF-000001"`
	Status        string   `json:"status" default:"open" enum:"open,planned,in_work,corrected,waived,void" filter:"equals" facet:"true" sort:"true" doc:"open → planned, in_work, corrected, waived, void; planned → open, in_work, corrected, waived, void; in_work → open, planned, corrected; corrected, waived → open; void is final. The first three are live." example:"open"`
	UniformatCode *string  `json:"uniformat_code" pattern:"^[A-G](\\d{2}(\\d{2}(\\d{2})?)?)?$" patternDescription:"a UNIFORMAT II code such as D, D30, D3020 or D302001" filter:"prefix" sort:"true" doc:"Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code." example:"B3010"`
	Category      string   `json:"category" default:"deferred_maintenance" enum:"deferred_maintenance,life_safety,code,environmental,accessibility,functional,renewal" filter:"equals" facet:"true" sort:"true" doc:"What kind of need it is. The first four count as deferred maintenance; accessibility and functional are improvements, and a renewal counts by planned_renewal_year already." example:"deferred_maintenance"`
	Priority      *string  `json:"priority" enum:"low,medium,high,urgent" filter:"equals" facet:"true" sort:"true" doc:"How pressing it is." example:"high"`
	Quantity      *float64 `json:"quantity" minimum:"0" filter:"range" doc:"How much of it, in unit." example:"12.5"`
	Unit          *string  `json:"unit" maxLength:"50" doc:"What quantity counts." example:"m2"`
	EstimatedCost *float64 `json:"estimated_cost" money:"true" filter:"range" sort:"true" doc:"What correcting it is estimated to cost, in prices of cost_year." example:"4200.00"`
	CostClass     *string  `json:"cost_class" enum:"A,B,C,D" filter:"equals" sort:"true" doc:"How sure the estimate is, from A (from tenders or working drawings) to D (a first guess)." example:"D"`
	CostYear      *int     `json:"cost_year" minimum:"1900" maximum:"2200" filter:"range" doc:"The year of whose prices estimated_cost is. Left out, the year of found_on; where the cost changes, the year of the change." example:"2026"`
	ActionYear    *int     `json:"action_year" minimum:"1900" maximum:"2300" filter:"range" facet:"true" sort:"true" doc:"The year in which it should be corrected. Until then it is no deferred maintenance; null: at once." example:"2029"`
	Source        string   `json:"source" default:"manual" enum:"assessment,inspection,form,request,work_order,import,manual" filter:"equals" sort:"true" doc:"Where it comes from." example:"manual"`
	SourceID      *string  `json:"source_id" format:"uuid" filter:"equals" doc:"The record that it comes from." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	FoundOn       *string  `json:"found_on" format:"date" filter:"range" sort:"true" doc:"Day on which it was found, not in the future; today when left out." example:"2026-05-12"`
	CorrectedOn   *string  `json:"corrected_on" format:"date" filter:"range" sort:"true" doc:"Day on which it was corrected, not in the future and not before found_on. The move to corrected stamps it with today unless it is given, and the way back clears it; one that is entered as corrected needs it." example:"2026-06-30"`
	ActualCost    *float64 `json:"actual_cost" money:"true" filter:"range" sort:"true" doc:"What correcting it cost. Of corrected ones; the way back clears it." example:"3980.25"`
	WaiveReason   *string  `json:"waive_reason" maxLength:"2000" doc:"Why nothing will be done about it. Required when it is waived; the way back clears it." example:"Le bâtiment sera démoli en 2027"`

	WorkOrderID      *string `json:"work_order_id" format:"uuid" readOnly:"true" filter:"equals" doc:"The work order that it is planned or done with."`
	ProjectID        *string `json:"project_id" format:"uuid" readOnly:"true" filter:"equals" doc:"The project that it is planned or done with."`
	CountsAsDeferred bool    `json:"counts_as_deferred" readOnly:"true" generated:"true" filter:"equals" doc:"Whether it is live and of a category that counts as deferred maintenance. Its cost counts from action_year on."`
	Currency         string  `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`
}

// Moves are the transitions of status.
var Moves = map[string][]string{
	"open":      {"planned", "in_work", "corrected", "waived", "void"},
	"planned":   {"open", "in_work", "corrected", "waived", "void"},
	"in_work":   {"open", "planned", "corrected"},
	"corrected": {"open"},
	"waived":    {"open"},
}

// Ended are the states in which nothing is to be done any more.
var Ended = []string{"corrected", "waived", "void"}

// MovesWith are the fields that can be sent with a transition.
var MovesWith = []string{"corrected_on", "actual_cost", "waive_reason"}

// Live reports whether something is still to be done.
func (f *Finding) Live() bool {
	return f.Status == "open" || f.Status == "planned" || f.Status == "in_work"
}

// Check completes a deficiency, and objects to what contradicts itself. before is nil for a new one; sends says whether the caller sent a
// field.
func (f *Finding) Check(before *Finding, sends func(field string) bool, today string, fieldError func(field, format string, args ...any)) {
	if f.FoundOn == nil {
		f.FoundOn = &today
	}
	if *f.FoundOn > today {
		fieldError("found_on", "must not be in the future")
	}
	f.dateCost(before, sends, today)
	f.checkCorrection(before, today, fieldError)
	switch {
	case f.Status == "waived" && f.WaiveReason == nil:
		fieldError("waive_reason", "is required when status is waived")
	case f.Status != "waived" && f.WaiveReason != nil:
		if before == nil || !same(before.WaiveReason, f.WaiveReason) {
			fieldError("waive_reason", "says why it is waived; it is %s: send the status too, or leave the reason out", f.Status)
		}
		f.WaiveReason = nil
	}
}

// dateCost says of which year's prices the cost is, unless that is given.
func (f *Finding) dateCost(before *Finding, sends func(field string) bool, today string) {
	switch {
	case f.EstimatedCost == nil:
	case before != nil && !same(before.EstimatedCost, f.EstimatedCost) && !sends("cost_year"):
		f.CostYear = yearOf(today)
	case f.CostYear == nil:
		f.CostYear = yearOf(*f.FoundOn)
	}
}

func yearOf(day string) *int {
	year, _ := strconv.Atoi(day[:min(4, len(day))]) // a date
	return &year
}

// checkCorrection keeps the day and the cost of the correction to those that are corrected.
func (f *Finding) checkCorrection(before *Finding, today string, fieldError func(field, format string, args ...any)) {
	if f.Status != "corrected" {
		what := fmt.Sprintf("is of the correction; it is %s: send the status too, or leave it out", f.Status)
		if f.CorrectedOn != nil && (before == nil || !same(before.CorrectedOn, f.CorrectedOn)) {
			fieldError("corrected_on", "%s", what)
		}
		if f.ActualCost != nil && (before == nil || !same(before.ActualCost, f.ActualCost)) {
			fieldError("actual_cost", "%s", what)
		}
		f.CorrectedOn, f.ActualCost = nil, nil
		return
	}
	if f.CorrectedOn == nil && before != nil && before.Status != "corrected" {
		f.CorrectedOn = &today
	}
	switch {
	case f.CorrectedOn == nil:
		fieldError("corrected_on", "is required of one that is entered as corrected")
	case *f.CorrectedOn > today:
		fieldError("corrected_on", "must not be in the future")
	case *f.CorrectedOn < *f.FoundOn:
		fieldError("corrected_on", "(%s) must not be before found_on (%s)", *f.CorrectedOn, *f.FoundOn)
	}
}

func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }
