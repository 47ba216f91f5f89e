package assets

import (
	"strconv"

	"ams.internal/libs/domain/deficiencies"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/fault"
	"ams.internal/libs/schema"

	"ams.internal/libs/resource"
)

// Classification is what kind of thing a system or an asset is.
type Classification struct {
	UniformatCode *string `json:"uniformat_code" pattern:"^[A-G](\\d{2}(\\d{2}(\\d{2})?)?)?$" patternDescription:"a UNIFORMAT II code such as D, D30, D3020 or D302001" filter:"prefix" sort:"true" doc:"Place in the UNIFORMAT II classification (ASTM E1557). As a filter: everything below the code." example:"D3020"`
	Category      *string `json:"category" enum:"substructure,shell,interiors,plumbing,hvac,fire_protection,electrical,conveying,controls,equipment_furnishings,special_construction,sitework,other" filter:"equals" facet:"true" sort:"true" search:"text" doc:"Kind of system. Left out on create, it follows from uniformat_code." example:"hvac"`
}

// categoryWords are what people call the categories.
var categoryWords = map[string]map[string]string{"category": {
	"substructure":          "substructure foundation fondations",
	"shell":                 "shell envelope enveloppe", //nolint:misspell // French
	"interiors":             "interior finishes intérieur finitions",
	"plumbing":              "plumbing plomberie",
	"hvac":                  "HVAC heating ventilation cooling CVC chauffage climatisation",
	"fire_protection":       "fire protection incendie",
	"electrical":            "electrical electricity électricité électrique",
	"conveying":             "conveying elevators ascenseurs transport vertical",
	"controls":              "controls automation régulation automatisation",
	"equipment_furnishings": "equipment furnishings équipement mobilier",
	"special_construction":  "special construction spéciale",
	"sitework":              "site work aménagement extérieur",
	"other":                 "other autre",
}}

// Lifecycle is when something was installed, how long it should last, what it costs to replace and how it is.
type Lifecycle struct {
	InstallDate             *string  `json:"install_date" format:"date" filter:"range" sort:"true" doc:"Day of installation." example:"2011-08-15"`
	InstallYear             *int     `json:"install_year" minimum:"1000" maximum:"2200" filter:"range" facet:"true" sort:"true" doc:"Year of installation, for where the day is not known. Follows install_date." example:"2011"`
	ExpectedUsefulLifeYears *int     `json:"expected_useful_life_years" minimum:"1" maximum:"500" unit:"year" filter:"range" doc:"How long it is expected to last from installation." example:"25"`
	ReplacementCost         *float64 `json:"replacement_cost" money:"true" filter:"range" sort:"true" doc:"What replacing it like for like costs today." example:"48500.00"`
	ReplacementCostYear     *int     `json:"replacement_cost_year" minimum:"1900" maximum:"2200" doc:"The year whose prices replacement_cost is in." example:"2026"`
	DeferredMaintenanceCost *float64 `json:"deferred_maintenance_cost" money:"true" filter:"range" sort:"true" doc:"Maintenance that is due and was put off. Once the record has a deficiency that is not void, it is what its live deficiencies that count cost by this year, and cannot be typed." example:"3200.00"`
	PlannedRenewalYear      *int     `json:"planned_renewal_year" minimum:"1900" maximum:"2300" filter:"range" facet:"true" sort:"true" doc:"The year in which its renewal is planned." example:"2031"`
	ConditionRating         *int     `json:"condition_rating" minimum:"1" maximum:"5" filter:"range" facet:"true" sort:"true" doc:"Condition from 1 (very good) to 5 (very poor)." example:"3"`

	DeferredMaintenanceBasis *string `json:"deferred_maintenance_basis" readOnly:"true" enum:"typed,deficiencies" filter:"equals" doc:"What deferred_maintenance_cost comes from: typed on the record or said by an assessment, or its deficiencies; null where it is not known."`
	DeficienciesWithoutCost  int     `json:"deficiencies_without_cost" readOnly:"true" filter:"range" doc:"Live deficiencies of the record that count by this year, and of which nobody knows the cost."`

	ConditionGrade     *string  `json:"condition_grade" readOnly:"true" enum:"very_good,good,fair,poor,very_poor" doc:"The word for condition_rating."`
	AgeYears           *float64 `json:"age_years" readOnly:"true" sort:"true" unit:"year" doc:"Age today, to one decimal. A year alone counts from 1 July."`
	RemainingLifeYears *float64 `json:"remaining_life_years" readOnly:"true" sort:"true" unit:"year" doc:"Expected useful life less age; negative once it is over."`
	PastUsefulLife     *bool    `json:"past_useful_life" readOnly:"true" doc:"Whether the expected useful life is over; null where age or expected life is not known."`
	Currency           string   `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`
}

// lifecycleComputed are the read-only fields of Lifecycle, as of today.
func lifecycleComputed() map[string]string {
	return map[string]string{
		"condition_grade":      indicators.ConditionGrade("t"),
		"age_years":            indicators.AgeYears("t", indicators.Today),
		"remaining_life_years": indicators.RemainingLifeYears("t", indicators.Today),
		"past_useful_life":     indicators.PastUsefulLife("t", indicators.Today),
		"currency":             resource.Currency,

		"deferred_maintenance_basis": deficiencies.Basis("t"),
		"deficiencies_without_cost":  "coalesce(" + deficiencies.Unpriced("t", thisYear) + ", 0)",
	}
}

// thisYear is the year that it is for the organization.
const thisYear = "extract(year FROM " + indicators.Today + ")::int"

// rejectTyped objects to another deferred maintenance than the one that follows from the record's deficiencies. It reports
// whether it follows from them.
func (l *Lifecycle) rejectTyped(before *Lifecycle, sets func(field string) bool, reject func(reason *fault.Error)) bool {
	if before == nil || before.DeferredMaintenanceBasis == nil || *before.DeferredMaintenanceBasis != "deficiencies" {
		return false
	}
	if sets("deferred_maintenance_cost") && !resource.Same(before.DeferredMaintenanceCost, l.DeferredMaintenanceCost) {
		var typed any
		if l.DeferredMaintenanceCost != nil {
			typed = *l.DeferredMaintenanceCost
		}
		reject(fault.Conflict("derived_from_deficiencies", "deferred_maintenance_cost", typed,
			"The deferred maintenance follows from the record's deficiencies; change those, or leave deferred_maintenance_cost out."))
	}
	l.DeferredMaintenanceCost = before.DeferredMaintenanceCost
	return true
}

// pastUsefulLife is the filter of that name. Rows whose life is unknown match neither true nor false.
var pastUsefulLife = resource.Filter{
	Kind: schema.Boolean,
	Doc:  "Only those whose expected useful life is over (true) or is not over (false).",
	SQL:  indicators.PastUsefulLife("t", indicators.Today) + " = $2",
}

// check makes install_year agree with install_date: the date is more precise, so it fills the year. A year that the caller sets to
// something else is a contradiction. One that the caller left unchanged is replaced.
func (l *Lifecycle) check(before *Lifecycle, fieldError func(field, format string, args ...any)) {
	if l.InstallDate == nil {
		return
	}
	year, _ := strconv.Atoi((*l.InstallDate)[:4])
	if l.InstallYear != nil && *l.InstallYear != year && (before == nil || !resource.Same(before.InstallYear, l.InstallYear)) {
		fieldError("install_year", "is %d, but install_date lies in %d; correct one of them or leave install_year out", *l.InstallYear, year)
		return
	}
	l.InstallYear = &year
}

// categoryOfUniformat maps groups of UNIFORMAT II to categories: the level 1 letters, and the level 2 groups of D.
var categoryOfUniformat = map[string]string{
	"A": "substructure", "B": "shell", "C": "interiors", "E": "equipment_furnishings", "F": "special_construction", "G": "sitework",
	"D10": "conveying", "D20": "plumbing", "D30": "hvac", "D40": "fire_protection", "D50": "electrical",
}

// fillCategory fills an empty category from the code on create, and when the code is given or changed.
func (c *Classification) fillCategory(before *Classification) {
	if c.Category != nil || c.UniformatCode == nil || before != nil && resource.Same(before.UniformatCode, c.UniformatCode) {
		return
	}
	code := *c.UniformatCode
	for _, group := range []string{code[:min(3, len(code))], code[:1]} {
		if category, known := categoryOfUniformat[group]; known {
			c.Category = &category
			return
		}
	}
}
