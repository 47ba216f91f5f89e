package console

import (
	"net/http"
	"slices"
	"strings"
)

// allEvents is the pattern that matches every event.
const allEvents = "*"

// eventType is a type of event that an endpoint can subscribe to.
type eventType struct {
	Name        string `json:"name"`
	Scope       string `json:"scope"`
	Feature     string `json:"feature"`
	Description string `json:"description"`
}

// singular is the kind of record of the event.
func (t eventType) singular() string {
	kind, _, _ := strings.Cut(t.Name, ".")
	return kind
}

// eventTypes reads the types of events. It leaves out the type of a test, which every endpoint gets.
func (req *pageRequest) eventTypes() ([]eventType, error) {
	var list struct{ Data []eventType }
	err := req.callWebhooks(http.MethodGet, "/v1/event-types", nil, &list)
	return slices.DeleteFunc(list.Data, func(t eventType) bool { return t.Name == "webhook.test" }), err
}

// eventGroup is a group of kinds of records in the form.
type eventGroup struct {
	Name    string // part of the message keys
	Records []eventRecord
}

// eventRecord is a kind of record. Its events can be chosen by one pattern or one by one.
type eventRecord struct {
	Name string
	All  *eventBox // nil where there is only one event
	Each []eventBox
	Open bool // a single event is chosen
}

// eventBox is the checkbox of a type or pattern.
type eventBox struct {
	ID, Name, Line string
	Foreign        bool // the description is in English, whatever the page's language
	Missing        bool // the plan does not include it
	Chosen         bool
}

func newEventBox(f *form, name, line string, foreign bool) eventBox {
	id := "event-" + strings.NewReplacer(".", "-", "_", "-", "*", "all").Replace(name)
	return eventBox{ID: id, Name: name, Line: line, Foreign: foreign, Chosen: f.Has("event_types", name)}
}

// eventGroups groups the types for the form: by the groups of scopes, then by kind of record.
func (req *pageRequest) eventGroups(f *form, types []eventType, plan planResponse) []eventGroup {
	var groups []eventGroup
	for _, family := range scopeGroups {
		group := eventGroup{Name: family.Name}
		for _, t := range types {
			if familyOf(t.Scope) == family.Name &&
				!slices.ContainsFunc(group.Records, func(r eventRecord) bool { return r.Name == req.language.recordName(t.singular()) }) {
				group.Records = append(group.Records, req.eventRecord(f, types, t, plan))
			}
		}
		if group.Records != nil {
			groups = append(groups, group)
		}
	}
	return groups
}

// familyOf is the group of a scope. A scope without a group belongs to the integration itself.
func familyOf(scope string) string {
	for _, group := range scopeGroups {
		if slices.Contains(group.Resources, scope) {
			return group.Name
		}
	}
	return "integration"
}

func (req *pageRequest) eventRecord(f *form, types []eventType, of eventType, plan planResponse) eventRecord {
	record := eventRecord{Name: req.language.recordName(of.singular())}
	for _, t := range types {
		if t.singular() != of.singular() {
			continue
		}
		line, foreign := req.language.event(t)
		box := newEventBox(f, t.Name, line, foreign)
		box.Missing = missing(t, plan)
		record.Each = append(record.Each, box)
		record.Open = record.Open || f.Has("event_types", t.Name)
	}
	if len(record.Each) > 1 {
		all := newEventBox(f, of.singular()+".*", req.language.translate("event.all_of", record.Name), false)
		all.Missing = missing(of, plan)
		record.All = &all
	}
	return record
}

// event describes in one line when an event is sent. There is a message for the event or for its verb. Without one
// it is the service's description, in English.
func (l *language) event(t eventType) (line string, foreign bool) {
	_, verb, _ := strings.Cut(t.Name, ".")
	for _, key := range []string{"event." + t.Name, "event." + verb} {
		if words, found := l.words[key]; found {
			return words, false
		}
	}
	return t.Description, true
}

// recordName is the name of a kind of record.
func (l *language) recordName(singular string) string {
	if words, found := l.words["record."+singular]; found {
		return words
	}
	return strings.ReplaceAll(singular, "_", " ")
}

// eventsOfAny are the patterns of what happens to every kind of record.
var eventsOfAny = []string{"*.created", "*.updated", "*.deleted"}

// anyEvents are the checkboxes of what happens to every kind of record.
func (req *pageRequest) anyEvents(f *form) (boxes []eventBox) {
	for _, name := range eventsOfAny {
		boxes = append(boxes, newEventBox(f, name, req.language.translate("event.any."+strings.TrimPrefix(name, "*.")), false))
	}
	return boxes
}

// otherEvents are chosen patterns without a checkbox. They were chosen through the API, and the form must keep them.
func otherEvents(f *form, groups []eventGroup) []eventBox {
	shown := map[string]bool{allEvents: true}
	for _, name := range eventsOfAny {
		shown[name] = true
	}
	for _, group := range groups {
		for _, record := range group.Records {
			if record.All != nil {
				shown[record.All.Name] = true
			}
			for _, each := range record.Each {
				shown[each.Name] = true
			}
		}
	}
	var others []eventBox
	for _, name := range f.values["event_types"] {
		if !shown[name] && name != "" {
			others = append(others, newEventBox(f, name, "", false))
		}
	}
	return others
}

// eventPreset selects the events for a common purpose.
type eventPreset struct {
	Name  string // part of the message keys
	types []string
}

var eventPresets = []eventPreset{
	{"everything", []string{allEvents}},
	{"inventory", []string{"site.*", "building.*", "system.*", "asset.*"}},
	{"condition", []string{"asset.condition_changed", "condition_assessment.*", "inspection.*"}},
	{"work_orders", []string{"work_order.*"}},
	{"requests", []string{"request.*"}},
	{"maintenance", []string{"work_order.overdue", "asset.warranty_ending", "deficiency.*", "infrastructure_deficiency.*", "pm_occurrence.*",
		"meter.*", "form_response.*"}},
	{"gis", []string{"network.*", "segment.*", "inspection.*"}},
	{"planning", []string{"asset.renewal_due", "project.*", "los.target_missed"}},
	{"accounting", []string{"fiscal_year.*", "capital_asset.*", "capital_asset_transaction.created", "retirement_obligation.*"}},
}

// presetEvents are the events of a preset that the plan includes.
func presetEvents(name string, types []eventType, plan planResponse) []string {
	var chosen []string
	for _, p := range eventPresets {
		if p.Name != name {
			continue
		}
		for _, wanted := range p.types {
			fits := func(t eventType) bool {
				return !missing(t, plan) && (wanted == allEvents || wanted == t.Name || wanted == t.singular()+".*")
			}
			if slices.ContainsFunc(types, fits) {
				chosen = append(chosen, wanted)
			}
		}
	}
	return chosen
}

// missing reports whether the plan lacks the feature of an event type.
func missing(t eventType, plan planResponse) bool { return t.Feature != "" && !plan.has(t.Feature) }

// withoutRedundant removes choices that another choice includes: "*" includes all others, "asset.*" every event of
// assets, "*.deleted" every record that is deleted.
func withoutRedundant(chosen []string) []string {
	if slices.Contains(chosen, allEvents) {
		return []string{allEvents}
	}
	needed := []string{}
	for _, name := range chosen {
		kind, verb, _ := strings.Cut(name, ".")
		included := verb != allEvents && kind != allEvents && (slices.Contains(chosen, kind+".*") || slices.Contains(chosen, "*."+verb))
		if name != "" && !included && !slices.Contains(needed, name) {
			needed = append(needed, name)
		}
	}
	return needed
}
