package mcp

import (
	"context"
	"net/url"
)

type losScorecardArguments struct {
	ServiceAreaID string `json:"service_area_id" format:"uuid" api:"-" doc:"Left out: the service areas are listed."`
	AsOf          string `json:"as_of" format:"date"`
}

var losScorecard = define("levels_of_service", tool{
	name: "los_scorecard", title: "Level-of-service scorecard", feature: "los",
	description: "Which measures of a service area meet their targets, with latest value, trend and the measure ids that " +
		"record_measurement takes.",
	scopes: []string{"los:read"}, operations: []string{"GET /v1/los/service-areas/{id}/scorecard", "GET /v1/los/service-areas"},
	output: object(node{
		"id": text, "name": text, "category": text, "as_of": text, "attainment_pct": number, "met": integer, "near": integer, "missed": integer,
		"no_target": integer, "no_data": integer,
		"measures": node{"type": "array", "items": anyObject}, "data": node{"type": "array", "items": anyObject}, "more": text,
	}),
}, func(ctx context.Context, call *toolCall, in *losScorecardArguments) (any, error) {
	if in.ServiceAreaID == "" {
		hundred := 100
		return call.search(ctx, serviceAreas, url.Values{}, pageArguments{Limit: &hundred})
	}
	var card record
	if err := call.get(ctx, serviceAreas.path+"/"+in.ServiceAreaID+"/scorecard", call.query(in), &card); err != nil {
		return nil, err
	}
	return withoutEmpty(card), nil
})

type recordMeasurementArguments struct {
	MeasureID   string   `json:"measure_id" required:"true" format:"uuid"`
	PeriodStart string   `json:"period_start" required:"true" format:"date"`
	PeriodEnd   string   `json:"period_end" required:"true" format:"date"`
	Value       *float64 `json:"value" doc:"Or value_text for narratives."`
	ValueText   string   `json:"value_text" maxLength:"5000"`
	Note        string   `json:"note" maxLength:"5000"`
	EvidenceURL string   `json:"evidence_url" maxLength:"2000"`
	idempotencyArgument
}

var recordMeasurement = define("levels_of_service", tool{
	name: "record_measurement", title: "Record a level-of-service measurement", writes: true, feature: "los",
	description: "Enters the value of a measure for a period. One for each measure and period.",
	scopes:      []string{"los:write"}, operations: []string{"POST /v1/los/measurements"},
	output: object(node{"id": text, "measure": reference, "period_start": text, "period_end": text, "value": number,
		"attainment": text, "variance": number}),
}, func(ctx context.Context, call *toolCall, in *recordMeasurementArguments) (any, error) {
	return call.create(ctx, measurements, "/v1/los/measurements", in, in.idempotencyArgument)
})

var measurements = &collection{kind: "measurement", references: []nameReference{referenceTo("measure", "los_measures")}}
