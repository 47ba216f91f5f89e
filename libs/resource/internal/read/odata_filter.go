package read

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ams.internal/libs/odata"
	"ams.internal/libs/resource/internal/custom"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
)

// addFilter adds the condition of $filter.
func (t list) addFilter(ctx context.Context, q *query, filter odata.Expression, problems *schema.Problems) (err error) {
	if filter == nil {
		return nil
	}
	c := compiler{list: t, q: q}
	if mentions(filter, "custom_fields") {
		if c.declared, err = t.declaredOf(ctx); err != nil {
			return err
		}
	}
	condition := c.condition(filter)
	if c.problem != "" {
		problems.Add("$filter", "%s", c.problem)
		return nil
	}
	q.Add(condition, c.args...)
	return nil
}

// mentions says whether a field is a part of an expression.
func mentions(e odata.Expression, name string) bool {
	switch e := e.(type) {
	case odata.Both:
		return mentions(e.Left, name) || mentions(e.Right, name)
	case odata.Not:
		return mentions(e.Of, name)
	case odata.Comparison:
		return mentions(e.Left, name) || mentions(e.Right, name)
	case odata.In:
		return mentions(e.Of, name)
	case odata.Call:
		return slices.ContainsFunc(e.Arguments, func(a odata.Expression) bool { return mentions(a, name) })
	case odata.Any:
		return mentions(e.Of, name)
	case odata.Member:
		return e[0] == name
	}
	return false
}

// compiler makes SQL of an expression. Nothing that a caller wrote is in the SQL: fields are found by their names, values are arguments.
type compiler struct {
	list
	q        *query
	declared []custom.Field
	args     []any // $2 is the first
	depth    int   // in how many conditions that which is being compiled is inside
	problem  string
}

// operand is a value in SQL. kind is what it can be compared with.
type operand struct {
	sql    string
	kind   schema.Kind
	column *table.Column // of a field as it is
	custom *custom.Field
}

func (c *compiler) fail(format string, args ...any) {
	if c.problem == "" {
		c.problem = fmt.Sprintf(format, args...)
	}
}

// argument gives the placeholder of a value, as SQL casts it from text.
func (c *compiler) argument(value any, sqlType string) string {
	c.args = append(c.args, plain(value))
	return fmt.Sprintf("$%d::text::%s", len(c.args)+1, sqlType)
}

// condition is the SQL of a condition. A comparison with a field that has no value is not met, and its opposite is; what a function says of
// such a field is unknown, and so is the opposite of that.
func (c *compiler) condition(e odata.Expression) string {
	if c.problem != "" { // it is refused, for the first thing that is wrong
		return ""
	}
	switch e := e.(type) {
	case odata.Both:
		return "(" + c.condition(e.Left) + " " + strings.ToUpper(e.Operator) + " " + c.condition(e.Right) + ")"
	case odata.Not:
		return "NOT (" + c.inside(e.Of) + ")"
	case odata.Comparison:
		return c.decided(c.comparison(e))
	case odata.In:
		return c.decided(c.in(e))
	case odata.Any:
		return c.any(e)
	}
	of := c.operand(e)
	if c.problem == "" && of.kind != schema.Boolean {
		c.fail("needs a condition where it has a value: compare it with eq, ne, gt, ge, lt, le or in")
	}
	return of.sql
}

// inside is the SQL of a condition whose opposite, or which value it has, is asked.
func (c *compiler) inside(e odata.Expression) string {
	c.depth++
	defer func() { c.depth-- }()
	return c.condition(e)
}

// decided is a comparison that is false where it would be unknown. That makes a difference inside of others alone;
// elsewhere an index may have it.
func (c *compiler) decided(comparison string) string {
	if c.depth == 0 {
		return comparison
	}
	return "coalesce(" + comparison + ", false)"
}

var operators = map[string]string{"eq": "=", "ne": "IS DISTINCT FROM", "gt": ">", "ge": ">=", "lt": "<", "le": "<="}

func (c *compiler) comparison(e odata.Comparison) string {
	left, isLiteral := e.Left.(odata.Literal)
	operator := e.Operator
	if isLiteral { // 3 lt field is field gt 3
		e.Left, e.Right = e.Right, left
		operator = map[string]string{"gt": "lt", "lt": "gt", "ge": "le", "le": "ge"}[operator]
		if operator == "" {
			operator = e.Operator
		}
	}
	of := c.operand(e.Left)
	if c.problem != "" {
		return ""
	}
	literal, isLiteral := e.Right.(odata.Literal)
	if !isLiteral {
		other := c.operand(e.Right)
		if c.problem == "" && !alike(of.kind, other.kind) {
			c.fail("cannot compare a %s with a %s", of.kind, other.kind)
		}
		if of.kind == schema.Date && (of.custom == nil) != (other.custom == nil) {
			c.fail("cannot compare a custom field that is a date with another field, only with a date")
		}
		if operator == "eq" { // two fields without a value are equal
			return "(" + of.sql + " IS NOT DISTINCT FROM " + other.sql + ")"
		}
		return "(" + of.sql + " " + operators[operator] + " " + other.sql + ")"
	}
	if literal.Kind == "" {
		switch operator {
		case "eq":
			return "(" + of.sql + " IS NULL)"
		case "ne":
			return "(" + of.sql + " IS NOT NULL)"
		}
		c.fail("compares null with eq and ne only")
		return ""
	}
	if of.kind == schema.Boolean && operator != "eq" && operator != "ne" {
		c.fail("compares true and false with eq and ne only")
	}
	value := c.literal(of, literal)
	return "(" + of.sql + " " + operators[operator] + " " + value + ")"
}

func (c *compiler) in(e odata.In) string {
	of := c.operand(e.Of)
	if c.problem != "" {
		return ""
	}
	var values []string
	for _, literal := range e.Values {
		if literal.Kind == "" {
			c.fail("cannot have null in a list; ask with eq null")
			return ""
		}
		values = append(values, c.literal(of, literal))
	}
	return "(" + of.sql + " IN (" + strings.Join(values, ", ") + "))"
}

func (c *compiler) any(e odata.Any) string {
	column := c.column(e.Of[0])
	if column == nil {
		return ""
	}
	if len(e.Of) > 1 || column.Kind != schema.List || column.JSON.Items == nil || column.JSON.Items.Type != "string" {
		c.fail("cannot ask any of %s, which is no list of texts", e.Of)
		return ""
	}
	c.args = append(c.args, e.Text)
	return fmt.Sprintf("coalesce(%s ? $%d, false)", column.SQL, len(c.args)+1)
}

func (c *compiler) column(name string) *table.Column {
	column := c.Column(name)
	if column == nil && c.problem == "" {
		if e := c.navigation(name); e != nil {
			c.fail("%s", e.elsewhere())
		}
		c.fail("%s", odata.Unknown(name, c.Schema.Names(func(*schema.Field) bool { return true })))
		return nil
	}
	c.q.queried = append(c.q.queried, column)
	return column
}

// operand is the SQL of a value.
func (c *compiler) operand(e odata.Expression) operand {
	switch e := e.(type) {
	case odata.Member:
		return c.member(e)
	case odata.Call:
		return c.call(e)
	case odata.Literal:
		if e.Kind == schema.Boolean {
			return operand{sql: e.Text, kind: schema.Boolean}
		}
		c.fail("compares a field with a value, not values with each other")
		return operand{}
	}
	return operand{sql: c.inside(e), kind: schema.Boolean}
}

func (c *compiler) member(m odata.Member) operand {
	column := c.column(m[0])
	switch {
	case column == nil:
		return operand{}
	case m[0] == "custom_fields" && len(m) == 2:
		return c.customField(m[1])
	case len(m) > 1 || column.Kind == schema.Object || column.Kind == schema.List:
		c.fail("cannot compare %s; texts, numbers, dates, times, ids and custom fields of a declared type can be compared, "+
			"and lists of texts be asked of with %s/any(x:x eq 'text')", m, m[0])
		return operand{}
	}
	return operand{sql: column.SQL, kind: column.Kind, column: column}
}

func (c *compiler) customField(key string) operand {
	at := slices.IndexFunc(c.declared, func(f custom.Field) bool { return f.Key == key })
	if at < 0 {
		var keys []string
		for _, f := range c.declared {
			keys = append(keys, f.Key)
		}
		c.fail("cannot compare custom_fields/%s, which has no type; declare it first: PUT %s/custom-fields%s", key, c.Row.Path,
			suggest.DidYouMean(key, keys))
		return operand{}
	}
	field := &c.declared[at]
	of := operand{sql: field.Expression(), kind: field.Type, custom: field}
	if of.kind == schema.Boolean { // which is kept as a number
		return operand{sql: "(" + of.sql + " = " + c.literal(of, odata.Literal{Kind: schema.Boolean, Text: "true"}) + ")", kind: schema.Boolean}
	}
	return of
}

// literal is the SQL of a value that is compared with an operand.
func (c *compiler) literal(of operand, l odata.Literal) string {
	if of.kind == schema.Text && l.Kind != schema.Text {
		c.fail("compares a text with %s; put texts in single quotes: '%s'", l.Text, l.Text)
		return ""
	}
	if of.kind == schema.Text && l.Text == "" { // no field takes it, and yet programs ask: not null and not empty
		return c.argument("", "text")
	}
	if l.Kind == schema.Text && (of.kind == schema.Integer || of.kind == schema.Number || of.kind == schema.Boolean) {
		c.fail("compares a %s with the text '%s'; leave the quotes out", of.kind, l.Text)
		return ""
	}
	if of.custom != nil {
		value, err := of.custom.Parse(l.Text)
		if err != nil {
			c.fail("custom_fields/%s %s", of.custom.Key, err)
			return ""
		}
		return c.argument(value, of.custom.Cast())
	}
	field := &schema.Field{Kind: of.kind}
	name := "value"
	if of.column != nil {
		field, name = of.column.Field, of.column.Name
	}
	switch of.kind {
	case schema.Integer, schema.Number: // 2.5 is a number to compare with, also of a field of whole numbers
		if l.Kind != schema.Number {
			c.fail("compares %s with %s, which is no number", name, l.Text)
		}
		return c.argument(l.Text, "numeric")
	case schema.Time:
		if start, isDay := c.q.days.Start(l.Text); isDay {
			return c.argument(start.UTC().Format(time.RFC3339), "timestamptz")
		}
	}
	value, err := field.Parse(l.Text)
	if err != nil {
		c.fail("%s %s", name, err)
		return ""
	}
	if of.column != nil && of.kind != schema.Boolean {
		var problems schema.Problems
		if value = of.column.FilterType().Check(name, value, &problems); len(problems) > 0 {
			c.fail("%s %s", name, problems[0].Message)
			return ""
		}
	}
	return c.argument(value, table.SQLType(field))
}

// alike says whether values of two kinds can be compared.
func alike(one, other schema.Kind) bool {
	number := func(k schema.Kind) bool { return k == schema.Integer || k == schema.Number }
	return one == other || number(one) && number(other)
}

// call is the SQL of a function.
func (c *compiler) call(e odata.Call) operand {
	of := c.operand(e.Arguments[0])
	if c.problem != "" {
		return operand{}
	}
	wants := func(kinds ...schema.Kind) bool {
		if slices.Contains(kinds, of.kind) {
			return true
		}
		var words []string
		for _, kind := range kinds {
			words = append(words, string(kind))
		}
		c.fail("%s takes a %s, not a %s", e.Name, strings.Join(words, " or a "), of.kind)
		return false
	}
	switch e.Name {
	case "contains", "startswith", "endswith":
		literal, isText := e.Arguments[1].(odata.Literal)
		if !wants(schema.Text) || !isText || literal.Kind != schema.Text {
			c.fail("%s takes a field and a text in single quotes", e.Name)
			return operand{}
		}
		text := c.argument(literal.Text, "text")
		sql := map[string]string{"contains": "position(%[2]s in %[1]s) > 0", "startswith": "starts_with(%[1]s, %[2]s)",
			"endswith": "right(%[1]s, length(%[2]s)) = %[2]s"}[e.Name]
		return operand{sql: "(" + fmt.Sprintf(sql, of.sql, text) + ")", kind: schema.Boolean}
	case "tolower", "toupper", "trim":
		wants(schema.Text)
		return operand{sql: map[string]string{"tolower": "lower", "toupper": "upper", "trim": "btrim"}[e.Name] + "(" + of.sql + ")",
			kind: schema.Text}
	case "length":
		wants(schema.Text)
		return operand{sql: "length(" + of.sql + ")", kind: schema.Integer}
	}
	if wants(schema.Date, schema.Time); of.custom != nil {
		c.fail("%s takes dates and times that are fields of their own", e.Name)
	}
	sql := of.sql
	if of.kind == schema.Time { // as they are shown
		sql = "(" + sql + " AT TIME ZONE 'UTC')"
	}
	if e.Name == "date" {
		return operand{sql: sql + "::date", kind: schema.Date}
	}
	return operand{sql: "extract(" + e.Name + " FROM " + sql + ")::integer", kind: schema.Integer}
}
