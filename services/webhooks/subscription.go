package main

import (
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
)

// subscription says which events an endpoint receives.
type subscription struct {
	EndpointID     string
	EventTypes     []string // patterns: "work_order.completed", "work_order.*", "*"
	SiteIDs        []string // only events about one of these sites; none: all
	ChangedAny     []string // only events in which one of these fields changed; none: all
	ExcludeOrigins []string // no events of these origins: "api", "import", "console"
}

// attributes are what subscriptions filter events by.
type attributes struct {
	eventType string
	siteIDs   []string
	changed   []string
	origin    string
}

// matches says whether the event is to be delivered to the endpoint.
func (s subscription) matches(a attributes) bool {
	return slices.ContainsFunc(s.EventTypes, func(pattern string) bool { return patternMatches(pattern, a.eventType) }) &&
		(len(s.SiteIDs) == 0 || intersects(s.SiteIDs, a.siteIDs)) &&
		(len(s.ChangedAny) == 0 || intersects(s.ChangedAny, a.changed)) &&
		!slices.Contains(s.ExcludeOrigins, a.origin)
}

// patternMatches says whether a pattern stands for an event type.
func patternMatches(pattern, eventType string) bool {
	if family, all := strings.CutSuffix(pattern, ".*"); all {
		singular, _, _ := strings.Cut(eventType, ".")
		return singular == family
	}
	return pattern == "*" || pattern == eventType
}

// attributesOf reads the attributes of an event from its payload. An event is about the site that its record is, the sites that
// the record is at, and those that it was at before the change: a subscription to a site includes what leaves it.
func attributesOf(eventType, collection, recordID string, payload []byte) (attributes, error) {
	a := attributes{eventType: eventType}
	type place struct {
		SiteID  any `json:"site_id"`
		SiteIDs any `json:"site_ids"`
	}
	var p struct {
		Data struct {
			Object   *place   `json:"object"`
			Changed  []string `json:"changed"`
			Previous *place   `json:"previous"`
		} `json:"data"`
		Origin *string `json:"origin"`
	}
	if err := jsonv2.Unmarshal(payload, &p, asServicesWrite); err != nil {
		return a, err
	}
	a.changed = p.Data.Changed
	if p.Origin != nil {
		a.origin = *p.Origin
	}
	add := func(value any) {
		if id, is := value.(string); is && isUUID(id) && !slices.Contains(a.siteIDs, id) {
			a.siteIDs = append(a.siteIDs, id)
		}
	}
	if collection == "sites" {
		add(recordID)
	}
	for _, p := range []*place{p.Data.Object, p.Data.Previous} {
		if p == nil {
			continue
		}
		add(p.SiteID)
		if several, is := p.SiteIDs.([]any); is {
			for _, id := range several {
				add(id)
			}
		}
	}
	return a, nil
}

func intersects(some, others []string) bool {
	return slices.ContainsFunc(some, func(one string) bool { return slices.Contains(others, one) })
}
