package forms

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
)

// Condition is a test of one answer, {item, op, value}, or of several: {all: […]} or {any: […]}.
type Condition struct {
	Item  string      `json:"item,omitempty"`
	Op    string      `json:"op,omitempty"`
	Value any         `json:"value,omitempty"`
	All   []Condition `json:"all,omitempty"`
	Any   []Condition `json:"any,omitempty"`
}

const (
	maxTests = 20 // of one condition
	maxDepth = 3  // of all and any within each other
)

// operators are the tests that there are.
var operators = []string{"eq", "ne", "gt", "gte", "lt", "lte", "in", "contains", "answered"}

// Schema implements huma.SchemaProvider.
func (Condition) Schema(huma.Registry) *huma.Schema {
	several := func(which string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true},
			Description: "Conditions of which " + which + " must hold, in place of a test of one item."}
	}
	var known []any
	for _, op := range operators {
		known = append(known, op)
	}
	return &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{
		"item": {Type: huma.TypeString, Description: "The key of the item whose answer is looked at."},
		"op": {Type: huma.TypeString, Enum: known, Description: "eq, ne, gt, gte, lt, lte compare; in: is one of a list; contains: a choice of " +
			"several, or a text, has the value; answered: there is an answer, or with the value false there is none."},
		"value": {Description: "What the answer is compared with."},
		"all":   several("all"), "any": several("any"),
	}}
}

// Check implements schema.Checker.
func (Condition) Check(at string, value any, problems *schema.Problems) any {
	tests := 0
	checkCondition(at, value, 1, &tests, problems)
	if tests > maxTests {
		problems.Add(at, "must have at most %d tests", maxTests)
	}
	return value
}

func checkCondition(at string, value any, depth int, tests *int, problems *schema.Problems) {
	members, is := value.(map[string]any)
	if !is {
		problems.Add(at, `must be a condition such as {"item": "runs", "op": "eq", "value": "fail"}`)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if known := []string{"item", "op", "value", "all", "any"}; !slices.Contains(known, name) {
			problems.Add(at+"."+name, "is not a member of a condition%s", suggest.DidYouMean(name, known))
		}
	}
	for _, name := range []string{"all", "any"} {
		list, has := members[name]
		if !has {
			continue
		}
		entries, is := list.([]any)
		switch {
		case len(members) > 1:
			problems.Add(at+"."+name, "must stand alone in its condition")
		case !is || len(entries) == 0:
			problems.Add(at+"."+name, "must be a list of conditions")
		case depth == maxDepth:
			problems.Add(at+"."+name, "must not be deeper than %d levels", maxDepth)
		default:
			for i, entry := range entries {
				checkCondition(fmt.Sprintf("%s.%s[%d]", at, name, i), entry, depth+1, tests, problems)
			}
		}
		return
	}
	*tests++
	if item, is := members["item"].(string); !is || item == "" {
		problems.Add(at+".item", "must be the key of an item")
	}
	op, is := members["op"].(string)
	switch {
	case !is || !slices.Contains(operators, op):
		problems.Add(at+".op", "must be one of %s%s", strings.Join(operators, ", "), suggest.DidYouMean(op, operators))
	case op == "answered":
		if _, is := members["value"].(bool); !is && members["value"] != nil {
			problems.Add(at+".value", "must be true or false, or be left out")
		}
	case members["value"] == nil:
		problems.Add(at+".value", "is required")
	}
}

// fit checks that a condition looks at items that it may look at, and compares their answers with what they can be. refer gives an item by
// its key; nil where the condition may not refer to it.
func (c *Condition) fit(at string, refer func(key string) *FormItem, problems *schema.Problems) {
	for name, list := range map[string][]Condition{"all": c.All, "any": c.Any} {
		for i := range list {
			list[i].fit(fmt.Sprintf("%s.%s[%d]", at, name, i), refer, problems)
		}
	}
	if c.Op == "" {
		return
	}
	item := refer(c.Item)
	if item == nil || item.Type == "section" {
		problems.Add(at+".item", "%q is not the key of an item with an answer that comes earlier in the form", c.Item)
		return
	}
	if c.Op == "answered" {
		return
	}
	if !slices.Contains(comparisons[item.Type], c.Op) {
		problems.Add(at+".op", "is not for items of the type %s; those take %s", item.Type,
			strings.Join(append(slices.Clone(comparisons[item.Type]), "answered"), ", "))
		return
	}
	values := []any{c.Value}
	if c.Op == "in" {
		var is bool
		if values, is = c.Value.([]any); !is || len(values) == 0 {
			problems.Add(at+".value", "must be a list of values")
			return
		}
	}
	for _, value := range values {
		compared := *item
		if item.Type == "multi" {
			compared.Type = "single" // contains looks for one of them
		}
		compared.Min, compared.Max = nil, nil
		if wrong := compared.wrong(value); wrong != "" {
			problems.Add(at+".value", "%s", wrong)
			return
		}
	}
}

// comparisons are the operators that there are for each type of item, beside answered.
var comparisons = map[string][]string{
	"check": {"eq", "ne"}, "pass_fail": {"eq", "ne", "in"}, "single": {"eq", "ne", "in"}, "multi": {"contains"},
	"number": {"eq", "ne", "gt", "gte", "lt", "lte", "in"}, "meter": {"eq", "ne", "gt", "gte", "lt", "lte", "in"},
	"text": {"eq", "ne", "in", "contains"}, "date": {"eq", "ne", "gt", "gte", "lt", "lte", "in"},
}

// holds evaluates a condition over answers. A test of an item without an answer does not hold, but for "not answered".
func (c *Condition) holds(answers Answers) bool {
	switch {
	case c.All != nil:
		return !slices.ContainsFunc(c.All, func(each Condition) bool { return !each.holds(answers) })
	case c.Any != nil:
		return slices.ContainsFunc(c.Any, func(each Condition) bool { return each.holds(answers) })
	}
	answer, answered := answers[c.Item]
	if c.Op == "answered" {
		return answered == (c.Value != false)
	}
	if !answered {
		return false
	}
	switch c.Op {
	case "eq":
		return answer == c.Value
	case "ne":
		return answer != c.Value
	case "in":
		list, _ := c.Value.([]any)
		return slices.Contains(list, answer)
	case "contains":
		if text, is := answer.(string); is {
			part, _ := c.Value.(string)
			return strings.Contains(strings.ToLower(text), strings.ToLower(part))
		}
		list, _ := answer.([]any)
		return slices.Contains(list, c.Value)
	}
	return compares(c.Op, answer, c.Value)
}

// compares puts two numbers, or two dates, in order.
func compares(op string, answer, value any) bool {
	var order int
	switch a := answer.(type) {
	case float64:
		b, is := value.(float64)
		if !is {
			return false
		}
		order = cmp.Compare(a, b)
	case string:
		b, is := value.(string)
		if !is {
			return false
		}
		order = cmp.Compare(a, b)
	default:
		return false
	}
	switch op {
	case "gt":
		return order > 0
	case "gte":
		return order >= 0
	case "lt":
		return order < 0
	}
	return order <= 0
}
