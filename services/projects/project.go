package projects

import (
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/effects/stored"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
)

// Project is one undertaking of the capital plan: a roof to renew, a main to replace, a library to build.
type Project struct {
	resource.Record
	Name              string  `json:"name" required:"true" maxLength:"200" filter:"equals" sort:"index" search:"name" doc:"What people call the project." example:"Réfection de la toiture, école Saint-Joseph"`
	Code              *string `json:"code" maxLength:"50" unique:"true" auto:"PRJ-%04d" filter:"equals" sort:"true" search:"code" doc:"Short code; numbered when left out." example:"PRJ-0001"`
	ProjectType       *string `json:"project_type" enum:"renewal,replacement,rehabilitation,expansion,new_construction,upgrade,demolition,study,other" filter:"equals" sort:"true" doc:"What is done." example:"renewal"`
	LifecycleActivity *string `json:"lifecycle_activity" enum:"maintenance,renewal,growth,service_improvement,disposal,non_infrastructure" filter:"equals" sort:"true" doc:"Which lifecycle activity of the asset management plan (O. Reg. 588/17) it belongs to." example:"renewal"`
	Status            string  `json:"status" default:"proposed" enum:"proposed,deferred,approved,in_progress,on_hold,completed,closed,cancelled" filter:"equals" sort:"true" doc:"proposed → approved, deferred, cancelled; deferred → proposed, cancelled; approved → in_progress, on_hold, deferred, cancelled; in_progress → on_hold, completed, cancelled; on_hold → in_progress, cancelled; completed → closed, in_progress; cancelled → proposed; closed is final. Approving needs a budget_amount above 0, closing that every phase is completed or cancelled." example:"proposed"`
	Health            *string `json:"health" enum:"on_track,at_risk,off_track" filter:"equals" sort:"true" doc:"How it goes, in the manager's judgment." example:"on_track"`

	Description   *string `json:"description" maxLength:"5000" doc:"What is to be done." example:"Remplacement de la membrane et de l'isolant"`
	Justification *string `json:"justification" maxLength:"5000" doc:"Why it is to be done." example:"Infiltrations répétées depuis 2023"`

	SiteID        *string `json:"site_id" references:"sites" filter:"equals" doc:"The site. Follows from building_id." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	BuildingID    *string `json:"building_id" references:"buildings" filter:"equals" doc:"The building." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	NetworkID     *string `json:"network_id" references:"networks" filter:"equals" doc:"The network of linear assets." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	ManagerUserID *string `json:"manager_user_id" references:"users" filter:"equals" doc:"The user who manages the project." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Department    *string `json:"department" maxLength:"100" filter:"equals" sort:"true" search:"text" doc:"The department that carries it." example:"Travaux publics"`

	FiscalYear       *int     `json:"fiscal_year" minimum:"1900" maximum:"2200" unit:"year" filter:"range" sort:"true" doc:"Fiscal year of the project, by the calendar year it begins in. A project without budget lines costs its money in this year of the plan." example:"2027"`
	PlannedStartDate *string  `json:"planned_start_date" format:"date" filter:"range" sort:"true" doc:"Day it is to begin." example:"2027-06-28"`
	PlannedEndDate   *string  `json:"planned_end_date" format:"date" filter:"range" sort:"true" doc:"Day it is to be finished; not before planned_start_date." example:"2027-08-27"`
	ActualStartDate  *string  `json:"actual_start_date" format:"date" filter:"range" sort:"true" doc:"Day it began." example:"2027-07-05"`
	ActualEndDate    *string  `json:"actual_end_date" format:"date" filter:"range" sort:"true" doc:"Day it was finished; not before actual_start_date." example:"2027-09-03"`
	EstimateAmount   *float64 `json:"estimate_amount" money:"true" filter:"range" sort:"true" doc:"What it was estimated to cost, contingency included." example:"1450000.00"`
	EstimateClass    *string  `json:"estimate_class" enum:"A,B,C,D" filter:"equals" sort:"true" doc:"How exact the estimate is, after Public Services and Procurement Canada: A at tender (±5–10 %) to D indicative (±20–30 %)." example:"C"`
	ContingencyPct   *float64 `json:"contingency_pct" minimum:"0" maximum:"100" unit:"percent" filter:"range" doc:"Contingency that the estimate includes." example:"12.5"`
	Amounts
	PercentComplete  *float64          `json:"percent_complete" minimum:"0" maximum:"100" unit:"percent" filter:"range" sort:"true" doc:"How much of the work is done." example:"35"`
	PriorityCriteria *PriorityCriteria `json:"priority_criteria" doc:"How strongly each criterion speaks for the project, from 0 (not at all) to 5 (most). What a change leaves out stays."`

	PriorityScore    *float64 `json:"priority_score" readOnly:"true" filter:"range" sort:"true" doc:"From 0 to 100: the priority criteria weighted risk 30, legislated 20, health_safety 20, los_impact 15, cost_avoidance 10, climate 5. A criterion left out counts 0; null where none is given. {4, 5, 3, 2, 1, 0} is 64.0."`
	FundingConfirmed float64  `json:"funding_confirmed" decimals:"2" readOnly:"true" filter:"range" sort:"true" doc:"Sum of the funding sources that are confirmed or received."`
	FundingGap       *float64 `json:"funding_gap" decimals:"2" readOnly:"true" filter:"range" sort:"true" doc:"How much of the cost funding_confirmed does not cover; 0 where it covers it. The cost is budget_amount, else estimate_amount; of a completed project actual_amount and committed_amount, of a closed one actual_amount, where those are not 0."`
	FundingSurplus   *float64 `json:"funding_surplus" decimals:"2" readOnly:"true" filter:"range" sort:"true" doc:"How much more funding_confirmed is than that cost; 0 where it is not."`
	Variance         *float64 `json:"variance" decimals:"2" readOnly:"true" filter:"range" sort:"true" doc:"budget_amount less forecast_amount. Negative where it is expected to cost more than budgeted."`
	Remaining        *float64 `json:"remaining" decimals:"2" readOnly:"true" filter:"range" sort:"true" doc:"budget_amount less committed_amount and actual_amount: what is still free to be spent."`
	Currency         string   `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`

	Effects []stored.Declared `json:"effects" writeOnly:"true" makes:"project_effects" maxItems:"500" doc:"What its completion does to other records, declared with it; further ones at …/effects, where they are listed."`
}

// Amounts are the amounts of a project. Once the project has budget lines, the four are their sums.
type Amounts struct {
	BudgetAmount    *float64 `json:"budget_amount" money:"true" filter:"range" sort:"true" doc:"What may be spent. Once the project has budget lines it is their sum and read-only: what is sent is ignored." example:"1500000.00"`
	ForecastAmount  *float64 `json:"forecast_amount" money:"true" filter:"range" sort:"true" doc:"What it is expected to cost in the end. Once the project has budget lines it is their sum and read-only." example:"1475000.00"`
	CommittedAmount *float64 `json:"committed_amount" money:"true" filter:"range" sort:"true" doc:"Contracts and purchase orders given out and not yet paid; no part of actual_amount. Once the project has budget lines it is their sum and read-only." example:"620000.00"`
	ActualAmount    *float64 `json:"actual_amount" money:"true" filter:"range" sort:"true" doc:"What was spent. Once the project has budget lines it is their sum and read-only." example:"410000.00"`
}

// PriorityCriteria are the reasons for a project; indicators.PriorityScore weighs them.
type PriorityCriteria struct {
	Risk          *int `json:"risk" required:"false" minimum:"0" maximum:"5" doc:"0 (not at all) to 5 (most): risk of failure that it takes away." example:"4"`
	Legislated    *int `json:"legislated" required:"false" minimum:"0" maximum:"5" doc:"0 (not at all) to 5 (most): whether a law or regulation demands it." example:"5"`
	HealthSafety  *int `json:"health_safety" required:"false" minimum:"0" maximum:"5" doc:"0 (not at all) to 5 (most): what it does for health and safety." example:"3"`
	LOSImpact     *int `json:"los_impact" required:"false" minimum:"0" maximum:"5" doc:"0 (not at all) to 5 (most): what it does for the level of service." example:"2"`
	CostAvoidance *int `json:"cost_avoidance" required:"false" minimum:"0" maximum:"5" doc:"0 (not at all) to 5 (most): what it saves later." example:"1"`
	Climate       *int `json:"climate" required:"false" minimum:"0" maximum:"5" doc:"0 (not at all) to 5 (most): what it does against climate change, or against what it brings." example:"0"`
}

var projects = resource.Definition[Project]{
	Collection: "projects", Table: "project", NaturalKey: "code", Category: "project_type",
	Computed: map[string]string{
		"priority_score": indicators.PriorityScore("t"), "funding_gap": indicators.FundingGap("t"),
		"funding_surplus": indicators.FundingSurplus("t"),
		"variance":        indicators.BudgetVariance("t"), "remaining": indicators.BudgetRemaining("t"), "currency": resource.Currency,
	},
	Totals: &resource.Totals{Doc: resource.TotalsDoc, Sums: []resource.Sum{
		{Name: "budget_amount", SQL: "t.budget_amount", Doc: "What may be spent, in all years."},
		{Name: "estimate_amount", SQL: "t.estimate_amount", Doc: "What they were estimated to cost."},
		{Name: "funding_confirmed", SQL: "t.funding_confirmed", Doc: "Sources that are confirmed or received."},
		{Name: "funding_gap", SQL: indicators.FundingGap("t"), Doc: "Of each, added up."},
	}, Groups: []string{"status", "project_type", "lifecycle_activity", "health", "fiscal_year", "department", "site_id", "building_id",
		"network_id"}},
	Filters: map[string]resource.Filter{
		"linked_to": {
			Kind: schema.UUID, Doc: "Projects with a link to this record: an asset, a segment, a building, a system, a site or a work order.",
			SQL: "EXISTS (SELECT FROM project_link l WHERE l.organization_id = t.organization_id AND l.project_id = t.id AND l.target_id = $2)",
		},
		"spending_year": {
			Kind: schema.Integer, Doc: "Projects with money in this fiscal year: budgeted, expected, committed or spent in one of their budget " +
				"lines; without lines, those whose fiscal_year it is, with a budget or an estimate. fiscal_year is the year of the project itself.",
			SQL: spendingYear,
		},
	},
	Transitions: resource.Transitions{Field: "status", From: projectTransitions, Ended: []string{"closed", "cancelled"}},
	Resolve:     resolveSites,
	BeforeWrite: prepareProjects,
	Events:      map[string]resource.Emits[Project]{"project.status_changed": resource.WhenUpdated(statusChanged)},
}

// spendingYear says that a project has money in the fiscal year $2.
const spendingYear = `CASE WHEN EXISTS (SELECT FROM project_budget_line l WHERE l.organization_id = t.organization_id
	AND l.project_id = t.id)
	THEN EXISTS (SELECT FROM project_budget_line l WHERE l.organization_id = t.organization_id AND l.project_id = t.id AND l.fiscal_year = $2
		AND (l.budget_amount <> 0 OR l.forecast_amount <> 0 OR l.committed_amount <> 0 OR l.actual_amount <> 0))
	ELSE t.fiscal_year = $2 AND coalesce(t.budget_amount, t.estimate_amount) > 0 END`

var projectTransitions = map[string][]string{
	"proposed":    {"approved", "deferred", "cancelled"},
	"deferred":    {"proposed", "cancelled"},
	"approved":    {"in_progress", "on_hold", "deferred", "cancelled"},
	"in_progress": {"on_hold", "completed", "cancelled"},
	"on_hold":     {"in_progress", "cancelled"},
	"completed":   {"closed", "in_progress"},
	"cancelled":   {"proposed"},
}
