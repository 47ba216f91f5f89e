package mcp

import "context"

type searchSegmentsArguments struct {
	Q         string   `json:"q"`
	NetworkID string   `json:"network_id" format:"uuid"`
	Status    []string `json:"status" enum:"planned,in_service,out_of_service,abandoned,removed"`
	Sort      string   `json:"sort"`
	filterArguments
	pageArguments
}

var searchSegments = define("infrastructure", tool{
	name: "search_segments", title: "Search segments", feature: "infrastructure",
	description: "Segments of roads, pipes, bridges and other networks. filters: asset_class (road, water_main, storm_sewer …), material, " +
		"install_year_max, condition_rating_min, risk_score_min, diameter_mm, surface_type, bbox … Geometry is shown only if fields names it.",
	scopes: []string{"infrastructure:read"}, operations: []string{"GET /v1/infrastructure/segments"}, additions: []string{documentsOperation},
	output: searchResult,
}, func(ctx context.Context, call *toolCall, in *searchSegmentsArguments) (any, error) {
	found, err := call.searchFiltered(ctx, segments, call.query(in), in.filterArguments, in.pageArguments)
	return call.withDocumentsOfOne(ctx, found, err)
})

type recordInspectionArguments struct {
	SegmentID         string   `json:"segment_id" required:"true" format:"uuid"`
	InspectedOn       string   `json:"inspected_on" required:"true" format:"date"`
	Method            string   `json:"method" enum:"visual,cctv,pavement_survey,osim,acoustic,lidar,desktop,other"`
	IndexType         string   `json:"index_type" enum:"pci,bci,pacp_5,iimm_5,iri,other_100"`
	IndexValue        *float64 `json:"index_value"`
	ConditionRating   *int     `json:"condition_rating" minimum:"1" maximum:"5" doc:"Derived from the index if left out."`
	Defects           []string `json:"defects" maxLength:"1000"`
	RecommendedAction string   `json:"recommended_action" enum:"none,monitor,maintain,rehabilitate,replace"`
	EstimatedCost     *float64 `json:"estimated_cost" money:"true"`
	NextDueOn         string   `json:"next_due_on" format:"date"`
	Notes             string   `json:"notes" maxLength:"5000"`

	Deficiencies []foundDeficiency `json:"deficiencies" maxItems:"100" doc:"What was found deficient."`
	idempotencyArgument
}

var recordInspection = define("infrastructure", tool{
	name: "record_inspection", title: "Record an inspection of a segment", writes: true, feature: "infrastructure",
	description: "Enters an inspection of a segment. For five years it outranks reported ratings.",
	scopes:      []string{"infrastructure:write"}, operations: []string{"POST /v1/infrastructure/inspections"},
	output: object(node{"id": text, "segment": reference, "inspected_on": text, "condition_rating": integer,
		"index_type": text, "index_value": number}),
}, func(ctx context.Context, call *toolCall, in *recordInspectionArguments) (any, error) {
	return call.create(ctx, inspections, "/v1/infrastructure/inspections", in, in.idempotencyArgument)
})

var inspections = &collection{kind: "inspection", references: []nameReference{referenceTo("segment", "segments")}}
