package mcp

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"ams.internal/libs/schema"
	"ams.internal/libs/search"
	"ams.internal/libs/suggest"
)

// filters are those of the REST list of a collection, by name, with the values that REST takes: a text, a number, true or false, or a list,
// of which a record has one. null and "null" are for none.
type filters map[string]any

// Check implements schema.Checker. Which filters there are depends on the collection.
func (filters) Check(at string, value any, problems *schema.Problems) any {
	if _, ok := value.(map[string]any); !ok {
		problems.Add(at, `must be an object of filters, such as {"status": "open"}`)
	}
	return value
}

// filterArguments are the arguments of every tool that searches a collection.
type filterArguments struct {
	Filters filters `json:"filters" api:"-"`
	GroupBy string  `json:"group_by" api:"-" doc:"A field: its groups, counted and added up, in place of rows. sort (-count, -<sum>, key) and limit are of them."`
}

// known is what the REST list of a collection can be asked.
type known struct {
	Filters []string `json:"filters"`
	Groups  []string `json:"groups,omitempty"` // of group_by

	GroupSorts []string `json:"group_sorts,omitempty"` // the orders of groups

	Texts []string `json:"texts,omitempty"` // groups that are texts as people write them
	Split []string `json:"split,omitempty"` // filters by texts, of which a comma makes several

	Figures []string `json:"figures,omitempty"` // of a report
	Amounts []string `json:"amounts,omitempty"` // those of the figures that are numbers
}

// knownJSON has it of every collection with a tool that searches it, by kind. It is made from the OpenAPI documents (make golden).
//
//go:embed filters.json
var knownJSON []byte

var knownOf = func() (of map[string]known) {
	if err := json.Unmarshal(knownJSON, &of); err != nil {
		panic(err)
	}
	return of
}()

// customField is what names of filters by custom fields begin with. Which there are, the API knows.
const customField = "custom_fields."

// addFilters adds filters to a query.
func (call *toolCall) addFilters(query url.Values, c *collection, given filters) error {
	all := knownOf[c.kind].Filters
	var unknown []string
	for name, value := range given {
		if !slices.Contains(all, name) && !strings.HasPrefix(name, customField) {
			unknown = append(unknown, name)
			continue
		}
		if typed, isText := value.(string); isText && c.splits(name) {
			value = []any{typed}
		}
		text, err := filterText(name, value)
		switch {
		case err != nil:
			return err
		case query.Get(name) != "" && query.Get(name) != text:
			return problemf("%s is an argument of %s and in filters, with different values; give it once.", name, call.tool.name)
		}
		query.Set(name, text)
	}
	if unknown == nil {
		return nil
	}
	slices.Sort(unknown)
	beginning := fmt.Sprintf("%s has no filter %s.%s Filters of %ss: ", call.tool.name, few(unknown, 60), call.meant(unknown, all),
		strings.ReplaceAll(c.kind, "_", " "))
	const rest = "; also " + customField + "KEY. They are named as the fields of the records."
	return problemf("%s%s%s", beginning, few(nearestFirst(unknown, all), maxRefusal-len(beginning)-len(rest)), rest)
}

// splits says whether a filter is by texts, of which a comma would make several.
func (c *collection) splits(name string) bool {
	return slices.Contains(knownOf[c.kind].Split, name) || strings.HasPrefix(name, customField)
}

// meant says what unknown filters may have been meant for: another filter, or an argument beside filters.
func (call *toolCall) meant(unknown, all []string) string {
	text := ""
	for _, name := range unknown[:min(len(unknown), 3)] {
		if call.tool.arguments.Field(name) != nil {
			text += " " + name + " is an argument beside filters."
		} else if near, found := suggest.Parameter(name, all); found {
			text += " " + name + " may be " + near + "."
		}
	}
	return text
}

// filterText is the value of a filter as the API takes it in a query.
func filterText(name string, value any) (string, error) {
	switch v := value.(type) {
	case nil:
		return "null", nil
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case json.Number:
		return v.String(), nil
	case []any:
		texts := make([]string, len(v))
		for i, each := range v {
			if _, nested := each.([]any); nested {
				return "", problemf("filters.%s has a list in a list; give one list of values.", name)
			}
			text, err := filterText(name, each)
			if err != nil {
				return "", err
			}
			if typed, isText := each.(string); isText && typed != "null" {
				text = schema.ListOf(typed)
			}
			texts[i] = text
		}
		return strings.Join(texts, ","), nil
	}
	if bounds, isObject := value.(map[string]any); isObject && len(bounds) > 0 {
		return "", problemf("filters.%s must be a value or a list of values; bounds are filters of their own: %s_min and %s_max of numbers, "+
			"%s_from and %s_to of dates.", name, name, name, name, name)
	}
	return "", problemf("filters.%s must be a text, a number, true or false, or a list of such.", name)
}

// boundEndings are what the names of filters end in that bound a value, from below and from above.
var boundEndings = [][2]string{{"_min", "_max"}, {"_from", "_to"}}

// nearestFirst lists filters, those that look like the unknown ones first. Bounds stand behind the name of what they bound.
func nearestFirst(unknown, all []string) []string {
	var near, others []string
	for _, name := range all {
		base, bounds := name, ""
		for _, pair := range boundEndings {
			if slices.Contains(all, name+pair[0]) {
				bounds = " (" + pair[0] + ", " + pair[1] + ")"
			}
			for _, suffix := range pair {
				if cut, is := strings.CutSuffix(name, suffix); is && slices.Contains(all, cut) {
					base = ""
				}
			}
		}
		switch {
		case base == "":
		case slices.ContainsFunc(unknown, func(u string) bool { return alike(u, base) }):
			near = append(near, base+bounds)
		default:
			others = append(others, base+bounds)
		}
	}
	return append(near, others...)
}

// alike says whether two names have a word in common, or one is nearly the other.
func alike(a, b string) bool {
	if _, near := suggest.Nearest(a, []string{b}); near {
		return true
	}
	words := strings.Split(strings.ToLower(b), "_")
	return slices.ContainsFunc(strings.Split(strings.ToLower(a), "_"), func(word string) bool {
		return len(word) > 3 && slices.Contains(words, word)
	})
}

// searchFiltered is search with filters, and with groups in place of rows where group_by names a field.
func (call *toolCall) searchFiltered(ctx context.Context, c *collection, query url.Values, f filterArguments,
	p pageArguments) (*listPage, error) {
	if err := call.addFilters(query, c, f.Filters); err != nil {
		return nil, err
	}
	read := func(query url.Values) (*listPage, error) {
		if f.GroupBy != "" {
			return call.groups(ctx, c, query, f.GroupBy, p)
		}
		return call.search(ctx, c, query, p)
	}
	found, err := read(query)
	if err == nil && found.Total == 0 {
		if elsewhere, where := call.atPlaces(ctx, c, query); elsewhere != nil {
			if placed, err := read(elsewhere); err == nil && placed.Total > 0 {
				placed.addNote(where)
				return placed, nil
			}
		}
		corrected, note := call.asWritten(ctx, c, query)
		if corrected != nil {
			found, err = read(corrected)
		}
		if err == nil {
			found.addNote(note)
			found.addNote(oneValue(c, f.Filters))
			if note == "" {
				found.addNote(otherWords(query.Get("q")))
			}
		}
	}
	if err != nil {
		return nil, err
	}
	found.addNote(call.nullMeant())
	return found, nil
}

// oneValue says, for a search that found nothing, that a text with a comma was looked for as one value.
func oneValue(c *collection, given filters) string {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if typed, isText := given[name].(string); isText && strings.Contains(typed, ",") && c.splits(name) {
			return fmt.Sprintf("filters.%s was looked for as one value, %q; give several values as a list.", name, typed)
		}
	}
	return ""
}

// nullMeant says what an argument that is null was taken for.
func (call *toolCall) nullMeant() string {
	var given map[string]any
	if err := decodeExactly(call.rawArguments, &given); err != nil { // there are none
		return ""
	}
	switch null, all := nullReferences(call.tool.arguments, given); {
	case !all:
		return ""
	case len(null) == 1:
		return null[0] + " null: those that have none."
	default:
		return strings.Join(null, ", ") + " null count as left out. For what has none, ask with filters {\"" + null[0] + "\": null}."
	}
}

// groups counts and adds up what filters find, by a field: in the order of sort, and the first of them alone where there is a limit.
func (call *toolCall) groups(ctx context.Context, c *collection, query url.Values, by string, p pageArguments) (*listPage, error) {
	groups, sorts := knownOf[c.kind].Groups, knownOf[c.kind].GroupSorts
	if groups == nil {
		return nil, problemf("%ss have no groups; leave group_by out.", strings.ReplaceAll(c.kind, "_", " "))
	}
	if !slices.Contains(groups, by) {
		if slices.Contains(groups, by+"_id") {
			by += "_id"
		} else {
			return nil, problemf("group_by must be one of %s%s", few(groups, 300), endSentence(suggest.DidYouMean(by, groups)))
		}
	}
	query = maps.Clone(query)
	query.Set("group_by", by)
	query.Set("per_page", "1")
	query.Set("fields", "id")
	sort := query.Get("sort")
	query.Del("sort")
	switch {
	case sort != "" && !slices.Contains(sorts, sort):
		return nil, problemf("sort of groups must be one of %s%s It sorts the groups, which have no other fields.", few(sorts, 250),
			endSentence(suggest.DidYouMean(sort, sorts)))
	case sort != "":
		query.Set("group_sort", sort)
	}
	if p.Cursor != "" || p.pageNumber() > 1 {
		return nil, problemf("Groups have no pages: leave page and cursor out, give limit up to 100, sort, or filter for the others.")
	}
	var found apiList
	if err := call.get(ctx, c.path, query, &found); err != nil {
		return nil, err
	}
	l := &listPage{Data: []record{}, Total: found.Pagination.Total, Sum: record{}, Groups: []record{}}
	for name, value := range found.Totals {
		if name != "groups" && name != "number_of_groups" && name != "count" {
			l.Sum[name] = value
		}
	}
	rows, _ := found.Totals["groups"].([]any)
	if p.Limit != nil {
		rows = rows[:min(*p.Limit, len(rows))]
	}
	for _, row := range rows {
		group := record(row.(map[string]any))
		if group["key"] == nil {
			group["key"] = "null" // as a filter asks for it
		}
		group["key"] = fmt.Sprint(group["key"])
		l.Groups = append(l.Groups, withoutEmpty(group))
	}
	if all := fmt.Sprint(found.Totals["number_of_groups"]); all != strconv.Itoa(len(rows)) {
		order := "those of most records"
		if sort != "" {
			order = "by " + sort
		}
		l.addNote(fmt.Sprintf("The first %d of %s groups, %s. Raise limit (100 at most), or filter for the others.", len(rows), all, order))
	}
	return l, nil
}

// asWritten looks, for a search that found nothing, at a text that it filtered by: filters are exact, and what people write is not. It
// gives the query with the text as it is written in the records, or none, and a note that says what it did.
func (call *toolCall) asWritten(ctx context.Context, c *collection, query url.Values) (corrected url.Values, note string) {
	for _, name := range knownOf[c.kind].Texts {
		typed := typedValues(query.Get(name))
		if typed == "" || query.Get(name) == "null" {
			continue
		}
		values, partly := call.spellings(ctx, c, query, name, typed)
		if len(values) == 0 {
			continue
		}
		like := slices.DeleteFunc(slices.Clone(values), func(value string) bool { return search.Whole(value) != search.Whole(typed) })
		if len(like) > 0 {
			corrected = maps.Clone(query)
			corrected.Set(name, schema.ListOf(like...))
			return corrected, fmt.Sprintf("Nothing has the %s %q; it was taken for %s.", name, typed, strings.Join(like, ", "))
		}
		some := strings.Join(values[:min(len(values), 25)], ", ")
		if partly {
			return nil, fmt.Sprintf("No %s is spelled exactly %q. It was compared with the commonest alone, such as %s: what few records "+
				"have may be the same in another spelling. Look for it by q, which forgives case, accents and spelling.", name, typed, some)
		}
		return nil, fmt.Sprintf("Nothing has the %s %q. There are: %s. Filters are exact; q forgives case, accents and spelling.",
			name, typed, some)
	}
	return nil, ""
}

// typedValues are the values of a filter as people write them.
func typedValues(filter string) string {
	values, _ := schema.Values(filter) // it was written here
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = value.Word()
	}
	return strings.Join(texts, ", ")
}

// spellings gives the texts that a field has in what the other filters of a query find. Groups are the largest alone: where there are more
// (partly), those that the text finds as words are among them, of fields that q looks at.
func (call *toolCall) spellings(ctx context.Context, c *collection, query url.Values, name, typed string) (values []string, partly bool) {
	others := url.Values{}
	for other, of := range query {
		if !slices.Contains([]string{name, "fields", "expand", "page", "cursor", "sort", "group_by"}, other) {
			others[other] = of
		}
	}
	add := func() (partly bool) {
		found, err := call.groups(ctx, c, others, name, pageArguments{})
		if err != nil { // what was asked for has its answer: nothing
			return false
		}
		for _, group := range found.Groups {
			if value := fmt.Sprint(group["key"]); !slices.Contains(values, value) {
				values = append(values, value)
			}
		}
		return found.More != ""
	}
	if partly = add(); partly {
		others.Set("q", strings.TrimSpace(others.Get("q")+" "+typed))
		add()
	}
	return values, partly
}
