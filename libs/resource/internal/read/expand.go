package read

import (
	"context"
	"maps"
	"slices"
	"strings"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/internal/links"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
)

// expansion shows {id, name} of a referred record beside its id: "site" beside "site_id"; in OData the record itself; or the list that a
// definition has one for.
type expansion struct {
	name   string
	column *table.Column           // that has the id to look up
	row    catalogue.Collection    // of what is shown
	list   *table.Expansion        // nil for a record
	whole  *reference.RecordsQuery // how the record is shown in OData; nil for {id, name}
}

func expansionsOf(t *table.Table) []*expansion {
	var all []*expansion
	for _, c := range t.Columns {
		if name, ok := strings.CutSuffix(c.Name, "_id"); ok && c.References != "" && !strings.HasPrefix(c.References, "@") {
			all = append(all, &expansion{name, c, t.Catalogue.Must(c.References), nil, nil})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Expansions)) {
		list := t.Expansions[name]
		all = append(all, &expansion{name, t.Column("id"), t.Catalogue.Must(list.Collection), &list, nil})
	}
	return all
}

func (t list) parseExpand(text string, problems *schema.Problems) []*expansion {
	var chosen []*expansion
	all := expansionsOf(t.Table)
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		i := slices.IndexFunc(all, func(e *expansion) bool { return e.name == name })
		if i < 0 {
			var names []string
			for _, e := range all {
				names = append(names, e.name)
			}
			problems.Add("expand", "cannot expand %q; can expand %s%s", name, strings.Join(names, ", "), suggest.DidYouMean(name, names))
			continue
		}
		if !slices.Contains(chosen, all[i]) {
			chosen = append(chosen, all[i])
		}
	}
	return chosen
}

// allowed objects to what the caller's scopes or the organization's plan do not show.
func (q *query) allowed(ctx context.Context) error {
	if err := table.MayQuery(ctx, q.queried...); err != nil {
		return err
	}
	for _, e := range q.expand {
		option := "expand=" + e.name
		if e.whole != nil {
			option = "$" + option
		}
		if err := readable(ctx, e.row, option); err != nil {
			return err
		}
	}
	return nil
}

// selected are the columns to read: those to show, behind them the ids to expand, and what makes a feature.
func (q *query) selected() []*table.Column {
	columns := slices.Clone(q.columns)
	for _, e := range q.expand {
		columns = append(columns, e.column)
	}
	columns = append(columns, q.feature...)
	if q.asOf != "" {
		columns = append(columns, q.key)
	}
	return columns
}

// completed says whether rows need more than what their table has: the names of what they refer to, or what they were on a day.
func (q *query) completed() bool { return len(q.expand) > 0 || q.asOf != "" }

// complete completes rows: with what they were on the day that is asked for, and the names of what they refer to.
func (t list) complete(ctx context.Context, q *query, rows []table.Values) ([]map[string]string, error) {
	if err := t.onTheDay(ctx, q, rows); err != nil {
		return nil, err
	}
	return t.names(ctx, q, rows)
}

// names looks up what the rows refer to: one question per expansion, whatever the number of rows.
func (t list) names(ctx context.Context, q *query, rows []table.Values) ([]map[string]string, error) {
	all, size := make([]map[string]string, len(q.expand)), 0
	for i, e := range q.expand {
		seen := map[string]bool{}
		var ids []string
		for _, values := range rows {
			if id := values[len(q.columns)+i]; id != nil && !seen[string(id)] {
				seen[string(id)] = true
				ids = append(ids, string(id))
			}
		}
		var err error
		if all[i], err = t.lookUp(ctx, e, ids); err != nil {
			return nil, err
		}
		for _, shown := range all[i] {
			if size += len(shown); size > maxPage && e.whole != nil {
				return nil, errExpandedTooLarge
			}
		}
	}
	return all, nil
}

// lookUp gives what an expansion shows by the ids that it looks up: names, records as JSON, or lists as JSON, of which none is missing.
func (t list) lookUp(ctx context.Context, e *expansion, ids []string) (map[string]string, error) {
	if e.whole != nil {
		wanted := *e.whole
		wanted.IDs = ids
		return t.records(ctx, e.row.Name, wanted)
	}
	found := make(map[string]string, len(ids))
	if e.list == nil {
		entries, err := links.Find(ctx, t.Set, e.column.References, reference.Query{IDs: ids})
		for _, entry := range entries {
			found[entry.ID] = entry.Name
		}
		return found, err
	}
	for _, id := range ids {
		found[id] = "[]"
	}
	lists, err := e.list.Find(ctx, t.References, ids)
	maps.Copy(found, lists)
	return found, err
}

// appendOne appends a record, with the names of what it refers to.
func (q *query) appendOne(dst []byte, values table.Values, names []map[string]string) []byte {
	dst = table.AppendRecord(dst, q.columns, values)
	if len(q.expand) == 0 {
		return dst
	}
	dst = dst[:len(dst)-1]
	for i, e := range q.expand {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), e.name...), '"', ':')
		id := values[len(q.columns)+i]
		name, known := names[i][string(id)]
		switch {
		case e.list != nil, e.whole != nil && known:
			dst = append(dst, name...)
			continue
		case !known:
			dst = append(dst, "null"...)
			continue
		}
		dst = append(append(append(dst, `{"id":"`...), id...), `","name":`...)
		dst = append(table.AppendText(dst, []byte(name)), '}')
	}
	return append(dst, '}')
}
