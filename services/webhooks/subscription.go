package main

import (
	"encoding/json"
	"slices"
	"strings"
)

// subscription is what an endpoint wants to be told.
type subscription struct {
	EndpointID     string
	EventTypes     []string // patterns: "work_order.completed", "work_order.*", "*"
	SiteIDs        []string // only what is about one of these sites; none: all
	ChangedAny     []string // only when one of these fields changed; none: always
	ExcludeOrigins []string // not what came this way: "api", "import", "console"
}

// attributes are what a subscription may ask about an event.
type attributes struct {
	eventType string
	siteIDs   []string
	changed   []string
	origin    string
}

// matches says whether the event is to be delivered to the endpoint.
func (s subscription) matches(f attributes) bool {
	return slices.ContainsFunc(s.EventTypes, func(pattern string) bool { return patternMatches(pattern, f.eventType) }) &&
		(len(s.SiteIDs) == 0 || intersects(s.SiteIDs, f.siteIDs)) &&
		(len(s.ChangedAny) == 0 || intersects(s.ChangedAny, f.changed)) &&
		!slices.Contains(s.ExcludeOrigins, f.origin)
}

// patternMatches says whether an event type is among those that a pattern stands for.
func patternMatches(pattern, eventType string) bool {
	if family, all := strings.CutSuffix(pattern, ".*"); all {
		of, _, _ := strings.Cut(eventType, ".")
		return of == family
	}
	return pattern == "*" || pattern == eventType
}

func intersects(some, others []string) bool {
	return slices.ContainsFunc(some, func(one string) bool { return slices.Contains(others, one) })
}

// attributesOf reads what can be asked about an event from its payload. An event is about the site that its record is, that
// the record is at now, and that it was at before the change: who follows a site hears that something has left it.
func attributesOf(eventType, collection, recordID string, payload []byte) (attributes, error) {
	f := attributes{eventType: eventType}
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
	if err := json.Unmarshal(payload, &p); err != nil {
		return f, err
	}
	f.changed = p.Data.Changed
	if p.Origin != nil {
		f.origin = *p.Origin
	}
	add := func(value any) {
		if id, is := value.(string); is && isUUID(id) && !slices.Contains(f.siteIDs, id) {
			f.siteIDs = append(f.siteIDs, id)
		}
	}
	if collection == "sites" {
		add(recordID)
	}
	for _, at := range []*place{p.Data.Object, p.Data.Previous} {
		if at == nil {
			continue
		}
		add(at.SiteID)
		if several, is := at.SiteIDs.([]any); is {
			for _, one := range several {
				add(one)
			}
		}
	}
	return f, nil
}
