package webhooks

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/principal"
)

// subscription says which events an endpoint receives.
type subscription struct {
	EndpointID     string
	EventTypes     []string // patterns: "work_order.completed", "work_order.*", "*.deleted", "*"
	SiteIDs        []string // only events about one of these sites; none: all
	ChangedAny     []string // only events in which one of these fields changed; none: all
	Filters        Filters  // only events whose record has one of these values in each of these fields; none: all
	ExcludeOrigins []string // no events of these origins: "api", "import", "console"
	Scopes         []string // of the key that last chose the types or the URL, or had more sent; nil: it could read all of them
}

// attributes are what subscriptions filter events by.
type attributes struct {
	eventType  string
	collection string
	seenWith   []string // the collections of the records that its record is on, and was on before
	unplanned  bool     // the plan does not include one of these
	siteIDs    []string
	changed    []string
	origin     string
	record     func() map[string]any // read when the first filter asks for it
}

// matches says whether the event is to be delivered to the endpoint.
func (s subscription) matches(a attributes) bool {
	return slices.ContainsFunc(s.EventTypes, func(pattern string) bool { return patternMatches(pattern, a.eventType) }) &&
		(len(s.SiteIDs) == 0 || intersects(s.SiteIDs, a.siteIDs)) &&
		(len(s.ChangedAny) == 0 || intersects(s.ChangedAny, a.changed)) &&
		!slices.Contains(s.ExcludeOrigins, a.origin) && !a.unplanned && s.mayRead(a) &&
		(len(s.Filters) == 0 || s.Filters.pass(a.record()))
}

// mayRead says whether the key that made the endpoint may read the event, and what its record is on.
func (s subscription) mayRead(a attributes) bool {
	if s.Scopes == nil {
		return true
	}
	key := principal.Principal{Scopes: s.Scopes}
	scope, _, known := catalogue.Product().Access(a.eventType, a.collection)
	return known && key.Allows(scope+":read") && !slices.ContainsFunc(a.seenWith, func(collection string) bool {
		row, known := catalogue.Product().Find(collection)
		return !known || !key.Allows(row.Scope+":read")
	})
}

// patternMatches says whether a pattern stands for an event type.
func patternMatches(pattern, eventType string) bool {
	singular, verb, _ := strings.Cut(eventType, ".")
	if family, all := strings.CutSuffix(pattern, ".*"); all {
		return singular == family
	}
	return pattern == allEvents || pattern == eventType || pattern == allEvents+"."+verb
}

// ofAnyRecord says whether a pattern stands for types of whatever record: all of them, or one thing that happens, such as *.deleted.
func ofAnyRecord(pattern string) bool {
	return pattern == allEvents || strings.HasPrefix(pattern, allEvents+".")
}

// attributesOf reads the attributes of an event from its payload. An event is about the site that its record is, the sites that
// the record is at, and those that it was at before the change: a subscription to a site includes what leaves it. The record itself may be
// on another, and may have been on a third: both collections are named in the event.
func attributesOf(eventType, collection, recordID string, payload []byte) (attributes, error) {
	a := attributes{eventType: eventType, collection: collection,
		record: sync.OnceValue(func() map[string]any { return recordOf(eventType, payload) })}
	type place struct {
		SiteID     any `json:"site_id"`
		SiteIDs    any `json:"site_ids"`
		Collection any `json:"collection"`
		Custom     any `json:"custom_fields"`
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
	if p.Data.Object != nil && p.Data.Previous != nil && slices.Contains(a.changed, customFields) {
		now, _ := p.Data.Object.Custom.(map[string]any)
		before, _ := p.Data.Previous.Custom.(map[string]any)
		a.changed = append(a.changed, changedCustomFields(before, now)...)
	}
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
	row, _ := catalogue.Product().Find(collection)
	for _, p := range []*place{p.Data.Object, p.Data.Previous} {
		if p == nil {
			continue
		}
		if name, is := p.Collection.(string); is && row.OnRecords && !slices.Contains(a.seenWith, name) {
			a.seenWith = append(a.seenWith, name)
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

// changedCustomFields names those that differ. Of a deleted record, whose object is what it was before, these are all.
func changedCustomFields(before, now map[string]any) (changed []string) {
	deleted := reflect.DeepEqual(before, now)
	for key, value := range now {
		if old, was := before[key]; deleted || !was || !reflect.DeepEqual(old, value) {
			changed = append(changed, customFields+"."+key)
		}
	}
	for key := range before {
		if _, stays := now[key]; !stays {
			changed = append(changed, customFields+"."+key)
		}
	}
	return changed
}

func intersects(some, others []string) bool {
	return slices.ContainsFunc(some, func(one string) bool { return slices.Contains(others, one) })
}
