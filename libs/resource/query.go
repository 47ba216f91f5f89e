package resource

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"ams.internal/libs/schema"
)

// MaxPerPage is the largest page of a list.
const MaxPerPage = 1000

// sort is one key of an order.
type sortKey struct {
	*column
	descending bool
}

// query is what a list's parameters ask for.
type query struct {
	page, perPage int
	sort          []sortKey // empty: oldest first
	backwards     bool      // newest first: the default order turned round
	columns       []*column
	expand        []*expansion
	feature       []*column // of a stream of features: id and geometry, behind all others
	where         []string  // conditions over alias t, beside the organization's
	args          []any     // $1 is the organization
}

// parseQuery reads a list's parameters; every problem is named.
func (t *table) parseQuery(values url.Values) (*query, error) {
	q := &query{page: 1, perPage: 25, columns: t.columns}
	var problems schema.Problems
	for _, name := range sortedNames(values) {
		text := values.Get(name)
		switch name {
		case "page":
			q.page = between(name, text, 1, 1<<40, &problems)
		case "per_page":
			q.perPage = between(name, text, 1, MaxPerPage, &problems)
		case "sort":
			t.parseSort(q, text, &problems)
		case "fields":
			q.columns = t.parseFields(text, &problems)
		case "expand":
			q.expand = t.parseExpand(text, &problems)
		default:
			t.parseFilter(q, name, text, &problems)
		}
	}
	return q, problems.Err()
}

// sortedNames puts problems in a stable order.
func sortedNames(values url.Values) []string {
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func between(name, text string, least, most int, problems *schema.Problems) int {
	number, err := strconv.Atoi(text)
	if err != nil || number < least || number > most {
		if most > MaxPerPage {
			problems.Add(name, "must be a whole number, %d or more", least)
		} else {
			problems.Add(name, "must be a whole number from %d to %d", least, most)
		}
		return least
	}
	return number
}

func (t *table) parseSort(q *query, text string, problems *schema.Problems) {
	seen := map[string]bool{}
	for key := range strings.SplitSeq(text, ",") {
		name, descending := strings.CutPrefix(strings.TrimSpace(key), "-")
		c := t.find(name)
		switch {
		case name == "id" && c != nil:
		case c == nil || !c.Sort:
			problems.Add("sort", "cannot sort by %q; can sort by %s", name, strings.Join(t.sortable(), ", "))
			continue
		case seen[name]:
			problems.Add("sort", "names %s twice", name)
			continue
		}
		seen[name] = true
		q.sort = append(q.sort, sortKey{c, descending})
	}
	// created_at is the default order: positions are given in the order of creation.
	if len(q.sort) > 0 && q.sort[0].Name == "created_at" && (len(q.sort) == 1 || q.sort[1].Name == "id") {
		q.backwards, q.sort = q.sort[0].descending, nil
	}
}

func (t *table) sortable() []string {
	return append([]string{"id"}, t.schema.Names(func(f *schema.Field) bool { return f.Sort })...)
}

func (t *table) parseFields(text string, problems *schema.Problems) []*column {
	var chosen []*column
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		c := t.find(name)
		if c == nil {
			problems.Add("fields", "%q is not a field of this resource", name)
			continue
		}
		if !slices.Contains(chosen, c) {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

// parseFilter adds the condition of one filter parameter.
func (t *table) parseFilter(q *query, name, text string, problems *schema.Problems) {
	switch name {
	case "ids":
		if ids := uuids(name, text, problems); ids != nil {
			q.filter("t.id = ANY($?)", ids)
		}
		return
	case "q":
		t.parseSearch(q, text, problems)
		return
	case "updated_since":
		if at := t.check(t.find("updated_at"), name, text, problems); at != nil {
			q.filter("t.updated_at >= $?", at)
		}
		return
	}
	if f, ok := t.filters[name]; ok {
		t.parseNamed(q, f, name, text, problems)
		return
	}
	c, bound := t.filterColumn(name)
	if c == nil {
		problems.Add(name, "is not a parameter of this list%s", t.suggest(name))
		return
	}
	switch c.Filter {
	case "range":
		if bound == "" {
			t.equals(q, c, name, text, problems)
		} else if value := t.check(c, name, text, problems); value != nil {
			operator := map[string]string{"_min": ">=", "_max": "<=", "_from": ">=", "_to": "<="}[bound]
			q.filter(c.sql+" "+operator+" $?", value)
		}
	case "prefix":
		// Written as a range, because row-level security lets only leakproof operators use an index.
		q.filter("(t."+c.Name+` COLLATE "C" >= $? AND t.`+c.Name+` COLLATE "C" < $? || U&'\+10FFFF')`, text)
	case "contains":
		q.filter("t."+c.Name+" ?| $?", strings.Split(text, ","))
	default:
		t.equals(q, c, name, text, problems)
	}
}

// equals takes several values, comma between them, and null where the column may be NULL.
func (t *table) equals(q *query, c *column, name, text string, problems *schema.Problems) {
	var values []string
	null := false
	for value := range strings.SplitSeq(text, ",") {
		if value = strings.TrimSpace(value); value == "null" && c.Nullable {
			null = true
		} else if checked := t.check(c, name, value, problems); checked != nil {
			values = append(values, plain(checked))
		}
	}
	condition, cast := c.sql+" = ANY($?::text[]::"+sqlType(c.Field)+"[])", any(values)
	if c.Unique {
		condition = "t." + c.Name + "_key = ANY(ARRAY(SELECT unique_key(v) FROM unnest($?::text[]) v))"
	}
	switch {
	case null && values == nil:
		q.where = append(q.where, c.sql+" IS NULL")
	case null:
		q.filter("("+condition+" OR "+c.sql+" IS NULL)", cast)
	case values != nil:
		q.filter(condition, cast)
	}
}

// plain is a value as SQL casts it from text: whole numbers without an exponent.
func plain(value any) string {
	if number, ok := value.(float64); ok {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}

func sqlType(f *schema.Field) string {
	switch f.Kind {
	case schema.Integer:
		return "integer"
	case schema.Number:
		return "numeric"
	case schema.Boolean:
		return "boolean"
	case schema.UUID:
		return "uuid"
	case schema.Date:
		return "date"
	case schema.Time:
		return "timestamptz"
	case schema.Object:
		if len(f.JSON.Properties) > 0 {
			return "json" // a value of its own form, kept as it is written where the table's column is json as well
		}
		return "jsonb"
	case schema.List:
		return "jsonb"
	}
	return "text"
}

func (t *table) parseSearch(q *query, text string, problems *schema.Problems) {
	columns := t.schema.Names(func(f *schema.Field) bool { return f.Search })
	if len(columns) == 0 {
		problems.Add("q", "is not a parameter of this list")
		return
	}
	if len([]rune(text)) > 200 {
		problems.Add("q", "must have at most 200 characters")
		return
	}
	pattern := "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(strings.TrimSpace(text)) + "%"
	// The collation knows the case of every script; those of the columns may differ.
	q.filter(`concat_ws(E'\n', t.`+strings.Join(columns, ", t.")+`) COLLATE "und-x-icu" ILIKE $?`, pattern)
}

func (t *table) parseNamed(q *query, f Filter, name, text string, problems *schema.Problems) {
	if f.Where != nil {
		condition, args, err := f.Where(text)
		if err != nil {
			problems.Add(name, "%s", err)
			return
		}
		q.filterBy(condition, args)
		return
	}
	field := &schema.Field{Name: name, Kind: f.Kind, Enum: f.Enum, JSON: f.schema()}
	value, err := field.Parse(text)
	if err != nil {
		problems.Add(name, "%s", err)
		return
	}
	found := len(*problems)
	if value = field.Check(name, value, problems); len(*problems) == found {
		q.filter(f.SQL, value)
	}
}

// check reads one value of a column's kind, or names the problem and gives nil.
func (t *table) check(c *column, name, text string, problems *schema.Problems) any {
	value, err := c.Parse(text)
	if err != nil {
		problems.Add(name, "%s", err)
		return nil
	}
	found := len(*problems)
	if c.Kind == schema.Time && len(text) == len("2006-01-02") {
		value = text + "T00:00:00Z"
	}
	if value = c.FilterType().Check(name, value, problems); len(*problems) > found {
		return nil
	}
	return value
}

// filterColumn gives the column that a parameter filters, and which bound of a range it is.
func (t *table) filterColumn(name string) (*column, string) {
	if c := t.find(name); c != nil && c.Filter != "" {
		return c, ""
	}
	for _, bound := range []string{"_min", "_max", "_from", "_to"} {
		base, ok := strings.CutSuffix(name, bound)
		if c := t.find(base); ok && c != nil && c.Filter == "range" && slices.Contains(boundsOf(c.Kind), bound) {
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

// suggest names the filters that somebody may have meant.
func (t *table) suggest(name string) string {
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
func (t *table) filterNames() []string {
	names := []string{"ids", "updated_since"}
	if slices.ContainsFunc(t.columns, func(c *column) bool { return c.Search }) {
		names = append(names, "q")
	}
	for _, c := range t.columns {
		if c.Filter == "range" {
			for _, bound := range boundsOf(c.Kind) {
				names = append(names, c.Name+bound)
			}
		}
		if c.Filter != "" {
			names = append(names, c.Name)
		}
	}
	for name := range t.filters {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// filter adds a condition; $? in it stands for the argument.
func (q *query) filter(condition string, arg any) {
	q.args = append(q.args, arg)
	q.where = append(q.where, strings.ReplaceAll(condition, "$?", "$"+strconv.Itoa(len(q.args)+1)))
}

// filterBy adds a condition in which each $? stands for the next argument.
func (q *query) filterBy(condition string, args []any) {
	parts := strings.Split(condition, "$?")
	text := parts[0]
	for i, part := range parts[1:] {
		q.args = append(q.args, args[i])
		text += "$" + strconv.Itoa(len(q.args)+1) + part
	}
	q.where = append(q.where, text)
}

func uuids(name, text string, problems *schema.Problems) []string {
	ids := strings.Split(strings.ToLower(text), ",")
	if len(ids) > MaxPerPage {
		problems.Add(name, "must have at most %d ids", MaxPerPage)
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
