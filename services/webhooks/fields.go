package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/suggest"
)

// customFields is the field of a record that holds what the organization has added; each of these is a field of its own to changed_any.
const customFields = "custom_fields"

// fieldsFile has the fields of the records of each collection that a change can be of, and of what kind each is. It is made from the API
// descriptions of all services (TestGoldenFields), so that none need be asked, nor be there, when an endpoint is made.
//
//go:embed fields.json
var fieldsFile []byte

// recordField is the kind of a field: string, number, boolean, uuid, date, date-time, object, private, or "one of " and the values that it may have.
// A list is of the kind of its entries.
type recordField string

const oneOf = "one of "

// private is the kind of a field whose values stay in the record: an event says that it changed, and no more.
const private recordField = "private"

// values are those that a field may have, where they are listed.
func (k recordField) values() []string {
	list, listed := strings.CutPrefix(string(k), oneOf)
	if !listed {
		return nil
	}
	return strings.Split(list, ", ")
}

// comparable says whether a filter can name a value of the field.
func (k recordField) comparable() bool { return k != "object" && k != private }

var fieldsByCollection = func() map[string]map[string]recordField {
	var read map[string]map[string]recordField
	if err := json.Unmarshal(fieldsFile, &read); err != nil {
		panic(fmt.Errorf("read fields.json: %w", err))
	}
	return read
}()

// fieldsOf gives the fields of the records that events of the types are about, and of which kinds they are.
func fieldsOf(types []catalogue.EventType) map[string][]recordField {
	fields := map[string][]recordField{}
	for _, t := range types {
		if !isAboutRecord(t.Name) {
			continue
		}
		for name, kind := range fieldsByCollection[t.Collection] {
			if !slices.Contains(fields[name], kind) {
				fields[name] = append(fields[name], kind)
			}
		}
	}
	for _, kinds := range fields {
		slices.Sort(kinds)
	}
	return fields
}

// checkFieldNames fails for names that no event which the patterns stand for can have among what changed: nothing would ever be sent for them.
func checkFieldNames(names, patterns []string, fail func(field, format string, args ...any)) {
	types := typesOf(patterns)
	if len(names) == 0 || len(types) == 0 { // event_types has a problem of its own
		return
	}
	known := fieldsOf(types)
	for i, name := range names {
		if way, is := unknownField(name, known); !is && len(known) == 0 {
			fail(fmt.Sprintf("changed_any[%d]", i), "names %.100q, and these event_types are about no record, so none has fields that change; "+
				"leave changed_any out", name)
		} else if !is {
			fail(fmt.Sprintf("changed_any[%d]", i), "%.100q is not a field of the records that these event_types are about, so nothing would be sent "+
				"for it%s", name, way)
		}
	}
}

// unknownField says whether a name is that of a known field or of a custom field, and where it is not, which is near.
func unknownField(name string, known map[string][]recordField) (way string, is bool) {
	field, key, within := strings.Cut(name, ".")
	if known[name] != nil || field == customFields && key != "" && known[customFields] != nil {
		return "", true
	}
	meant, near := suggest.Nearest(name, slices.Collect(maps.Keys(known)))
	if prefix, is := suggest.Nearest(field, []string{customFields}); within && is && key != "" {
		meant, near = prefix+"."+key, true
	}
	if near {
		return "; did you mean " + meant + "?", false
	}
	return "; GET /v1/event-types has examples, and a field of custom_fields is custom_fields. and its key", false
}
