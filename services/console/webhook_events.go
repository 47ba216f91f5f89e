package main

import (
	"net/http"
	"slices"
	"strings"
)

// allEvents is the pattern that every event fits.
const allEvents = "*"

// eventType is one kind of event that an endpoint may ask for.
type eventType struct {
	Name        string `json:"name"`
	Scope       string `json:"scope"`
	Feature     string `json:"feature"`
	Description string `json:"description"`
}

// singular is the kind of record that the type is about.
func (t eventType) singular() string {
	kind, _, _ := strings.Cut(t.Name, ".")
	return kind
}

// eventTypes asks which types there are. The test's own is nobody's to choose: every endpoint gets it when it is tested.
func (req *pageRequest) eventTypes() ([]eventType, error) {
	var list struct{ Data []eventType }
	err := req.callWebhooks(http.MethodGet, "/v1/event-types", nil, &list)
	return slices.DeleteFunc(list.Data, func(t eventType) bool { return t.Name == "webhook.test" }), err
}

// eventGroup is a part of the form: records that belong together.
type eventGroup struct {
	Name    string // key of the catalogue
	Records []eventRecord
}

// eventRecord is a kind of record: all its events by one pattern, or each on its own.
type eventRecord struct {
	Name string
	All  *eventBox // nil where there is one event only
	Each []eventBox
	Open bool // some of the single ones are chosen
}

// eventBox is one type or pattern to be ticked.
type eventBox struct {
	ID, Name, Line string
	Foreign        bool // the line is English, whatever the page's language
	Missing        bool // the plan does not include it
	Chosen         bool
}

func newEventBox(f *form, name, line string, foreign bool) eventBox {
	id := "event-" + strings.NewReplacer(".", "-", "_", "-", "*", "all").Replace(name)
	return eventBox{ID: id, Name: name, Line: line, Foreign: foreign, Chosen: f.Has("event_types", name)}
}

// eventGroups arranges the types as the form shows them: by family as the scopes of keys, then by kind of record.
func (req *pageRequest) eventGroups(f *form, types []eventType, plan planResponse) []eventGroup {
	var groups []eventGroup
	for _, family := range scopeGroups {
		group := eventGroup{Name: family.Name}
		for _, t := range types {
			if familyOf(t.Scope) == family.Name && !slices.ContainsFunc(group.Records, func(r eventRecord) bool { return r.Name == req.language.recordName(t.singular()) }) {
				group.Records = append(group.Records, req.eventRecord(f, types, t, plan))
			}
		}
		if group.Records != nil {
			groups = append(groups, group)
		}
	}
	return groups
}

// familyOf is the group of a scope; what belongs to none is about the integration itself.
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
		all := newEventBox(f, of.singular()+".*", req.language.say("event.all_of", record.Name), false)
		all.Missing = missing(of, plan)
		record.All = &all
	}
	return record
}

// event says in one line when an event is sent: a sentence of its own, or that of its verb. One that the catalogue does
// not have yet is described by the service, in English.
func (l *language) event(t eventType) (line string, foreign bool) {
	_, verb, _ := strings.Cut(t.Name, ".")
	for _, key := range []string{"event." + t.Name, "event." + verb} {
		if words, found := l.words[key]; found {
			return words, false
		}
	}
	return t.Description, true
}

// recordName names a kind of record.
func (l *language) recordName(singular string) string {
	if words, found := l.words["record."+singular]; found {
		return words
	}
	return strings.ReplaceAll(singular, "_", " ")
}

// otherEvents are chosen patterns that no box of the form stands for: they were chosen through the API, and must not get
// lost here.
func otherEvents(f *form, groups []eventGroup) []eventBox {
	shown := map[string]bool{allEvents: true}
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

// eventPreset fills in the events of a usual purpose.
type eventPreset struct {
	Name  string // key of the catalogue
	types []string
}

var eventPresets = []eventPreset{
	{"everything", []string{allEvents}},
	{"inventory", []string{"site.*", "building.*", "system.*", "asset.*"}},
	{"condition", []string{"asset.condition_changed", "condition_assessment.*", "inspection.*"}},
	{"work_orders", []string{"work_order.*"}},
	{"gis", []string{"network.*", "segment.*", "inspection.*"}},
	{"planning", []string{"project.*", "los.target_missed"}},
}

// presetEvents are the events of a purpose, without those that the plan does not include.
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

// missing says whether the plan does not include the records that a type is about.
func missing(t eventType, plan planResponse) bool { return t.Feature != "" && !plan.has(t.Feature) }

// withoutRedundant takes away what another choice contains already: "*" all others, "asset.*" every single event of assets.
func withoutRedundant(chosen []string) []string {
	if slices.Contains(chosen, allEvents) {
		return []string{allEvents}
	}
	needed := []string{}
	for _, name := range chosen {
		kind, verb, _ := strings.Cut(name, ".")
		if name != "" && (verb == allEvents || !slices.Contains(chosen, kind+".*")) && !slices.Contains(needed, name) {
			needed = append(needed, name)
		}
	}
	return needed
}
