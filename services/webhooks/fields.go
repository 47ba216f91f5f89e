package webhooks

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

// computedFile has those of these fields that are worked out when a record is read: filters may name them, and no change is ever of them.
//
//go:embed computed_fields.json
var computedFile []byte

// recordField is the kind of a field: string, number, boolean, uuid, date, date-time, object, private, or "one of " and the values that it
// may have. A list is of the kind of its entries.
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

var (
	fieldsByCollection   = readFile[map[string]map[string]recordField](fieldsFile)
	computedByCollection = readFile[map[string][]string](computedFile)
)

func readFile[T any](file []byte) (read T) {
	if err := json.Unmarshal(file, &read); err != nil {
		panic(fmt.Errorf("read the fields of records: %w", err))
	}
	return read
}

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

// changingFields is fieldsOf without what no change is of: computed fields, and all of records that events of time are about.
func changingFields(types []catalogue.EventType) map[string][]recordField {
	types = slices.DeleteFunc(slices.Clone(types), func(t catalogue.EventType) bool { return slices.Contains(broughtByTime, t.Name) })
	fields, changes := fieldsOf(types), map[string]bool{}
	for _, t := range types {
		for name := range fieldsByCollection[t.Collection] {
			changes[name] = changes[name] || !slices.Contains(computedByCollection[t.Collection], name)
		}
	}
	maps.DeleteFunc(fields, func(name string, _ []recordField) bool { return !changes[name] })
	return fields
}

// checkFieldNames fails for names that no event which the patterns stand for can have among what changed: nothing
// would ever be sent for them.
func checkFieldNames(names, patterns []string, fail func(field, format string, args ...any)) {
	types := typesOf(patterns)
	if len(names) == 0 || len(types) == 0 { // event_types has a problem of its own
		return
	}
	known, changing := fieldsOf(types), changingFields(types)
	for i, name := range names {
		at := fmt.Sprintf("changed_any[%d]", i)
		way, is := unknownField(name, known)
		field, _, _ := strings.Cut(name, ".")
		switch {
		case !is && len(known) == 0:
			fail(at, "names %.100q, and these event_types are about no record, so none has fields that change; leave changed_any out", name)
		case !is:
			fail(at, "%.100q is not a field of the records that these event_types are about, so nothing would be sent for it%s", name, way)
		case len(changing) == 0:
			fail(at, "names %.100q, and these event_types are brought by time: their events change nothing; leave changed_any out", name)
		case changing[field] == nil && changing[name+"_id"] != nil:
			fail(at, "%.100q is never among what changed; did you mean %s_id?", name, name)
		case changing[field] == nil:
			fail(at, "%.100q is worked out when a record is read, and never among what changed; name the fields that it follows from", name)
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
