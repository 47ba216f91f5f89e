package odata

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"time"

	"ams.internal/libs/schema"
)

// rowFilter finds the value of an expression of one row: a bool, string, *big.Rat, or nil.
type rowFilter struct {
	names  []string
	filter Expression // nil: all rows
	row    Row
	err    error
	values map[Literal]any // of the literals of the filter
}

// newRowFilter gives the filter of rows with members of these names, and adds what of the options cannot be asked of a report.
func newRowFilter(names []string, o *Options, problems *schema.Problems) *rowFilter {
	f := &rowFilter{names: names, filter: o.Filter, row: Row{}, values: map[Literal]any{}}
	if f.keeps(f.row); f.err != nil { // also where there are no rows, a filter that cannot be is refused
		problems.Add("$filter", "%s", f.err)
	}
	for _, name := range o.Select {
		checkName("$select", name, names, problems)
	}
	if o.Apply != nil {
		problems.Add("$apply", "is for the sets of records; a report has its groups already")
	}
	if o.Expand != nil {
		problems.Add("$expand", "is for the sets of records; rows of reports have ids, which are related to the ids of those sets")
	}
	return f
}

func (f *rowFilter) keeps(row Row) bool {
	f.row = row
	return f.filter == nil || f.value(f.filter) == true
}

func (f *rowFilter) fail(format string, args ...any) any {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
	return nil
}

func (f *rowFilter) value(e Expression) any {
	switch e := e.(type) {
	case Both:
		return both(f.value(e.Left), f.value(e.Right), e.Operator == "or")
	case Not:
		of := f.value(e.Of)
		if of == nil {
			return nil
		}
		return of != true
	case Comparison:
		return compared(e.Operator, f.value(e.Left), f.value(e.Right))
	case In:
		of := f.value(e.Of)
		return slices.ContainsFunc(e.Values, func(value Literal) bool { return compared("eq", of, f.literal(value)) })
	case Any:
		list, _ := f.member(e.Of).([]any)
		return slices.Contains(list, any(e.Text))
	case Call:
		return f.call(e)
	case Member:
		return plainValue(f.member(e))
	case Literal:
		return f.literal(e)
	}
	return f.fail("cannot be read")
}

// both is what two conditions come to: what one that is decisive says (false of and, true of or), whatever the other;
// else null where one is null.
func both(left, right any, decisive bool) any {
	switch {
	case left == decisive || right == decisive:
		return decisive
	case left == nil || right == nil:
		return nil
	}
	return !decisive
}

func (f *rowFilter) member(m Member) any {
	if !slices.Contains(f.names, m[0]) {
		return f.fail("%s", Unknown(m[0], f.names))
	}
	var value any = f.row
	for _, name := range m {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

func plainValue(value any) any {
	if number, ok := value.(json.Number); ok {
		exact, ok := new(big.Rat).SetString(number.String())
		if ok {
			return exact
		}
	}
	return value
}

// literal is the value of a literal, which is read once for all rows.
func (f *rowFilter) literal(l Literal) any {
	value, known := f.values[l]
	if !known {
		value = literalValue(l)
		f.values[l] = value
	}
	return value
}

func literalValue(l Literal) any {
	switch l.Kind {
	case "":
		return nil
	case schema.Boolean:
		return l.Text == "true"
	case schema.Number:
		return plainValue(json.Number(l.Text))
	case schema.UUID:
		return strings.ToLower(l.Text)
	}
	return l.Text
}

// compared compares two values. What is not of one kind is not equal, and in no order; nothing is before or behind null.
func compared(operator string, left, right any) bool {
	same := comparable(left, right)
	by := 0
	if same {
		by = order(left, right)
	}
	switch operator {
	case "eq":
		return same && by == 0
	case "ne":
		return !same || by != 0
	}
	if !same || left == nil {
		return false
	}
	switch operator {
	case "gt":
		return by > 0
	case "ge":
		return by >= 0
	case "lt":
		return by < 0
	}
	return by <= 0
}

func comparable(left, right any) bool { return reflect.TypeOf(left) == reflect.TypeOf(right) }

// order compares two values of one kind; null comes behind all others.
func order(left, right any) int {
	left, right = plainValue(left), plainValue(right)
	switch l := left.(type) {
	case nil:
		if right == nil {
			return 0
		}
		return 1
	case *big.Rat:
		if r, ok := right.(*big.Rat); ok {
			return l.Cmp(r)
		}
	case string:
		if r, ok := right.(string); ok {
			return orderOfTexts(l, r)
		}
	case bool:
		if r, ok := right.(bool); ok && l != r {
			if r {
				return -1
			}
			return 1
		}
	}
	if right == nil {
		return -1
	}
	return 0
}

// orderOfTexts compares texts; where one is a time, and the other a time or a day, as moments.
func orderOfTexts(left, right string) int {
	l, isTime := momentOf(left)
	r, isTimeToo := momentOf(right)
	if isTime || isTimeToo {
		if !isTime {
			l, isTime = dayOf(left)
		}
		if !isTimeToo {
			r, isTimeToo = dayOf(right)
		}
		if isTime && isTimeToo {
			return l.Compare(r)
		}
	}
	return cmp.Compare(left, right)
}

// momentOf reads a time, whatever its offset.
func momentOf(text string) (time.Time, bool) {
	if len(text) <= len(time.DateOnly) || text[len(time.DateOnly)] != 'T' {
		return time.Time{}, false
	}
	moment, err := time.Parse(time.RFC3339, text)
	return moment, err == nil
}

// dayOf gives the beginning of a day.
func dayOf(text string) (time.Time, bool) {
	day, err := time.Parse(time.DateOnly, text)
	return day, err == nil
}

func (f *rowFilter) call(c Call) any {
	first := f.value(c.Arguments[0])
	text, isText := first.(string)
	if len(c.Arguments) == 2 {
		second, ok := f.value(c.Arguments[1]).(string)
		switch {
		case first == nil:
			return nil
		case !isText || !ok:
			return false
		case c.Name == "contains":
			return strings.Contains(text, second)
		case c.Name == "startswith":
			return strings.HasPrefix(text, second)
		}
		return strings.HasSuffix(text, second)
	}
	if !isText {
		return nil
	}
	day, _, _ := strings.Cut(text, "T")
	if moment, isTime := momentOf(text); isTime {
		day = moment.UTC().Format(time.DateOnly)
	}
	switch c.Name {
	case "tolower":
		return strings.ToLower(text)
	case "toupper":
		return strings.ToUpper(text)
	case "trim":
		return strings.TrimSpace(text)
	case "length":
		return big.NewRat(int64(len([]rune(text))), 1)
	case "date":
		return day
	}
	parts := strings.Split(day, "-")
	if at := slices.Index([]string{"year", "month", "day"}, c.Name); at < len(parts) {
		return plainValue(json.Number(strings.TrimLeft(parts[at], "0")))
	}
	return nil
}
