package read

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
	"ams.internal/libs/transport"
)

// aDay is the field that a day in the query is checked as.
func aDay(name string) *schema.Field {
	return &schema.Field{Name: name, Kind: schema.Date, JSON: FilterSchema(table.Filter{Kind: schema.Date})}
}

// parseWhole reads as_of and totals, and says whether it was one of them: elsewhere they may be the names of filters.
func (t list) parseWhole(q *query, name, text string, problems *schema.Problems) bool {
	switch {
	case name == "as_of" && t.AsOf != nil:
		q.asOf, _ = aDay(name).Check(name, text, problems).(string)
	case name == "totals" && t.Totals != nil:
		if q.totals = text == "true"; !q.totals && text != "false" {
			problems.Add(name, "must be true or false")
		}
	case name == "group_by" && t.Totals != nil && t.Totals.Groups != nil:
		if !slices.Contains(t.Totals.Groups, text) {
			problems.Add(name, "must be one of %s%s", strings.Join(t.Totals.Groups, ", "), suggest.DidYouMean(text, t.Totals.Groups))
			return true
		}
		q.groupBy = t.Column(text)
	case name == "group_sort" && t.Totals != nil && t.Totals.Groups != nil:
		if sorts := t.groupSorts(); !slices.Contains(sorts, text) {
			problems.Add(name, "must be one of %s%s", strings.Join(sorts, ", "), suggest.DidYouMean(text, sorts))
			return true
		}
		q.groupSort = text
	default:
		return false
	}
	return true
}

// shownOnly are parameters of the list that say how records are shown, and not which.
func (t list) shownOnly() []string {
	names := slices.Clone(shownOnly)
	if t.AsOf != nil {
		names = append(names, "as_of")
	}
	if t.Totals != nil {
		names = append(names, "totals")
		if t.Totals.Groups != nil {
			names = append(names, "group_by", "group_sort")
		}
	}
	return names
}

// checkAsOf objects to what cannot stand beside as_of: the database finds and sorts records by what they are now.
func (t list) checkAsOf(q *query, values url.Values, problems *schema.Problems) {
	if q.asOf == "" {
		return
	}
	q.key = t.Column("id")
	for _, name := range sortedNames(values) {
		if c, _ := t.filterColumn(name); c != nil && slices.Contains(t.AsOf.Fields, c.Name) {
			problems.Add(name, "cannot stand beside as_of: records are found by their %s now. Leave one of them out, "+
				"or take the whole list with as_of and choose from it", c.Name)
		}
	}
	for _, key := range q.sort {
		if slices.Contains(t.AsOf.Fields, key.Name) {
			problems.Add("sort", "cannot name %s beside as_of: records are sorted by what they are now. Leave one of them out, "+
				"or take the whole list with as_of and sort it", key.Name)
		}
	}
	if q.totals || q.groupBy != nil {
		problems.Add("totals", "cannot stand beside as_of: they are sums of what records are now. Leave one of them out, "+
			"or take the whole list with as_of as a file (Accept: text/csv) and add it up")
	}
}

// onTheDay puts what records were on the day that is asked for in the place of what they are.
func (t list) onTheDay(ctx context.Context, q *query, rows []table.Values) error {
	if q.asOf == "" || !slices.ContainsFunc(q.columns, func(c *table.Column) bool { return slices.Contains(t.AsOf.Fields, c.Name) }) {
		return nil
	}
	ids := make([]string, len(rows))
	for i, values := range rows {
		ids[i] = string(values[len(q.selected())-1])
	}
	were, err := t.AsOf.Read(ctx, q.asOf, ids)
	if err != nil {
		return err
	}
	for i, values := range rows {
		for at, c := range q.columns {
			value, is := were[ids[i]][c.Name]
			switch {
			case !is:
			case value == nil:
				values[at] = nil
			default:
				values[at] = []byte(*value)
			}
		}
	}
	return nil
}

// shownBy are the parameters of what shows one record.
func (t list) shownBy() []string {
	if t.AsOf == nil {
		return []string{"fields", "expand"}
	}
	return []string{"fields", "expand", "as_of"}
}

// asOfParameter describes as_of, where there is one.
func asOfParameter(t *table.Table) []transport.Parameter {
	if t.AsOf == nil {
		return nil
	}
	return []transport.Parameter{{Name: "as_of",
		In: "query", Schema: map[string]any{"type": "string", "format": "date"}, Example: "2026-09-30",
		Description: t.AsOf.Doc + " Lists with it are neither filtered nor sorted by " + strings.Join(t.AsOf.Fields, ", ") + "."}}
}
