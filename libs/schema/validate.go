package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
	"github.com/google/uuid"

	"ams.internal/libs/fault"
	"ams.internal/libs/suggest"
)

// The sentences that follow a field's name. huma keeps them as variables so that products can word their own.
func init() {
	validation.MsgUnexpectedProperty = "is not a field of this resource"
	validation.MsgExpectedRequiredProperty = missingMember + "%s"
	validation.MsgExpectedBoolean = "must be true or false"
	validation.MsgExpectedNumber = "must be a number"
	validation.MsgExpectedInteger = "must be a whole number"
	validation.MsgExpectedString = "must be a text"
	validation.MsgExpectedArray = "must be a list"
	validation.MsgExpectedObject = "must be an object"
	validation.MsgExpectedOneOf = "must be one of %s"
	validation.MsgExpectedMinimumNumber = "must be %v or more"
	validation.MsgExpectedMaximumNumber = "must be %v or less"
	validation.MsgExpectedExclusiveMinimumNumber = "must be more than %v"
	validation.MsgExpectedExclusiveMaximumNumber = "must be less than %v"
	validation.MsgExpectedMinLength = "must have at least %d characters"
	validation.MsgExpectedMaxLength = "must have at most %d characters"
	validation.MsgExpectedBePattern = "must be %s"
	validation.MsgExpectedMatchPattern = "must match the pattern %s"
	validation.MsgExpectedMinItems = "must have at least %d entries"
	validation.MsgExpectedMaxItems = "must have at most %d entries"
	validation.MsgExpectedMaxProperties = "must have at most %d entries"
	validation.MsgExpectedArrayItemsUnique = "must not name the same entry twice"
	validation.MsgExpectedRFC3339Date = "must be a date that exists, as YYYY-MM-DD"
	validation.MsgExpectedRFC3339DateTime = "must be a time as in 2026-01-31T14:00:00Z"
	validation.MsgExpectedRFC4122UUID = "must be a UUID"
	validation.MsgExpectedRFC5322Email = "must be an e-mail address"
	validation.MsgExpectedRFC3986URI = "must be a URL"
	huma.ErrorFormatter = inFull
}

// missingMember begins the message of an object without a member that it needs; addDetail names that member.
const missingMember = "needs the member "

// inFull is fmt.Sprintf that writes numbers in full: a limit of a million is 1000000, not 1e+06.
func inFull(format string, args ...any) string {
	for i, arg := range args {
		if number, is := arg.(float64); is {
			args[i] = strconv.FormatFloat(number, 'f', -1, 64)
		}
	}
	return fmt.Sprintf(format, args...)
}

// Problems collects what is wrong with a request, field by field.
type Problems []fault.Field

// Add adds a problem of a field.
func (p *Problems) Add(field, format string, args ...any) {
	*p = append(*p, fault.Field{Field: field, Message: fmt.Sprintf(format, args...)})
}

// AddMissing adds a field that names a record which the organization does not have.
func (p *Problems) AddMissing(field, format string, args ...any) {
	*p = append(*p, fault.Field{Field: field, Message: fmt.Sprintf(format, args...), Missing: true})
}

// Err is the 400 that lists the problems, or the 404 where all are missing records, or nil when there are none.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	return fault.InvalidFields(p...)
}

// Check reports what is wrong with one given value of the field, under the name at. It returns the value as it is stored: texts as Line
// or Lines has them, an empty optional text as null, UUIDs in lower case, times in UTC.
func (f *Field) Check(at string, value any, problems *Problems) any {
	found := len(*problems)
	if value = f.normalise(at, value, problems); len(*problems) > found {
		return nil
	}
	if value == nil {
		if !f.Nullable && f.Default == nil && f.Kind != List && f.Kind != Object {
			problems.Add(at, "must not be empty")
		}
		return nil
	}
	if !f.IsOpen() {
		if _, long := value.(json.Number); long && (f.Decimals > 0 || f.Kind == Integer) {
			problems.Add(at, "has more digits than can be kept; send at most 15")
			return nil
		}
		value = nearest(value)
	}
	if f.checker != nil {
		return f.checker.Check(at, value, problems)
	}
	if f.JSON.UniqueItems && f.holdsUnhashable(at, value, problems) {
		return value
	}
	var result huma.ValidateResult
	huma.Validate(registry, f.JSON, huma.NewPathBuffer([]byte(at), len(at)), huma.ModeReadFromServer, value, &result)
	for _, err := range result.Errors {
		f.addDetail(err, problems)
	}
	if len(result.Errors) > 0 || holdsNulls(f.JSON, at, value, problems) {
		return value
	}
	f.checkFurther(at, value, problems)
	return value
}

// holdsNulls reports null where a member of an object is required, inside of an object that may be null itself: huma takes it there.
func holdsNulls(s *huma.Schema, at string, value any, problems *Problems) bool {
	found := false
	switch v := value.(type) {
	case map[string]any:
		for _, name := range sortedKeys(s.Properties) {
			property, here := s.Properties[name], at+"."+name
			member, given := v[name]
			if given && member == nil && !property.Nullable && slices.Contains(s.Required, name) {
				problems.Add(here, "must not be empty")
				found = true
			}
			found = holdsNulls(property, here, member, problems) || found
		}
	case []any:
		for i, entry := range v {
			if s.Items != nil {
				found = holdsNulls(s.Items, fmt.Sprintf("%s[%d]", at, i), entry, problems) || found
			}
		}
	}
	return found
}

// IsOpen says whether the field is an object whose members are the caller's own.
func (f *Field) IsOpen() bool {
	return f.Kind == Object && f.checker == nil && len(f.JSON.Properties) == 0
}

// holdsUnhashable reports lists and objects where plain entries belong. huma, which searches for duplicate entries, would panic over
// them.
func (f *Field) holdsUnhashable(at string, value any, problems *Problems) bool {
	entries, _ := value.([]any)
	found := false
	for i, entry := range entries {
		switch entry.(type) {
		case map[string]any, []any:
			problems.Add(fmt.Sprintf("%s[%d]", at, i), "must be a text or a number")
			found = true
		}
	}
	return found
}

func (f *Field) addDetail(err error, problems *Problems) {
	var detail *huma.ErrorDetail
	if !errors.As(err, &detail) {
		problems.Add(f.Name, "%s", err)
		return
	}
	message, _, _ := strings.Cut(detail.Message, "%!(EXTRA") // what huma's parser said helps nobody
	if values, isEnum := strings.CutPrefix(message, "must be one of "); isEnum {
		text, _ := detail.Value.(string)
		message += suggest.DidYouMean(text, strings.Split(values, ", "))
	} else if member, missing := strings.CutPrefix(message, missingMember); missing {
		problems.Add(detail.Location+"."+member, "is required")
		return
	} else if text, isText := detail.Value.(string); isText && isNumber(message) && strings.ContainsAny(text, "0123456789") {
		message += ": without quotes, blanks and thousands separators, and with a point, as in 1000.50"
	} else if isText && message == validation.MsgExpectedRFC3339DateTime && strings.Contains(text, " ") {
		if _, err := time.Parse(time.RFC3339Nano, strings.Replace(text, " ", "+", 1)); err == nil {
			message += "; in an address a + is a blank, so write %2B"
		}
	} else if message == validation.MsgUnexpectedProperty {
		message += suggest.DidYouMean(detail.Location[strings.LastIndexByte(detail.Location, '.')+1:], f.members())
	}
	problems.Add(detail.Location, "%s", message)
}

func isNumber(message string) bool {
	return message == validation.MsgExpectedNumber || message == validation.MsgExpectedInteger
}

// members are the names that an object, or each of a list of them, has declared.
func (f *Field) members() []string {
	object := f.JSON
	if object.Items != nil {
		object = object.Items
	}
	return sortedKeys(object.Properties)
}

// checkFurther checks what JSON Schema cannot express.
func (f *Field) checkFurther(at string, value any, problems *Problems) {
	switch v := value.(type) {
	case float64:
		if f.Decimals > 0 && decimalsOf(v) > f.Decimals {
			problems.Add(at, "must have at most %d decimals", f.Decimals)
		}
		if minimum, maximum := f.integers(); f.Kind == Integer && (v > float64(maximum) || v < float64(minimum)) {
			problems.Add(at, "must be between %d and %d", minimum, maximum)
		}
		if f.Kind == Number && !f.Money && math.Abs(v) > 1e15 {
			problems.Add(at, "must be less than 1e15")
		}
	case string:
		switch f.Kind {
		case Date, Time:
			if year, _ := strconv.Atoi(v[:4]); year < 1000 {
				problems.Add(at, "must be in the year 1000 or later")
			}
		case UUID: // huma takes braces, urn:uuid: and no hyphens as well
			if !IsUUID(v) {
				problems.Add(at, "%s", validation.MsgExpectedRFC4122UUID)
			}
		}
	case []any:
		for i, entry := range v {
			if id, ok := entry.(string); ok && f.References != "" && !IsUUID(id) {
				problems.Add(fmt.Sprintf("%s[%d]", at, i), "%s", validation.MsgExpectedRFC4122UUID)
			}
		}
	case map[string]any:
		if f.IsOpen() {
			checkCustomFields(at, v, problems)
		}
	}
}

// checkCustomFields checks that an object without declared members can be stored, shown in a table and exported.
func checkCustomFields(at string, object map[string]any, problems *Problems) {
	if len(object) > 50 {
		problems.Add(at, "must have at most 50 entries")
	}
	for name, value := range object {
		here := at + "." + name
		if long := []rune(name); len(long) == 0 || len(long) > 100 {
			if len(long) > 100 {
				here = at + "." + string(long[:100]) + "…"
			}
			problems.Add(here, "must have a name of 1 to 100 characters")
		}
		switch v := value.(type) {
		case map[string]any, []any:
			problems.Add(here, "must be a text, a number, true, false or null")
		case json.Number:
			checkExact(here, v, problems)
		case string:
			if len([]rune(v)) > 2000 {
				problems.Add(here, "must have at most 2000 characters")
			}
		}
	}
}

// decimalsOf is how many decimals a number is written with.
func decimalsOf(v float64) int {
	_, decimals, _ := strings.Cut(strconv.FormatFloat(v, 'f', -1, 64), ".")
	return len(decimals)
}

// normalise makes a value what is stored of it.
func (f *Field) normalise(at string, value any, problems *Problems) any {
	switch v := value.(type) {
	case string:
		if f.OneLine && f.Kind == Text {
			if problem := LineProblem(v); problem != "" {
				problems.Add(at, "%s", problem)
			}
			v = Line(v)
		} else {
			v = Lines(v)
		}
		switch {
		case v == "" && f.Kind != List && f.Kind != Object:
			return nil
		case f.Kind == UUID:
			return strings.ToLower(v)
		case f.Kind == Time:
			if at, err := time.Parse(time.RFC3339Nano, v); err == nil {
				return at.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
			}
		}
		return v
	case []any:
		normaliseTexts(f.JSON, at, v, problems)
		for i, entry := range v {
			if text, ok := entry.(string); ok && f.References != "" {
				v[i] = strings.ToLower(text)
			}
		}
	case map[string]any:
		if !f.IsOpen() {
			normaliseTexts(f.JSON, at, v, problems)
		}
	}
	return value
}

// IsUUID reports whether text is a UUID in its canonical form: 36 characters with four hyphens.
func IsUUID(text string) bool {
	return len(text) == 36 && uuid.Validate(text) == nil
}

// Tenant reports whether a client's name for a field, parameter or header tries to choose the organization. Such names are ignored
// everywhere: the organization is that of the key.
func Tenant(name string) bool {
	switch strings.ToLower(strings.NewReplacer("-", "_").Replace(name)) {
	case "organization_id", "organisation_id", "tenant_id", "organization", "organisation", "tenant", "org_id", "x_organization_id",
		"x_tenant_id":
		return true
	}
	return false
}

// Read checks a parsed body against the declaration and puts the given fields into record, which must be
// addressable. prefix is put before the names of fields in problems ("data[3]."). given, where not nil, gets every field that the body
// has. Read-only fields are ignored, so that a record can be read and sent back. Fields that the body leaves out keep the value in
// record; Missing reports required ones that are left out.
func (s *Schema) Read(body map[string]any, prefix string, record reflect.Value, given map[string]bool) Problems {
	var problems Problems
	for name, value := range body {
		field := s.byName[name]
		switch {
		case field == nil && Tenant(name):
		case field == nil:
			problems.Add(prefix+name, "is not a field of this resource%s",
				suggest.DidYouMean(name, s.Names(func(f *Field) bool { return !f.ReadOnly })))
		case field.ReadOnly:
		default:
			found := len(problems)
			if value = field.Check(prefix+name, value, &problems); len(problems) > found {
				continue
			}
			field.Set(record, value)
			if given != nil {
				given[name] = true
			}
		}
	}
	if given == nil {
		s.fill(body, record)
		problems = append(problems, s.Missing(body, prefix)...)
	}
	slices.SortStableFunc(problems, func(a, b fault.Field) int { return strings.Compare(a.Field, b.Field) })
	return problems
}

// Missing lists the required fields that body does not have.
func (s *Schema) Missing(body map[string]any, prefix string) Problems {
	var problems Problems
	for _, name := range s.JSON.Required {
		if _, has := body[name]; !has {
			problems.Add(prefix+name, "is required")
		}
	}
	return problems
}

// Defaults clears record: every field gets its declared default, an empty list or object, or nothing.
func (s *Schema) Defaults(record reflect.Value) {
	for _, f := range s.Fields {
		if f.Default != nil || f.Kind == List || f.Kind == Object {
			f.Set(record, nil)
		}
	}
}

func (s *Schema) fill(body map[string]any, record reflect.Value) {
	for _, f := range s.Fields {
		if _, has := body[f.Name]; !has && !f.ReadOnly {
			f.Set(record, nil)
		}
	}
}

// UniqueKey is how unique values compare: as Line, without regard to case. The function unique_key in the database does the same with what
// is stored.
func UniqueKey(value string) string { return strings.ToLower(Line(value)) }
