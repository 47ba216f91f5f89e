package planning

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource"
)

// Treatment is something that can be done to the elements of a class: when, at what cost, and what it does to their condition.
type Treatment struct {
	resource.Record
	AssetClassID      string  `json:"asset_class_id" required:"true" references:"asset_classes" filter:"equals" doc:"The class." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Name              string  `json:"name" required:"true" maxLength:"200" unique:"asset_class_id" filter:"prefix" sort:"true" search:"name" doc:"What people call it; unique in the class." example:"Resurfaçage"`
	Code              *string `json:"code" maxLength:"50" unique:"true" auto:"TRT-%04d" filter:"equals" sort:"true" search:"code" doc:"Short code; numbered when left out." example:"TRT-0001"`
	Kind              string  `json:"kind" required:"true" enum:"maintenance,rehabilitation,replacement" filter:"equals" sort:"true" doc:"What it is. A replacement makes the element new." example:"rehabilitation"`
	LifecycleActivity *string `json:"lifecycle_activity" enum:"maintenance,renewal,growth,service_improvement,disposal,non_infrastructure" filter:"equals" sort:"true" doc:"Which lifecycle activity of the asset management plan (O. Reg. 588/17) it belongs to, as of projects. By kind when left out: maintenance, else renewal." example:"renewal"`

	CostBasis    string   `json:"cost_basis" required:"true" enum:"fixed,per_unit,pct_of_replacement" filter:"equals" doc:"fixed: cost is an amount. per_unit: an amount for each unit of the class. pct_of_replacement: percent of what it costs to replace the element." example:"pct_of_replacement"`
	Cost         float64  `json:"cost" required:"true" minimum:"0.01" maximum:"9999999999999" decimals:"2" filter:"range" sort:"true" doc:"What it costs, by cost_basis." example:"40"`
	Mobilization *float64 `json:"mobilization" money:"true" doc:"What it costs besides, once for each element." example:"5000.00"`
	PriceYear    *int     `json:"price_year" minimum:"1900" maximum:"2200" doc:"The year whose prices cost and mobilization are in; the class's when left out." example:"2026"`
	PriceIndexID *string  `json:"price_index_id" references:"price_indexes" filter:"equals" doc:"By which they are brought to the prices of another year; the class's when left out." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Currency     string   `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`

	Trigger           *TreatmentTrigger `json:"trigger" column:"possible_when" doc:"When it is possible: when all that stands here holds; always when left out."`
	Effect            *TreatmentEffect  `json:"effect" doc:"What it does to the condition; exactly one of its members, and none for a replacement."`
	ClearsDeferredPct *int              `json:"clears_deferred_pct" minimum:"0" maximum:"100" unit:"percent" doc:"How much of the deferred maintenance it clears; 100 when left out, for maintenance 0." example:"100"`
}

// TreatmentTrigger is when a treatment is possible.
type TreatmentTrigger struct {
	ConditionMin    *float64    `json:"condition_min,omitempty" required:"false" minimum:"0" maximum:"100" unit:"point" doc:"The least condition; this one too." example:"40"`
	ConditionMax    *float64    `json:"condition_max,omitempty" required:"false" minimum:"0" maximum:"100" unit:"point" doc:"The greatest condition; this one too." example:"65"`
	AgeMinYears     *float64    `json:"age_min_years,omitempty" required:"false" minimum:"0" maximum:"1000" unit:"year" doc:"The least effective age." example:"10"`
	LifeUsedMinPct  *int        `json:"life_used_min_pct,omitempty" required:"false" minimum:"0" maximum:"1000" unit:"percent" doc:"The least part of the useful life that is used." example:"80"`
	YearsBetween    *int        `json:"years_between,omitempty" required:"false" minimum:"1" maximum:"200" unit:"year" doc:"Since it was done last." example:"8"`
	MaxApplications *int        `json:"max_applications,omitempty" required:"false" minimum:"1" maximum:"100" doc:"How often it is done at most before the element is replaced." example:"2"`
	Fields          []FieldTest `json:"fields,omitempty" required:"false" maxItems:"10" doc:"Tests of custom fields; of a segment also of attributes."`
	PlannedRenewal  *bool       `json:"planned_renewal,omitempty" required:"false" doc:"Of a replacement: a year of renewal that has come stands for condition, age and life." example:"true"`
}

// TreatmentEffect is what a treatment does to the condition.
type TreatmentEffect struct {
	ResetTo       *float64    `json:"reset_to,omitempty" required:"false" minimum:"1" maximum:"100" unit:"point" doc:"The condition afterwards. Of a markov model: the state of that condition." example:"90"`
	AddPoints     *float64    `json:"add_points,omitempty" required:"false" minimum:"0.1" maximum:"100" unit:"point" doc:"How many points the condition gains, up to 100." example:"20"`
	AddYears      *float64    `json:"add_years,omitempty" required:"false" minimum:"0.1" maximum:"200" unit:"year" doc:"How many years younger it is." example:"10"`
	Slow          *SlowEffect `json:"slow,omitempty" required:"false" doc:"It ages more slowly for some years."`
	ImproveStates *int        `json:"improve_states,omitempty" required:"false" minimum:"1" maximum:"4" doc:"Of a markov model: how many states it gains." example:"1"`
}

// SlowEffect is that something ages more slowly.
type SlowEffect struct {
	Years int `json:"years" minimum:"1" maximum:"100" unit:"year" doc:"For how long." example:"5"`
	Pct   int `json:"pct" minimum:"0" maximum:"99" unit:"percent" doc:"Of a year that it ages in one." example:"40"`
}

var treatments = resource.Definition[Treatment]{
	Collection: "treatments", Table: "treatment", NaturalKey: "code", Category: "kind",
	Computed:    map[string]string{"currency": resource.Currency},
	BeforeWrite: prepareTreatments,
}

func prepareTreatments(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Treatment]) error {
	var classes []string
	for _, c := range changes {
		if c.After != nil {
			classes = append(classes, c.After.AssetClassID)
		}
	}
	models, err := modelKinds(ctx, tx, classes)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.After != nil {
			c.After.check(models[c.After.AssetClassID], c.FieldError)
		}
	}
	return nil
}

// modelKinds gives how classes deteriorate; one without a model is not among them.
func modelKinds(ctx context.Context, tx pgx.Tx, classes []string) (map[string]string, error) {
	return texts(ctx, tx, `SELECT c.id::text, m.kind FROM asset_class c
		JOIN deterioration_model m ON m.organization_id = c.organization_id AND m.id = c.model_id
		WHERE c.organization_id = current_organization() AND c.id = ANY($1::uuid[])`, classes)
}

func (t *Treatment) check(model string, fieldError func(field, format string, args ...any)) {
	if t.CostBasis == "pct_of_replacement" && t.Cost > 1000 {
		fieldError("cost", "is percent of the replacement cost, at most 1000; for an amount, cost_basis is fixed or per_unit")
	}
	if trigger := t.Trigger; trigger != nil {
		if lowest, highest := trigger.ConditionMin, trigger.ConditionMax; lowest != nil && highest != nil && *highest < *lowest {
			fieldError("trigger.condition_max", "must be condition_min (%v) or more", *lowest)
		}
		if trigger.PlannedRenewal != nil && *trigger.PlannedRenewal && t.Kind != "replacement" {
			fieldError("trigger.planned_renewal", "is for replacements; this is %s", t.Kind)
		}
	}
	t.checkEffect(model, fieldError)
}

func (t *Treatment) checkEffect(model string, fieldError func(field, format string, args ...any)) {
	e := t.Effect
	if e == nil {
		e = &TreatmentEffect{}
	}
	var given []string
	for _, m := range []struct {
		name    string
		given   bool
		ages    bool // for what ages by a curve, table or share that survives
		moves   bool // for what moves between states
		suggest string
	}{
		{"reset_to", e.ResetTo != nil, true, true, ""},
		{"add_points", e.AddPoints != nil, true, false, "improve_states"}, {"add_years", e.AddYears != nil, true, false, "improve_states"},
		{"slow", e.Slow != nil, true, false, "improve_states"}, {"improve_states", e.ImproveStates != nil, false, true, "add_points"},
	} {
		if !m.given {
			continue
		}
		given = append(given, m.name)
		if model == "markov" && !m.moves || model != "markov" && model != "" && !m.ages {
			fieldError("effect."+m.name, "is not for a class whose model is %s; use reset_to or %s", model, m.suggest)
		}
	}
	switch {
	case t.Kind == "replacement" && len(given) > 0:
		fieldError("effect."+given[0], "is not for a replacement, which makes the element new")
	case t.Kind != "replacement" && len(given) != 1:
		fieldError("effect", "must be exactly one of reset_to, add_points, add_years, slow and improve_states; there are %d", len(given))
	}
}
