package infrastructure

import (
	"ams.internal/libs/domain/bookvalue"
	"ams.internal/libs/domain/deficiencies"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/resource"
)

// Segment is a stretch of a network: a block of road between two crossings, a pipe between two manholes, a bridge.
type Segment struct {
	resource.Record
	NetworkID       string  `json:"network_id" required:"true" references:"networks" filter:"equals" facet:"true" doc:"The network it is a part of." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Name            string  `json:"name" required:"true" maxLength:"200" filter:"equals" sort:"index" search:"name" doc:"What people call the segment." example:"Rue Queen Ouest, de Spadina à Bathurst"`
	SegmentCode     *string `json:"segment_code" maxLength:"50" unique:"true" auto:"SEG-%06d" filter:"equals" sort:"true" search:"code" doc:"Its code; numbered when left out." example:"SEG-000001"`
	Status          string  `json:"status" default:"in_service" enum:"planned,in_service,out_of_service,abandoned,removed" filter:"equals" facet:"true" sort:"true" doc:"planned → in_service, removed; in_service → out_of_service, abandoned; out_of_service → in_service, abandoned; abandoned → removed, in_service; removed is final. 409 on abandoning or removing one with open work orders." example:"in_service"`
	FromDescription *string `json:"from_description" maxLength:"200" sort:"true" search:"text" doc:"Where it begins." example:"Spadina Avenue"`
	ToDescription   *string `json:"to_description" maxLength:"200" sort:"true" search:"text" doc:"Where it ends." example:"Bathurst Street"`
	SiteID          *string `json:"site_id" references:"sites" filter:"equals" doc:"The site it lies on." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	OutOfUseOn      *string `json:"out_of_use_on" format:"date" filter:"range" sort:"true" doc:"First day on which it no longer stood. The move to abandoned or removed stamps it with today unless it is given; the way back clears it. Neither in the future nor before installation." example:"2026-03-01"`
	Notes           *string `json:"notes" maxLength:"5000" doc:"Remarks for colleagues." example:"Chemisage prévu avec la réfection de la chaussée"`

	Geometry        *Geometry `json:"geometry" doc:"GeoJSON geometry, WGS 84, longitude before latitude."`
	Bbox            *Box      `json:"bbox" readOnly:"true" doc:"Bounding box of the geometry: least longitude and latitude, greatest longitude and latitude."`
	LengthM         *float64  `json:"length_m" minimum:"0" maximum:"100000000" unit:"m" filter:"range" sort:"true" doc:"Length. Left out or null, it is that of the geometry's lines (along the WGS 84 ellipsoid, to the centimetre), and follows the geometry; points and areas have none of their own." example:"412.60"`
	LengthComputed  bool      `json:"length_computed" readOnly:"true" doc:"Whether length_m follows the geometry."`
	MeasuredLengthM *float64  `json:"measured_length_m" readOnly:"true" unit:"m" doc:"The length that was measured along the geometry on the WGS 84 ellipsoid; null where length_m was given, and as long as one that was measured on a sphere has not been measured anew."`

	Material         *string  `json:"material" maxLength:"100" filter:"equals" sort:"true" doc:"What it is made of." example:"PVC"`
	DiameterMm       *float64 `json:"diameter_mm" minimum:"0" unit:"mm" filter:"range" sort:"true" doc:"Inside diameter." example:"200"`
	DepthM           *float64 `json:"depth_m" minimum:"0" unit:"m" doc:"Depth below ground." example:"2.4"`
	WidthM           *float64 `json:"width_m" minimum:"0" unit:"m" doc:"Width." example:"8.5"`
	SpanM            *float64 `json:"span_m" minimum:"0" unit:"m" filter:"range" doc:"Span of a bridge or culvert." example:"24.0"`
	Lanes            *int     `json:"lanes" minimum:"0" maximum:"30" filter:"range" doc:"Lanes of a road." example:"2"`
	SurfaceType      *string  `json:"surface_type" maxLength:"100" filter:"equals" sort:"true" doc:"Surface of a road, sidewalk or trail." example:"asphalt"`
	Paved            *bool    `json:"paved" filter:"equals" doc:"Whether the surface is paved. Left out or null, it follows surface_type: true for asphalt, concrete, surface_treated, paver and brick, false for gravel, earth, dirt and granular, null for any other word." example:"true"`
	PavedComputed    bool     `json:"paved_computed" readOnly:"true" doc:"Whether paved follows surface_type."`
	FunctionalClass  *string  `json:"functional_class" enum:"arterial,collector,local,laneway,trail" filter:"equals" facet:"true" sort:"true" doc:"What a road is for." example:"collector"`
	RoadClass        *int     `json:"road_class" minimum:"1" maximum:"6" filter:"range" sort:"true" doc:"Class 1 to 6 of Ontario's minimum maintenance standards (O. Reg. 239/02)." example:"3"`
	Environment      *string  `json:"environment" maxLength:"100" filter:"equals" sort:"true" doc:"What it is exposed to." example:"corrosive soil"`
	Aadt             *int     `json:"aadt" minimum:"0" filter:"range" sort:"true" doc:"Annual average daily traffic, vehicles." example:"8400"`
	SpeedLimitKmh    *int     `json:"speed_limit_kmh" minimum:"0" maximum:"200" unit:"km/h" filter:"range" doc:"Speed limit." example:"50"`
	LoadLimitT       *float64 `json:"load_limit_t" minimum:"0" unit:"t" filter:"range" doc:"Load limit of a bridge or road." example:"10"`
	ClearanceLimitM  *float64 `json:"clearance_limit_m" minimum:"0" unit:"m" filter:"range" doc:"Height limit of vehicles below or on a structure." example:"3.9"`
	WidthLimitM      *float64 `json:"width_limit_m" minimum:"0" unit:"m" filter:"range" doc:"Width limit of vehicles on a structure." example:"2.5"`
	UpstreamInvertM  *float64 `json:"upstream_invert_m" minimum:"-1000" maximum:"9000" unit:"m" doc:"Elevation of the invert at the upstream end." example:"101.70"`
	DownstreamInvert *float64 `json:"downstream_invert_m" minimum:"-1000" maximum:"9000" unit:"m" doc:"Elevation of the invert at the downstream end." example:"100.50"`
	SlopePct         *float64 `json:"slope_pct" readOnly:"true" unit:"percent" doc:"Fall from upstream to downstream over the length, three decimals."`
	LaneKm           *float64 `json:"lane_km" readOnly:"true" unit:"km" doc:"Length times lanes, three decimals."`
	Renewal
	Attributes map[string]any `json:"attributes" doc:"Up to 50 technical facts of your own: texts, numbers, true, false."`

	stated *rating // what the change states of the condition; nil where it states nothing
}

// Renewal is when a segment was built, how long it should last, what it costs to replace and how it is.
type Renewal struct {
	InstallDate              *string  `json:"install_date" format:"date" filter:"range" sort:"true" doc:"Day of construction." example:"1978-09-15"`
	InstallYear              *int     `json:"install_year" minimum:"1000" maximum:"2200" filter:"range" sort:"true" doc:"Year of construction, for where the day is not known. Follows install_date." example:"1978"`
	RelinedYear              *int     `json:"relined_year" minimum:"1000" maximum:"2200" filter:"range" sort:"true" doc:"Year in which a pipe was relined; not before install_year. Age still counts from install_date or install_year." example:"2015"`
	RelinedUsefulLifeYears   *int     `json:"relined_useful_life_years" minimum:"1" maximum:"500" unit:"year" doc:"How long the liner is expected to last from 1 July of relined_year, which it needs. The longer of pipe and liner counts for remaining life." example:"50"`
	ExpectedUsefulLifeYears  *int     `json:"expected_useful_life_years" minimum:"1" maximum:"500" unit:"year" filter:"range" doc:"How long it is expected to last from construction. New segments take the network's when left out." example:"80"`
	ReplacementCost          *float64 `json:"replacement_cost" money:"true" filter:"range" sort:"true" doc:"What replacing it like for like costs today. Left out or null, it is length_m times replacement_unit_cost_per_m, and follows them." example:"763310.00"`
	ReplacementCostComputed  bool     `json:"replacement_cost_computed" readOnly:"true" doc:"Whether replacement_cost follows length and unit cost."`
	ReplacementCostYear      *int     `json:"replacement_cost_year" minimum:"1900" maximum:"2200" filter:"range" sort:"true" doc:"The year of whose prices the cost is: of replacement_cost where it was given, else of replacement_unit_cost_per_m." example:"2025"`
	ReplacementCostAsOf      *string  `json:"replacement_cost_as_of" format:"date" filter:"range" doc:"Day on which that cost was said. Left out on create, 1 January of replacement_cost_year, else not known; left out where the cost changes, today." example:"2025-01-01"`
	ReplacementUnitCostPerM  *float64 `json:"replacement_unit_cost_per_m" money:"true" doc:"Replacement cost per metre. New segments without any cost take the network's." example:"1850.00"`
	DeferredMaintenanceCost  *float64 `json:"deferred_maintenance_cost" money:"true" filter:"range" sort:"true" doc:"Maintenance that is due and was put off. Of a segment with deficiencies it is what those come to that count this year, and typing another is a 409; without any, or with void ones alone, it is what was typed." example:"12000.00"`
	DeferredMaintenanceAsOf  *string  `json:"deferred_maintenance_as_of" format:"date" filter:"range" doc:"Day on which deferred_maintenance_cost was said. Left out on create, 1 January of replacement_cost_year, else not known; left out where the cost changes, today." example:"2026-05-12"`
	DeferredMaintenanceBasis *string  `json:"deferred_maintenance_basis" readOnly:"true" enum:"typed,deficiencies" doc:"Whether deferred_maintenance_cost was typed or follows from deficiencies; null where there is none."`
	DeficienciesWithoutCost  int      `json:"deficiencies_without_cost" readOnly:"true" filter:"range" doc:"Live deficiencies that count by this year, and of which nobody knows the cost: deferred_maintenance_cost lacks them. 0 where there is none."`
	PlannedRenewalYear       *int     `json:"planned_renewal_year" minimum:"1900" maximum:"2300" filter:"range" facet:"true" sort:"true" doc:"The year in which its renewal is planned." example:"2031"`
	ConditionRating          *int     `json:"condition_rating" minimum:"1" maximum:"5" filter:"range" facet:"true" sort:"true" doc:"Condition from 1 (very good) to 5 (very poor). The inspections set it, and what is set here: the latest inspection drives it, unless it is more than five years older than a later rating that was only reported." example:"3"`
	ConditionAssessedOn      *string  `json:"condition_assessed_on" format:"date" filter:"range" sort:"true" doc:"Day that condition_rating is of. Set with a rating, it dates it; left out while the rating changes, today. Not in the future." example:"2026-05-12"`
	ConditionMethod          *string  `json:"condition_method" enum:"visual,detailed,instrument,desktop,age_based,reported,cctv,pavement_survey,osim,acoustic,lidar,other" filter:"equals" doc:"How condition_rating was found out. Set with a rating; reported when left out." example:"osim"`
	ConditionSourceID        *string  `json:"condition_source_id" format:"uuid" readOnly:"true" doc:"The inspection that condition_rating comes from; null where it was set on the segment itself."`
	ReportedConditionRating  *int     `json:"reported_condition_rating" readOnly:"true" doc:"The latest rating that was only reported or follows from the age, also where it does not drive condition_rating."`
	ConditionReportedAt      *string  `json:"condition_reported_at" format:"date-time" readOnly:"true" doc:"When that was set."`
	ProbabilityOfFailure     *int     `json:"probability_of_failure" minimum:"1" maximum:"5" filter:"range" doc:"From 1 (rare) to 5 (almost certain). Empty: the condition rating is taken." example:"3"`
	ConsequenceOfFailure     *int     `json:"consequence_of_failure" minimum:"1" maximum:"5" filter:"range" doc:"From 1 (negligible) to 5 (catastrophic)." example:"4"`

	ConditionGrade     *string  `json:"condition_grade" readOnly:"true" enum:"very_good,good,fair,poor,very_poor" doc:"The word for condition_rating."`
	RiskScore          *int     `json:"risk_score" readOnly:"true" generated:"true" filter:"range" sort:"true" doc:"Probability times consequence of failure, 1 to 25."`
	RiskLevel          *string  `json:"risk_level" readOnly:"true" enum:"very_low,low,moderate,high,very_high" doc:"1–4 very_low, 5–7 low, 8–9 moderate, 10–14 high, 15–25 very_high."`
	AgeYears           *float64 `json:"age_years" readOnly:"true" sort:"true" unit:"year" doc:"Age today, to one decimal. A year alone counts from 1 July."`
	RemainingLifeYears *float64 `json:"remaining_life_years" readOnly:"true" sort:"true" unit:"year" doc:"Expected useful life less age, or what is left of a liner's, whichever is longer; negative once both are over."`
	PastUsefulLife     *bool    `json:"past_useful_life" readOnly:"true" doc:"Whether the expected useful life, and a liner's, is over; null where age or expected life is not known."`
	Currency           string   `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`
}

func (f family) segments() resource.Definition[Segment] {
	return resource.Definition[Segment]{
		Collection: "segments", Table: "segment",
		NaturalKey: "segment_code", Geometry: "geometry", Expansions: bookvalue.Expansions,
		Totals: &resource.Totals{Doc: resource.TotalsDoc, Sums: []resource.Sum{
			{Name: "length_m", SQL: "t.length_m", Doc: "Of those that have one."},
			{Name: "replacement_cost", SQL: "t.replacement_cost", Doc: "Of those that have one."},
			{Name: "deferred_maintenance_cost", SQL: "t.deferred_maintenance_cost", Doc: "As recorded."},
		}, Groups: []string{"network_id", "site_id", "status", "material", "surface_type", "condition_rating", "planned_renewal_year"}},
		Computed: map[string]string{
			"slope_pct":            indicators.SlopePct("t"),
			"lane_km":              indicators.LaneKm("t"),
			"condition_grade":      indicators.ConditionGrade("t"),
			"risk_level":           indicators.RiskLevel("t.risk_score"),
			"age_years":            indicators.AgeYears("t", indicators.Today),
			"remaining_life_years": indicators.LinearRemainingLifeYears("t", indicators.Today),
			"past_useful_life":     indicators.LinearPastUsefulLife("t", indicators.Today),
			"currency":             resource.Currency,

			"deferred_maintenance_basis": deficiencies.Basis("t"),
			"deficiencies_without_cost":  "coalesce(" + deficiencies.Unpriced("t", thisYear) + ", 0)",
		},
		Filters: map[string]resource.Filter{"bbox": inBox, "past_useful_life": pastUsefulLife, "asset_class": ofAssetClass},
		// The transitions are those of an asset, with abandoned for decommissioned and removed for disposed.
		Transitions: resource.Transitions{Field: "status", Ended: []string{"removed"}, From: map[string][]string{
			"planned":        {"in_service", "removed"},
			"in_service":     {"out_of_service", "abandoned"},
			"out_of_service": {"in_service", "abandoned"},
			"abandoned":      {"removed", "in_service"},
		}},
		BeforeWrite: f.prepareSegments,
		AfterWrite:  keepRatings,
	}
}
