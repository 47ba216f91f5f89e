package read

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"ams.internal/libs/resource/internal/custom"
	"ams.internal/libs/resource/internal/index"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
)

// How many values a filter may have. Each costs the database work for every row that it looks at.
const (
	maxValues = 100
	maxLabels = 50 // of which a record must have one
)

// values reads the values of a filter, none where the problem is named.
func values(name, text string, maxValues int, problems *schema.Problems) []schema.Value {
	found, err := schema.Values(text)
	switch {
	case err != nil:
		problems.Add(name, "%s", err)
	case len(found) > maxValues:
		problems.Add(name, "must have at most %d values; ask in several requests", maxValues)
	default:
		return found
	}
	return nil
}

// parseFilter adds the condition of one filter parameter.
func (t list) parseFilter(q *query, name, text string, problems *schema.Problems) {
	switch name {
	case "ids":
		if ids := uuids(name, text, problems); ids != nil {
			q.Add("t.id = ANY($2)", ids)
		}
		return
	case "q":
		t.parseSearch(q, text, problems)
		return
	case "updated_since":
		if at := t.check(q, t.Column("updated_at"), name, text, problems); at != nil {
			q.Add("t.updated_at >= $2", at)
		}
		return
	}
	if strings.HasPrefix(name, custom.Prefix) {
		t.parseCustom(q, name, text, problems)
		return
	}
	if f, ok := t.Filters[name]; ok {
		t.parseNamed(q, f, name, text, problems)
		return
	}
	c, bound := t.filterColumn(name)
	if c == nil {
		problems.Add(name, "is not a parameter of this list%s", t.suggest(name))
		return
	}
	q.queried = append(q.queried, c)
	switch c.Filter {
	case "range":
		if bound == "" {
			t.equals(q, c, name, text, problems)
		} else if value := t.check(q, c, name, text, problems); value != nil {
			operator := map[string]string{"_min": ">=", "_max": "<=", "_from": ">=", "_to": "<="}[bound]
			if next, isDay := q.days.Next(text); isDay && bound == "_to" && c.Kind == schema.Time { // to the end of that day
				operator, value = "<", next.UTC().Format(time.RFC3339)
			}
			q.Add(c.SQL+" "+operator+" $2", value)
			if c.Facet {
				q.facets = append(q.facets, index.Within(c, operator, value))
			}
		}
	case "prefix":
		// Written as a range, because row-level security lets only leakproof operators use an index.
		q.Add("(t."+c.Name+` COLLATE "C" >= $2 AND t.`+c.Name+` COLLATE "C" < $2 || U&'\+10FFFF')`, text)
	case "contains":
		var labels []string
		for _, value := range values(name, text, maxLabels, problems) {
			labels = append(labels, schema.Line(value.Word()))
		}
		q.Add("t."+c.Name+" ?| $2", labels)
	default:
		t.equals(q, c, name, text, problems)
	}
}

// equals takes several values, comma between them, and null where the column may be NULL.
func (t list) equals(q *query, c *table.Column, name, text string, problems *schema.Problems) {
	var wanted []string
	null := false
	for _, value := range values(name, text, maxValues, problems) {
		if value.Null && c.Nullable {
			null = true
			continue
		}
		if checked := t.check(q, c, name, value.Word(), problems); checked != nil {
			wanted = append(wanted, plain(checked))
		}
	}
	also := t.Also[c.Name]
	if c.Facet && (null || wanted != nil) {
		q.facets = append(q.facets, index.OneOf(c, wanted, null, also))
	}
	condition, cast := c.SQL+" = ANY($2::text[]::"+table.SQLType(c.Field)+"[])", any(wanted)
	if c.Unique {
		condition = "t." + c.Name + "_key = ANY(ARRAY(SELECT unique_key(v) FROM unnest($2::text[]) v))"
	}
	if also != "" {
		condition = "(" + condition + " OR t.id = ANY(ARRAY(" + also + ")))"
	}
	switch {
	case null && wanted == nil:
		q.Add(c.SQL + " IS NULL")
	case null:
		q.Add("("+condition+" OR "+c.SQL+" IS NULL)", cast)
	case len(wanted) == 1 && !c.Unique && also == "": // an index that has the order of the list behind the value is read as far as the page
		q.Add(c.SQL+" = $2::text::"+table.SQLType(c.Field), wanted[0])
	case wanted != nil:
		q.Add(condition, cast)
	}
}

// plain is a value as SQL casts it from text: whole numbers without an exponent.
func plain(value any) string {
	if number, ok := value.(float64); ok {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}

func (t list) parseNamed(q *query, f table.Filter, name, text string, problems *schema.Problems) {
	if f.Where != nil {
		if values(name, text, maxValues, problems) == nil {
			return
		}
		condition, args, err := f.Where(text)
		if err != nil {
			problems.Add(name, "%s", err)
			return
		}
		q.Add(condition, args...)
		return
	}
	field := &schema.Field{Name: name, Kind: f.Kind, Enum: f.Enum, JSON: FilterSchema(f)}
	value, err := field.Parse(text)
	if err != nil {
		problems.Add(name, "%s", err)
		return
	}
	found := len(*problems)
	if value = field.Check(name, value, problems); len(*problems) == found {
		q.Add(f.SQL, value)
	}
}

// check reads one value of a column's kind, or names the problem and gives nil.
func (t list) check(q *query, c *table.Column, name, text string, problems *schema.Problems) any {
	value, err := c.Parse(text)
	if err != nil {
		problems.Add(name, "%s", err)
		return nil
	}
	found := len(*problems)
	if start, isDay := q.days.Start(text); isDay && c.Kind == schema.Time {
		value = start.UTC().Format(time.RFC3339)
	}
	if value = c.FilterType().Check(name, value, problems); len(*problems) > found {
		return nil
	}
	return value
}

// filterColumn gives the column that a parameter filters, and which bound of a range it is.
func (t list) filterColumn(name string) (*table.Column, string) {
	if c := t.Column(name); c != nil && c.Filter != "" {
		return c, ""
	}
	for _, bound := range []string{"_min", "_max", "_from", "_to"} {
		base, ok := strings.CutSuffix(name, bound)
		if c := t.Column(base); ok && c != nil && c.Filter == "range" && slices.Contains(boundsOf(c.Kind), bound) {
			return c, bound
		}
	}
	return nil, ""
}

func boundsOf(kind schema.Kind) []string {
	if kind == schema.Date || kind == schema.Time {
		return []string{"_from", "_to"}
	}
	return []string{"_min", "_max"}
}

// suggest names the parameters that somebody may have meant.
func (t list) suggest(name string) string {
	if meant := suggest.DidYouMeanParameter(name, slices.Concat(t.filterNames(), []string{"sort"}, t.shownOnly())); meant != "" {
		return meant
	}
	var near []string
	for _, known := range t.filterNames() {
		if n := min(4, len(name)); n > 2 && strings.Contains(known, name[:n]) {
			near = append(near, known)
		}
	}
	if near == nil || len(near) > 12 {
		return "; /docs lists its filters"
	}
	return "; did you mean " + strings.Join(near, ", ") + "?"
}

// filterNames lists every filter parameter of the list.
func (t list) filterNames() []string {
	names := []string{"ids", "updated_since"}
	if len(t.Searched) > 0 {
		names = append(names, "q")
	}
	for _, c := range t.Columns {
		if c.Filter == "range" {
			for _, bound := range boundsOf(c.Kind) {
				names = append(names, c.Name+bound)
			}
		}
		if c.Filter != "" {
			names = append(names, c.Name)
		}
	}
	for name := range t.Filters {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func uuids(name, text string, problems *schema.Problems) []string {
	ids := strings.Split(strings.ToLower(text), ",")
	if len(ids) > table.MaxPerPage {
		problems.Add(name, "must have at most %d ids; ask in several requests", table.MaxPerPage)
		return nil
	}
	for _, id := range ids {
		if !schema.IsUUID(id) {
			problems.Add(name, "%.50q is not a UUID", id)
			return nil
		}
	}
	return ids
}

// FilterSchema is the JSON Schema of a filter's value.
func FilterSchema(f table.Filter) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	switch f.Kind {
	case schema.Integer:
		s.Type = huma.TypeInteger
	case schema.Number:
		s.Type = huma.TypeNumber
	case schema.Boolean:
		s.Type = huma.TypeBoolean
	case schema.UUID:
		s.Format = "uuid"
	case schema.Date:
		s.Format = "date"
	}
	for _, value := range f.Enum {
		s.Enum = append(s.Enum, value)
	}
	s.PrecomputeMessages()
	return s
}
