package main

import (
	"context"
	"net/url"
	"slices"
	"strings"
)

// Findings are what somebody has found or asks for, before it is work: deficiencies of assets and of segments, and requests.
type listFindingsArguments struct {
	Kind       string   `json:"kind" required:"true" enum:"deficiency,infrastructure_deficiency,request" api:"-" doc:"infrastructure_deficiency: of segments."`
	Q          string   `json:"q" doc:"Words of title or number."`
	Status     []string `json:"status" enum:"open,planned,in_work,corrected,waived,void,submitted,accepted,rejected,duplicate,withdrawn,closed" api:"-" doc:"From submitted on: of requests."`
	Priority   []string `json:"priority" enum:"low,medium,high,urgent"`
	Category   []string `json:"category" enum:"deferred_maintenance,life_safety,code,environmental,accessibility,functional,renewal" doc:"Of deficiencies."`
	SiteID     string   `json:"site_id" format:"uuid"`
	BuildingID string   `json:"building_id" format:"uuid"`
	AssetID    string   `json:"asset_id" format:"uuid"`
	SegmentID  string   `json:"segment_id" format:"uuid" api:"-"`
	Sort       string   `json:"sort" doc:"A field; -field descends."`
	pageArguments
}

var listFindings = define(tool{
	name: "list_findings", title: "List deficiencies or requests",
	description: "What was found or asked for, with cost and state. total is exact, so limit 1 counts.",
	scopes:      []string{"deficiencies:read", "infrastructure:read", "requests:read"},
	operations:  []string{"GET /v1/deficiencies", "GET /v1/infrastructure/deficiencies", "GET /v1/requests"},
	output: listOf(object(node{
		"id": text, "number": text, "title": text, "status": text, "priority": text, "category": text, "estimated_cost": number,
		"action_year": integer, "site": reference, "building": reference, "asset": reference, "segment": reference,
	})),
}, func(ctx context.Context, call *toolCall, in *listFindingsArguments) (any, error) {
	kind := findings[in.Kind]
	query := url.Values(call.query(in))
	if len(in.Status) > 0 {
		for _, status := range in.Status {
			if !slices.Contains(kind.statuses, status) {
				return nil, problemf("status %s is none of %s; it has %s.", status, strings.ReplaceAll(in.Kind, "_", " "), strings.Join(kind.statuses, ", "))
			}
		}
		query.Set("status", strings.Join(in.Status, ","))
	}
	if in.SegmentID != "" {
		query.Set("segment_id", in.SegmentID)
	}
	for name := range query {
		if slices.Contains(kind.without, name) {
			return nil, problemf("%s is no filter of %s; leave it out.", name, strings.ReplaceAll(in.Kind, "_", " "))
		}
	}
	return call.search(ctx, kind.collection, query, in.pageArguments)
})

// finding is one kind of findings: where they are kept, in which states, and which arguments say nothing of them.
type finding struct {
	collection *collection
	statuses   []string
	without    []string
}

var (
	ofDeficiencies = []string{"open", "planned", "in_work", "corrected", "waived", "void"}
	findings       = map[string]finding{
		"deficiency":                {deficiencies, ofDeficiencies, []string{"segment_id"}},
		"infrastructure_deficiency": {segmentDeficiencies, ofDeficiencies, []string{"site_id", "building_id", "asset_id"}},
		"request": {requests, []string{"submitted", "accepted", "rejected", "duplicate", "withdrawn", "closed"},
			[]string{"category"}},
	}
)
