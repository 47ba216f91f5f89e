package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/suggest"
)

// customFields is the field of a record that holds what the organization has added; each of these is a field of its own to changed_any.
const customFields = "custom_fields"

// fieldsFile has the fields of the records of each collection that a change can be of. It is made from the API descriptions of all
// services (TestGoldenFields), so that none need be asked, nor be there, when an endpoint is made.
//
//go:embed fields.json
var fieldsFile []byte

var fieldsByCollection = func() map[string][]string {
	var read map[string][]string
	if err := json.Unmarshal(fieldsFile, &read); err != nil {
		panic(fmt.Errorf("read fields.json: %w", err))
	}
	return read
}()

// fieldsOf gives the fields of the records that events of the types are about, each once.
func fieldsOf(types []catalogue.EventType) []string {
	var fields []string
	for _, t := range types {
		if !isAboutRecord(t.Name) {
			continue
		}
		fields = append(fields, fieldsByCollection[t.Collection]...)
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// checkFieldNames fails for names that no event which the patterns stand for can have among what changed: nothing would ever be sent for them.
func checkFieldNames(names, patterns []string, fail func(field, format string, args ...any)) {
	types := typesOf(patterns)
	if len(names) == 0 || len(types) == 0 { // event_types has a problem of its own
		return
	}
	known := fieldsOf(types)
	for i, name := range names {
		field, key, within := strings.Cut(name, ".")
		switch {
		case slices.Contains(known, name), field == customFields && key != "" && slices.Contains(known, customFields):
		case len(known) == 0:
			fail(fmt.Sprintf("changed_any[%d]", i), "names %.100q, and these event_types are about no record, so none has fields that change; "+
				"leave changed_any out", name)
		default:
			meant, near := suggest.Nearest(name, known)
			if prefix, is := suggest.Nearest(field, []string{customFields}); within && is && key != "" {
				meant, near = prefix+"."+key, true
			}
			way := "; GET /v1/event-types has examples, and a field of custom_fields is custom_fields. and its key"
			if near {
				way = "; did you mean " + meant + "?"
			}
			fail(fmt.Sprintf("changed_any[%d]", i), "%.100q is not a field of the records that these event_types are about, so nothing would be sent "+
				"for it%s", name, way)
		}
	}
}
