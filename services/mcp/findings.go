package mcp

import (
	"context"
	"net/url"
	"strings"
)

// Findings are what somebody has found or asks for, before it is work: deficiencies of assets and of segments, and requests.
type listFindingsArguments struct {
	Kind   string   `json:"kind" required:"true" enum:"request,infrastructure_deficiency,deficiency" api:"-"`
	Q      string   `json:"q"`
	Status []string `json:"status" api:"-" doc:"open, planned, in_work, corrected, waived, void; of requests submitted, accepted, rejected, duplicate, withdrawn, closed."`
	Sort   string   `json:"sort"`
	filterArguments
	pageArguments
}

var listFindings = define("work_orders", tool{
	name: "list_findings", title: "List deficiencies or requests",
	description: "What was found or asked for. filters: priority, category, site_id, building_id, asset_id, segment_id, estimated_cost_min, " +
		"found_on_from …",
	scopes:     []string{"deficiencies:read", "infrastructure:read", "requests:read"},
	operations: []string{"GET /v1/deficiencies", "GET /v1/infrastructure/deficiencies", "GET /v1/requests"},
	output:     searchResult,
}, func(ctx context.Context, call *toolCall, in *listFindingsArguments) (any, error) {
	query := url.Values(call.query(in))
	if len(in.Status) > 0 {
		query.Set("status", strings.Join(in.Status, ","))
	}
	return call.searchFiltered(ctx, findings[in.Kind], query, in.filterArguments, in.pageArguments)
})

// findings are the collections of the kinds.
var findings = map[string]*collection{"deficiency": deficiencies, "infrastructure_deficiency": segmentDeficiencies, "request": requests}

var deficiencies = newCollection("deficiencies", collection{
	kind: "deficiency", label: "title", code: "number",
	brief: []string{"id", "number", "title", "status", "priority", "category", "estimated_cost", "action_year", "found_on", "site_id",
		"building_id", "system_id", "asset_id"},
	references: []nameReference{siteName, buildingName, systemName, referenceTo("asset", "assets")},
})

var segmentDeficiencies = newCollection("infrastructure_deficiencies", collection{
	kind: "infrastructure_deficiency", label: "title", code: "number",
	brief:      []string{"id", "number", "title", "status", "priority", "category", "estimated_cost", "action_year", "found_on", "segment_id"},
	references: []nameReference{referenceTo("segment", "segments")},
})

var requests = newCollection("requests", collection{
	kind: "request", label: "title", code: "number",
	brief: []string{"id", "number", "title", "status", "priority", "source", "service_code", "address_text", "created_at", "site_id",
		"building_id", "asset_id", "work_order_id"},
	references: []nameReference{siteName, buildingName, referenceTo("asset", "assets"), referenceTo("segment", "segments"),
		referenceTo("work_order", "work_orders"), referenceTo("duplicate_of", "requests"), referenceTo("deficiency", "deficiencies"),
		referenceTo("infrastructure_deficiency", "infrastructure_deficiencies")},
})

// foundDeficiency is a deficiency in the assessment or inspection that found it.
type foundDeficiency struct {
	Title         string   `json:"title" required:"true" maxLength:"200"`
	Category      *string  `json:"category" required:"false"`
	Priority      *string  `json:"priority" required:"false"`
	EstimatedCost *float64 `json:"estimated_cost" required:"false"`
	ActionYear    *int     `json:"action_year" required:"false"`
}
