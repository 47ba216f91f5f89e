package webhooks

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/endpoint"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
	"ams.internal/libs/transport"
)

// allEvents is the pattern that matches every type.
const allEvents = "*"

// testType is the type of a test. It goes to the endpoint that is tested, so no subscription may have it.
const testType = "webhook.test"

// thresholdType is the type of an event about what an organization keeps, whose object is no record.
const thresholdType = "storage.threshold_reached"

// broughtByTime are the types whose events come with a day that a record names: they change nothing.
var broughtByTime = []string{"work_order.overdue", "asset.warranty_ending", "asset.renewal_due"}

// isAboutRecord says whether the object of a type's events is the record.
func isAboutRecord(eventType string) bool {
	return eventType != "import.completed" && eventType != thresholdType && eventType != testType
}

// typesOf gives the types that match any of the patterns, but not that of a test.
func typesOf(patterns []string) []catalogue.EventType {
	return slices.DeleteFunc(slices.Collect(catalogue.Product().EventTypes()), func(t catalogue.EventType) bool {
		return t.Name == testType || !slices.ContainsFunc(patterns, func(pattern string) bool { return patternMatches(pattern, t.Name) })
	})
}

// checkPatterns fails for patterns that no event can match.
func checkPatterns(patterns []string, field string, fail func(field, format string, args ...any)) {
	if len(patterns) == 0 {
		fail(field, "must name one event type at least, such as asset.updated, work_order.*, *.deleted or *")
	}
	for i, pattern := range patterns {
		switch {
		case pattern == testType:
			fail(fmt.Sprintf("%s[%d]", field, i), "need not be asked for: a test goes to the endpoint that is tested")
		case len(typesOf([]string{pattern})) == 0:
			fail(fmt.Sprintf("%s[%d]", field, i), "%s", noEventType(pattern))
		}
	}
}

// noEventType says that no event type fits a pattern, and which pattern is near.
func noEventType(pattern string) string {
	return fmt.Sprintf("%.100q is not an event type, nor a pattern that one fits%s; GET /v1/event-types lists them", pattern,
		suggest.DidYouMean(pattern, knownPatterns()))
}

// knownPatterns are all that event_types may have: each type, all types of a record, and all records of what happens.
func knownPatterns() (known []string) {
	for _, t := range typesOf([]string{allEvents}) {
		singular, verb, _ := strings.Cut(t.Name, ".")
		known = append(known, t.Name, singular+"."+allEvents, allEvents+"."+verb)
	}
	slices.Sort(known)
	return slices.Compact(known)
}

// namesOf gives the names of the types that match any of the patterns, that of a test among them.
func namesOf(patterns []string) []string {
	names := []string{}
	for t := range catalogue.Product().EventTypes() {
		for _, pattern := range patterns {
			if patternMatches(pattern, t.Name) {
				names = append(names, t.Name)
				break
			}
		}
	}
	return names
}

// checkFilter fails for patterns that match no type.
func checkFilter(patterns []string, field string, fail func(field, format string, args ...any)) {
	for _, pattern := range patterns {
		if len(namesOf([]string{pattern})) == 0 {
			fail(field, "%s", noEventType(pattern))
		}
	}
}

// mayReceive rejects patterns with types that the caller may not read, so that an endpoint receives nothing that its maker could
// not read. A type about records of any collection needs every scope. "*" and "*.deleted" stand for the types that the plan includes.
func mayReceive(p principal.Principal, patterns []string) *fault.Error {
	for _, t := range typesOf(patterns) {
		needed := []string{t.Scope}
		if t.Scope == "" {
			needed = scopesOfTypes()
		}
		for _, scope := range needed {
			if !p.Allows(scope + ":read") {
				return endpoint.ScopeMissing(p, scope+":read", "event_types: to receive %s, a key needs the scope %s:read; this one has %s.",
					t.Name, scope, strings.Join(p.Scopes, ", "))
			}
		}
		named := slices.ContainsFunc(patterns, func(pattern string) bool { return !ofAnyRecord(pattern) && patternMatches(pattern, t.Name) })
		if named && !p.Has(t.Feature) {
			return endpoint.NotInPlan(t.Feature)
		}
	}
	return nil
}

// scopesOfTypes gives the scopes of all types, each once.
func scopesOfTypes() []string {
	var scopes []string
	for t := range catalogue.Product().EventTypes() {
		if t.Scope != "" && !slices.Contains(scopes, t.Scope) {
			scopes = append(scopes, t.Scope)
		}
	}
	return scopes
}

// mayRead says whether the caller may read an event of a type about a record of a collection.
func mayRead(p principal.Principal, eventType, collection string) bool {
	scope, feature, known := catalogue.Product().Access(eventType, collection)
	return known && p.Allows(scope+":read") && p.Has(feature)
}

// mayReadRecords says whether the caller may read records of a collection.
func mayReadRecords(p principal.Principal, row catalogue.Collection) bool {
	return p.Allows(row.Scope+":read") && p.Has(row.Feature)
}

// mayReadMessage says whether the caller may read an event, and what its record is on.
func mayReadMessage(p principal.Principal, m message) (bool, error) {
	a, err := attributesOf(m.eventType, m.collection, m.recordID, m.payload)
	return mayRead(p, m.eventType, m.collection) && !slices.ContainsFunc(a.seenWith, func(collection string) bool {
		row, known := catalogue.Product().Find(collection)
		return !known || !mayReadRecords(p, row)
	}), err
}

// EventType is a type of event, as callers see it.
type EventType struct {
	Name        string          `json:"name" doc:"What event_types names, and what an event has as its type." example:"asset.updated"`
	Description string          `json:"description" doc:"When it is sent."`
	Scope       string          `json:"scope" doc:"The scope that is needed to receive it; with :read. Of import.completed: that of the collection. For events of documents and their links the scope of what the document is on is needed as well."`
	Feature     string          `json:"feature" doc:"The feature of the plan that it belongs to; empty for what every plan has."`
	Example     json.RawMessage `json:"example" doc:"A body, as it is sent."`
}

// EventTypes is the catalogue.
type EventTypes struct {
	Data []EventType `json:"data"`
}

func (p public) mountEventTypes() {
	shown := schema.Shown(reflect.TypeFor[EventTypes]()).JSON
	shown.Properties["data"].Items.Properties["example"] = &huma.Schema{Ref: "#/components/schemas/Event"}
	transport.Get(p.registry.API, transport.Operation{
		Response: shown,
		Path:     "/v1/event-types", ID: "list_event_types", ResponseName: "EventTypeList", RowName: "EventType", Scope: scope + ":read",
		Summary: "List the types of events", Description: "What can be asked for in event_types, with an example of what is sent. " +
			"The OpenAPI document describes each under webhooks.",
	}, func(context.Context, struct{}) (EventTypes, error) {
		list := EventTypes{Data: []EventType{}}
		for t := range catalogue.Product().EventTypes() {
			list.Data = append(list.Data, EventType{t.Name, t.Description, t.Scope, t.Feature, exampleOf(t).body(false)})
		}
		return list, nil
	})
}
