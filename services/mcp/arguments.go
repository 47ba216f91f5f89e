package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"ams.internal/libs/fault"
	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
)

// Arguments of tools are Go structs with the tags of libs/schema, like the records of the API. Two tags are ours:
//
//	api:"-"        the argument is no parameter or field of the API's operation; the tool uses it itself
//	api:"name"     the API's parameter or field has another name

// pageArguments are the arguments of every tool that returns a list.
type pageArguments struct {
	Fields []string `json:"fields" api:"-"`
	Limit  *int     `json:"limit" minimum:"1" maximum:"100" api:"per_page" doc:"25 if left out."`
	Page   *int     `json:"page" minimum:"1"` // the API says what is wrong with a cursor
	Cursor string   `json:"cursor"`
}

// perPage is the number of rows that are requested.
func (p pageArguments) perPage() int {
	if p.Limit == nil {
		return 25
	}
	return *p.Limit
}

// pageNumber is the page that is requested, or 0 where a cursor says where it begins.
func (p pageArguments) pageNumber() int {
	switch {
	case p.Cursor != "":
		return 0
	case p.Page == nil:
		return 1
	}
	return *p.Page
}

// problem is a mistake in the arguments. The assistant reads the text and can correct them.
type problem struct{ text string }

func (p *problem) Error() string { return p.text }

func problemf(format string, args ...any) error { return &problem{fmt.Sprintf(format, args...)} }

// readArguments reads raw into record, a pointer to the struct that declared describes. Null and an empty text count as
// left out, because assistants fill in arguments that they do not mean. Null of a filter that stands beside filters is meant: for none. So
// is null of an argument that is a reference, such as assignee_id, where it is the only null.
func readArguments(tool string, declared *schema.Schema, raw json.RawMessage, record reflect.Value) error {
	values := map[string]any{}
	if len(raw) > 0 && string(raw) != "null" {
		var err error
		if values, err = schema.ParseObject(raw); err != nil {
			refusal := fault.From(err)
			return problemf("The arguments of %s must be one JSON object. %s", tool,
				strings.ReplaceAll(refusal.Message, "The body", "What was sent"))
		}
	}
	if null, all := nullReferences(declared, values); all && len(null) == 1 {
		if inside, isObject := values["filters"].(map[string]any); isObject {
			inside[null[0]] = nil
		} else if values["filters"] == nil {
			values["filters"] = map[string]any{null[0]: nil}
		}
	}
	for name, value := range values {
		field := declared.Field(name)
		if value == "" || value == nil && (field != nil || declared.Field("filters") == nil) {
			delete(values, name)
		} else if field != nil && field.Kind == schema.List {
			if text, isText := value.(string); isText { // one value of a list, as the API takes it
				values[name] = []any{text}
			}
		}
	}
	misplaced(declared, values)
	var unknown []string
	for name := range values {
		if declared.Field(name) == nil {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		known := declared.Names(func(*schema.Field) bool { return true })
		meant := ""
		for _, name := range unknown {
			if near, found := suggest.Nearest(name, known); found {
				meant += " " + name + " may be " + near + "."
			}
		}
		return problemf("%s has no argument %s; it takes %s. Call it again with those.%s", tool, few(unknown, 60),
			few(known, 220), shorten(meant, 80))
	}
	problems := declared.Read(values, "", record.Elem(), nil)
	if len(problems) == 0 {
		return nil
	}
	var lines []string
	room := 330 / min(len(problems), maxProblems)
	for _, p := range problems[:min(len(problems), maxProblems)] {
		lines = append(lines, "- "+abridge(p.Field+" "+p.Message+hint(declared, p.Field, p.Message), room))
	}
	if more := len(problems) - maxProblems; more > 0 {
		lines = append(lines, fmt.Sprintf("- and %d more", more))
	}
	return problemf("The arguments of %s cannot be used:\n%s\nCorrect them and call it again.", tool, strings.Join(lines, "\n"))
}

// maxProblems is how many problems of arguments are said at once.
const maxProblems = 4

// nullReferences are the arguments that are null and refer to a record, of a tool with filters; all says that nothing else is null or
// empty. Clients that fill in every argument send much that is empty, and mean none of it.
func nullReferences(declared *schema.Schema, values map[string]any) (names []string, all bool) {
	if all = declared.Field("filters") != nil; !all {
		return nil, false
	}
	for name, value := range values {
		list, isList := value.([]any)
		if value != nil && value != "" && (!isList || len(list) > 0) {
			continue
		}
		if field := declared.Field(name); value != nil || field == nil || field.JSON.Format != "uuid" {
			all = false
		} else {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, all && names != nil
}

// misplaced puts filters that stand beside filters into it. Whether they exist is said by who knows the collection.
func misplaced(declared *schema.Schema, values map[string]any) {
	if declared.Field("filters") == nil {
		return
	}
	inside, isObject := values["filters"].(map[string]any)
	if !isObject && values["filters"] != nil {
		return
	}
	for name, value := range values {
		if declared.Field(name) != nil {
			continue
		}
		_, twice := inside[name]
		if value == nil && (twice || !isFilter(name)) { // it says nothing more, or nothing
			delete(values, name)
			continue
		}
		if inside == nil {
			inside = map[string]any{}
		}
		if !twice {
			inside[name] = value
			delete(values, name)
		}
	}
	if inside != nil {
		values["filters"] = inside
	}
}

// isFilter says whether a name is that of a filter by a value of any collection, and not of a bound, which null is none of.
func isFilter(name string) bool {
	for _, pair := range boundEndings {
		if strings.HasSuffix(name, pair[0]) || strings.HasSuffix(name, pair[1]) {
			return false
		}
	}
	for _, k := range knownOf {
		if slices.Contains(k.Filters, name) {
			return true
		}
	}
	return strings.HasPrefix(name, customField)
}

// hint returns the values that an argument may have, where the message does not list them.
func hint(declared *schema.Schema, at, message string) string {
	name, _, _ := strings.Cut(at, "[")
	field := declared.Field(name)
	if field == nil {
		return ""
	}
	var parts []string
	if len(field.Enum) > 0 && !strings.Contains(message, field.Enum[0]) {
		parts = append(parts, "of "+strings.Join(field.Enum, ", "))
	}
	if minimum, maximum := field.JSON.Minimum, field.JSON.Maximum; minimum != nil && maximum != nil {
		parts = append(parts, "from "+strconv.FormatFloat(*minimum, 'f', -1, 64)+" to "+strconv.FormatFloat(*maximum, 'f', -1, 64))
	}
	switch {
	case field.References != "" || field.JSON.Format == "uuid":
		parts = append(parts, "an id as find or a search gives it, never made up")
	case field.JSON.Format == "date":
		parts = append(parts, "such as 2026-05-12")
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// eachSent visits the arguments that are set and go to the API, under the API's names.
func eachSent(declared *schema.Schema, record reflect.Value, send func(name string, value any)) {
	for _, field := range declared.Fields {
		if name := apiName(record.Type(), field); name != "" && isSet(field, record) {
			send(name, field.Get(record))
		}
	}
}

// isSet reports whether an argument is given.
func isSet(field *schema.Field, record reflect.Value) bool {
	value := field.Get(record)
	if value == nil || reflect.ValueOf(value).IsZero() && field.Type.Kind() != reflect.Pointer {
		return false
	}
	list := reflect.ValueOf(value)
	return list.Kind() != reflect.Slice || list.Len() > 0
}

// argumentsOf is which values of an argument, such as kind or view, another argument is of. What is not named is of all.
type argumentsOf map[string][]string

// check refuses arguments that are of other values than the one that is chosen: they would do nothing, and nobody would know.
func (of argumentsOf) check(declared *schema.Schema, arguments any, by, chosen string) error {
	text := ""
	for _, field := range declared.Fields {
		values, bound := of[field.Name]
		if bound && !slices.Contains(values, chosen) && isSet(field, reflect.ValueOf(arguments).Elem()) {
			text += fmt.Sprintf(" %s is of %s %s.", field.Name, by, strings.Join(values, ", "))
		}
	}
	if text == "" {
		return nil
	}
	return problemf("%s %s does not take all of these arguments:%s Leave them out, or ask for that %s.", by, chosen, shorten(text, 320), by)
}

// apiName is the API's name of an argument. It is empty for an argument that the API does not have.
func apiName(of reflect.Type, field *schema.Field) string {
	switch name := of.FieldByIndex(field.Index).Tag.Get("api"); name {
	case "-":
		return ""
	case "":
		return field.Name
	default:
		return name
	}
}

// encodeQuery turns arguments into a query. Several values are separated by commas, as the API expects.
func encodeQuery(declared *schema.Schema, arguments any) url.Values {
	query := url.Values{}
	eachSent(declared, reflect.ValueOf(arguments).Elem(), func(name string, value any) {
		switch v := value.(type) {
		case []string:
			query.Set(name, strings.Join(v, ","))
		case float64:
			query.Set(name, strconv.FormatFloat(v, 'f', -1, 64))
		default:
			query.Set(name, fmt.Sprint(v))
		}
	})
	return query
}

// encodeBody turns arguments into a request body. The fields named in clear become null.
func encodeBody(declared *schema.Schema, arguments any, clear ...string) (map[string]any, error) {
	body := map[string]any{}
	eachSent(declared, reflect.ValueOf(arguments).Elem(), func(name string, value any) { body[name] = value })
	for _, name := range clear {
		if _, values := body[name]; values {
			return nil, problemf("clear names %s, which is given a value as well; do one of the two.", name)
		}
		body[name] = nil
	}
	return body, nil
}

// exactlyOne returns the one candidate that is set. It refuses a call that sets none or more than one of them.
func exactlyOne(values map[string]string) (name, value string, err error) {
	for candidate, text := range values {
		if text == "" {
			continue
		}
		if name != "" {
			name = ""
			break
		}
		name, value = candidate, text
	}
	if name == "" {
		names := make([]string, 0, len(values))
		for candidate := range values {
			names = append(names, candidate)
		}
		slices.Sort(names)
		return "", "", problemf("Give exactly one of %s.", strings.Join(names, ", "))
	}
	return name, value, nil
}

// isProblem reports whether err is about the arguments.
func isProblem(err error) bool {
	var p *problem
	return errors.As(err, &p)
}
