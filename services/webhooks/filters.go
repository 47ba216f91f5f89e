package webhooks

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	jsonv2 "github.com/go-json-experiment/json"

	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
)

const (
	maxFilters       = 20
	maxFilterValues  = 100 // of one field, as a list's filters have
	maxFilteredValue = 255
	// none is the value of a field that has none, as in the filters of lists.
	none = "null"
)

// Filters are what the records of an endpoint's events must have: in each of these fields, one of its values. They are written as the
// filters of lists are: 3, true and null are texts here.
type Filters map[string][]string

// Schema implements huma.SchemaProvider: a list in a record is never null.
func (Filters) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject,
		AdditionalProperties: &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}}}
}

// Check implements schema.Checker: the form of filters, and their values as records have texts. Which fields and
// values there are, checkFilterNames knows.
func (Filters) Check(at string, value any, problems *schema.Problems) any {
	given, is := value.(map[string]any)
	if !is {
		problems.Add(at, `must be an object of fields and lists of values, such as {"priority": ["urgent", "high"]}`)
		return value
	}
	if len(given) > maxFilters {
		problems.Add(at, "must have at most %d fields", maxFilters)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		here := fmt.Sprintf("%s.%.100s", at, name)
		values, is := given[name].([]any)
		switch {
		case !is || len(values) == 0:
			problems.Add(here, `must be a list of one value at least, such as ["urgent"]; null instead of the list takes the filter away`)
		case len(values) > maxFilterValues:
			problems.Add(here, "must have at most %d values", maxFilterValues)
		}
		for i, each := range values {
			text, is := each.(string)
			text = schema.LineOrLines(text)
			if !is || text == "" || len([]rune(text)) > maxFilteredValue {
				problems.Add(fmt.Sprintf("%s[%d]", here, i), `must be a text of 1 to %d characters: "3", "true", or "null" for none`, maxFilteredValue)
			}
			if is {
				values[i] = text
			}
		}
	}
	return given
}

// checkFilterNames fails for filters that the record of no event which the patterns stand for can pass: nothing would ever be sent.
func checkFilterNames(filters Filters, patterns []string, fail func(field, format string, args ...any)) {
	types := typesOf(patterns)
	if len(filters) == 0 || len(types) == 0 { // event_types has a problem of its own
		return
	}
	known := fieldsOf(types)
	for _, name := range slices.Sorted(maps.Keys(filters)) {
		if way, is := unknownField(name, known); !is {
			fail(fmt.Sprintf("filters.%.100s", name),
				"is not a field of the records that these event_types are about, so nothing would be sent%s", way)
			continue
		}
		if strings.HasPrefix(name, customFields+".") {
			continue // what they hold is the organization's
		}
		kinds := known[name]
		if slices.Contains(kinds, private) {
			fail("filters."+name, "cannot be filtered by: its values stay in the record, so events do not have them; leave it out")
			continue
		}
		if slices.IndexFunc(kinds, recordField.comparable) < 0 {
			fail("filters."+name, "has no value that can be named: it is an object; filter by another field, or have all sent")
			continue
		}
		for i, value := range filters[name] {
			if !slices.ContainsFunc(kinds, func(kind recordField) bool { return kind.canBe(value) }) {
				fail(fmt.Sprintf("filters.%s[%d]", name, i), "must be %s", wanted(kinds, value))
			}
		}
	}
}

// wanted says what a value of a field may be.
func wanted(kinds []recordField, value string) string {
	var values []string
	for _, kind := range kinds {
		values = append(values, kind.values()...)
	}
	if values != nil {
		slices.Sort(values)
		values = slices.Compact(values)
		return "one of " + strings.Join(values, ", ") + suggest.DidYouMean(value, values)
	}
	return map[string]string{"boolean": "true or false", "number": "a number", "uuid": "a UUID", "date": "a day such as 2026-01-31",
		"date-time": "a time such as 2026-01-31T14:00:00Z"}[string(kinds[0])] + `, or "null" for none`
}

// canBe says whether a field of a kind can have a value.
func (k recordField) canBe(value string) bool {
	if values := k.values(); values != nil {
		return slices.Contains(values, value)
	}
	if value == none {
		return true
	}
	var err error
	switch k {
	case "boolean":
		return value == "true" || value == "false"
	case "number":
		var number float64
		number, err = strconv.ParseFloat(value, 64)
		return err == nil && !math.IsNaN(number) && !math.IsInf(number, 0)
	case "uuid":
		return isUUID(value)
	case "date":
		_, err = time.Parse(time.DateOnly, value)
	case "date-time":
		_, err = time.Parse(time.RFC3339Nano, value)
	}
	return err == nil && k.comparable()
}

// pass says whether a record has one of the values of each filter.
func (f Filters) pass(record map[string]any) bool {
	for name, values := range f {
		if !hasOneOf(record, name, values) {
			return false
		}
	}
	return true
}

func hasOneOf(record map[string]any, name string, values []string) bool {
	held, has := record[name]
	if key, custom := strings.CutPrefix(name, customFields+"."); custom {
		var own map[string]any
		if own, has = record[customFields].(map[string]any); has {
			held = own[key]
		}
	}
	if list, is := held.([]any); is {
		return slices.ContainsFunc(list, func(each any) bool { return isOneOf(each, values) }) || len(list) == 0 && slices.Contains(values, none)
	}
	return has && isOneOf(held, values)
}

// isOneOf compares a value of a record with those that a filter has as texts.
func isOneOf(held any, values []string) bool {
	return slices.ContainsFunc(values, func(value string) bool {
		switch held := held.(type) {
		case nil:
			return value == none
		case string:
			return held == value || sameTime(held, value) || isUUID(value) && strings.EqualFold(held, value)
		case bool:
			return value == strconv.FormatBool(held)
		case float64:
			number, err := strconv.ParseFloat(value, 64)
			return err == nil && number == held
		}
		return false
	})
}

// sameTime says whether two texts are one time, whose fractions and zones may be written otherwise.
func sameTime(held, value string) bool {
	at, err := time.Parse(time.RFC3339Nano, held)
	if err != nil {
		return false
	}
	other, err := time.Parse(time.RFC3339Nano, value)
	return err == nil && at.Equal(other)
}

// recordOf reads the record that an event is about; nil of an event that is about none.
func recordOf(eventType string, payload json.RawMessage) map[string]any {
	if !isAboutRecord(eventType) {
		return nil
	}
	var p struct {
		Data struct {
			Object any `json:"object"`
		} `json:"data"`
	}
	_ = jsonv2.Unmarshal(payload, &p, asServicesWrite) // what attributesOf could read
	record, _ := p.Data.Object.(map[string]any)
	return record
}
