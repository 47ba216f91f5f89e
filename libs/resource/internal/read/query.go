// Package read serves reads of records: lists and their streams, single records, and the names of what they refer to.
package read

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"ams.internal/libs/calendar"
	"ams.internal/libs/resource/internal/custom"
	"ams.internal/libs/resource/internal/index"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
	"ams.internal/libs/search"
	"ams.internal/libs/suggest"
)

// defaultPerPage is the size of a page when none is asked for.
const defaultPerPage = 25

// list reads the rows of a table.
type list struct{ *table.Table }

// query is what a list's parameters ask for.
type query struct {
	page, perPage int
	skip          int64     // records before the first page, of OData
	sort          []sortKey // with the id as the last; empty: oldest first
	backwards     bool      // newest first: the default order turned round
	cursor        bool      // in place of the page
	list          []byte    // what it is a list of, for its cursors
	after         []*string // values of the order in the row that the page begins behind; nil without a cursor
	columns       []*table.Column
	queried       []*table.Column // that the filters and the order are about
	expand        []*expansion
	search        *search.Query   // what q asks for, or nil
	relevance     bool            // the best that q finds first, in place of another order
	literal       bool            // words of q that no record has are not taken for others
	ranked        []int64         // of a page of the best: their positions
	excel         bool            // of a stream of CSV: it is opened in a spreadsheet program
	asOf          string          // the day that records are shown of, or ""
	key           *table.Column   // with asOf: the id
	totals        bool            // sums over all records are asked for
	groupBy       *table.Column   // with totals: what they are divided by, or nil
	groupSort     string          // the order of the groups, or ""
	feature       []*table.Column // of a stream of features: id and geometry, behind all others
	table.Conditions
	facets   []index.Condition // those of the conditions that the index can answer
	custom   []customCondition // those that the values of custom fields answer
	declared []custom.Field
	pending  *custom.Field     // one that is asked for, and whose values are not there yet
	known    *int64            // the total, where the index has said it
	version  string            // an expression of what a page's tag is made of, or "": see listTag
	days     calendar.Calendar // what a bare date means where a field has times
}

// parseQuery reads a list's parameters; every problem is named. A bare date for a time is its beginning in the organization's time zone.
func (t list) parseQuery(days calendar.Calendar, values url.Values, declared ...custom.Field) (*query, error) {
	q := &query{page: 1, perPage: defaultPerPage, columns: t.Columns, declared: declared, days: days}
	var problems schema.Problems
	for _, name := range sortedNames(values) {
		text := values.Get(name)
		switch name {
		case "page":
			q.page = between(name, text, 1, 1<<40, &problems)
		case "cursor":
			if q.cursor = true; values.Has("page") {
				problems.Add(name, "cannot stand beside page; leave one of them out")
			}
		case "per_page":
			q.perPage = between(name, text, 1, table.MaxPerPage, &problems)
		case "sort":
			if q.relevance = text == relevance; !q.relevance {
				t.parseSort(q, text, &problems)
			}
		case "fields":
			q.columns = t.parseFields(text, &problems)
		case "csv":
			if q.excel = text == "excel"; !q.excel {
				problems.Add(name, "must be excel; without it the file is exact")
			}
		case "expand":
			q.expand = t.parseExpand(text, &problems)
		default:
			if !t.parseWhole(q, name, text, &problems) {
				t.parseFilter(q, name, text, &problems)
			}
		}
	}
	t.checkAsOf(q, values, &problems)
	if q.groupSort != "" && !values.Has("group_by") {
		problems.Add("group_sort", "is the order of groups; give group_by, or leave it out")
	}
	q.checkRelevance(values.Has("q"), &problems)
	return q, problems.Err()
}

// offset is how many records come before the page.
func (q *query) offset() int64 { return int64(q.page-1)*int64(q.perPage) + q.skip }

// relevance is what sort says for the order of what q finds.
const relevance = "relevance"

// checkRelevance objects to sort=relevance where nothing is looked for, and behind the best.
func (q *query) checkRelevance(searched bool, problems *schema.Problems) {
	switch {
	case !q.relevance:
	case !searched:
		problems.Add("sort", "relevance is the order of what q finds; give q, or sort by a field")
	case q.cursor:
		problems.Add("cursor", "cannot stand beside sort=relevance, which has the %d best records only; use page", maxRelevant)
	case (q.page-1)*q.perPage >= maxRelevant:
		problems.Add("page", "sort=relevance has the %d best records only; sort by a field, or leave sort out, to page through all", maxRelevant)
	}
}

// parseSearch reads q.
func (t list) parseSearch(q *query, text string, problems *schema.Problems) {
	if len(t.Searched) == 0 {
		problems.Add("q", "is not a parameter of this list")
		return
	}
	wanted, err := search.Parse(text)
	if err != nil {
		problems.Add("q", "%s", err)
		return
	}
	q.search = &wanted
}

// PageOf reads page and per_page of a list that has no other parameters.
func PageOf(values url.Values) (page, perPage int, err error) {
	var problems schema.Problems
	page, perPage = 1, defaultPerPage
	if values.Has("page") {
		page = between("page", values.Get("page"), 1, 1<<40, &problems)
	}
	if values.Has("per_page") {
		perPage = between("per_page", values.Get("per_page"), 1, table.MaxPerPage, &problems)
	}
	return page, perPage, problems.Err()
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

func between(name, text string, minimum, maximum int, problems *schema.Problems) int {
	number, err := strconv.Atoi(text)
	if err != nil || number < minimum || number > maximum {
		if maximum > table.MaxPerPage {
			problems.Add(name, "must be a whole number, %d or more", minimum)
		} else {
			problems.Add(name, "must be a whole number from %d to %d", minimum, maximum)
		}
		return minimum
	}
	return number
}

func (t list) parseSort(q *query, text string, problems *schema.Problems) {
	seen := map[string]bool{}
	for key := range strings.SplitSeq(text, ",") {
		name, descending := strings.CutPrefix(strings.TrimSpace(key), "-")
		c := t.Column(name)
		if f := q.customField(name); f != nil {
			c = f.Column()
		}
		switch {
		case c == nil && strings.HasPrefix(name, custom.Prefix):
			problems.Add("sort", "%s %s", name, t.undeclared(q, name))
			continue
		case name == "id" && c != nil:
		case c == nil || !c.Sort:
			problems.Add("sort", "cannot sort by %q; can sort by %s%s", name, strings.Join(t.sortable(), ", "),
				suggest.DidYouMean(name, t.sortable()))
			continue
		case seen[name]:
			problems.Add("sort", "names %s twice", name)
			continue
		}
		seen[name], q.queried = true, append(q.queried, c)
		q.sort = append(q.sort, sortBy(c, descending))
	}
	if i := slices.IndexFunc(q.sort, func(k sortKey) bool { return k.Name == "id" }); i >= 0 {
		q.sort = q.sort[:i+1] // what comes behind it decides nothing
	} else if len(q.sort) > 0 {
		q.sort = append(q.sort, sortBy(t.Column("id"), false))
	}
	// created_at is the default order: positions are given in the order of creation.
	if len(q.sort) == 2 && q.sort[0].Name == "created_at" {
		q.backwards, q.sort = q.sort[0].descending, nil
	}
}

func (t list) sortable() []string {
	return append([]string{"id"}, t.Schema.Names(func(f *schema.Field) bool { return f.Sort })...)
}

func (t list) parseFields(text string, problems *schema.Problems) []*table.Column {
	var chosen []*table.Column
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		c := t.Column(name)
		if c == nil && len(*problems) >= maxProblems {
			break
		}
		if c == nil {
			problems.Add("fields", "%q is not a field of this resource%s", name,
				suggest.DidYouMean(name, t.Schema.Names(func(*schema.Field) bool { return true })))
			continue
		}
		if !slices.Contains(chosen, c) {
			chosen = append(chosen, c)
		}
	}
	return chosen
}
