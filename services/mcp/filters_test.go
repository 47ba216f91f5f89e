package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

// searched are the kinds that a tool with filters searches.
func searched() []string {
	kinds := slices.Clone(listRecords.arguments.Field("kind").Enum)
	for _, c := range []*collection{assets, workOrders, projects, segments} {
		kinds = append(kinds, c.kind)
	}
	return append(kinds, slices.Sorted(maps.Keys(findings))...)
}

// notFilters are parameters of lists that are arguments of the tools, or not for assistants.
var notFilters = []string{"page", "per_page", "cursor", "sort", "fields", "expand", "csv", "totals", "group_by", "group_sort", "as_of"}

// The filters of a tool are those that REST has. make golden writes them.
func TestGoldenFilters(t *testing.T) {
	all := map[string]known{}
	for _, kind := range searched() {
		operation := operationOf(t, "GET "+collectionOf(kind).path)
		k := known{Groups: valuesOf(operation.parameters["group_by"]), GroupSorts: valuesOf(operation.parameters["group_sort"])}
		for name := range operation.parameters {
			if slices.Contains(notFilters, name) {
				continue
			}
			k.Filters = append(k.Filters, name)
			one := operation.parameters[name]
			if one["x-several"] == true && typeOf(one) == "string" && one["format"] == nil && one["pattern"] == nil && valuesOf(one) == nil {
				k.Split = append(k.Split, name)
			}
		}
		slices.Sort(k.Filters)
		slices.Sort(k.Split)
		for _, name := range k.Groups {
			field := at(operation.recordOf(), "properties", name)
			if typeOf(field) == "string" && field["format"] == nil && valuesOf(field) == nil {
				k.Texts = append(k.Texts, name)
			}
		}
		all[kind] = k
	}
	state := known{}
	for _, report := range stateOfAssets.operations {
		for name, figure := range at(operationOf(t, report).recordOf(), "properties") {
			if _, isID := identities[name]; isID || slices.Contains(state.Figures, name) {
				continue
			}
			if state.Figures = append(state.Figures, name); typeOf(figure.(map[string]any)) == "number" {
				state.Amounts = append(state.Amounts, name)
			}
		}
	}
	slices.Sort(state.Figures)
	slices.Sort(state.Amounts)
	all[stateOfAssets.name] = state
	var got bytes.Buffer
	if err := json.Indent(&got, encodeJSON(all), "", " "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	if os.Getenv("AMS_GOLDEN") == "write" {
		if err := os.WriteFile("filters.json", got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(got.Bytes(), knownJSON) {
		t.Error("filters.json is not what the OpenAPI documents have: run make golden")
	}
}

// descriptions name filters that exist: an assistant uses what it reads.
func TestDescriptionsNameFiltersThatExist(t *testing.T) {
	for of, kinds := range map[*tool][]string{searchAssets: {"asset"}, searchWorkOrders: {"work_order"}, searchProjects: {"project"},
		searchSegments: {"segment"}, listFindings: {"deficiency", "infrastructure_deficiency", "request"},
		listRecords: listRecords.arguments.Field("kind").Enum} {
		_, named, found := strings.Cut(of.description, "filters: ")
		if !found {
			t.Errorf("%s names no filters", of.name)
		}
		for part := range strings.SplitSeq(strings.TrimSuffix(strings.SplitAfter(named, "…")[0], " …"), ", ") {
			name, _, _ := strings.Cut(strings.TrimSpace(part), " ")
			if strings.Contains(name, "_max") && !strings.HasSuffix(name, "_max") || strings.HasSuffix(name, ")") ||
				slices.Contains([]string{"water_main", "storm_sewer", "15"}, name) {
				continue
			}
			if !slices.ContainsFunc(kinds, func(kind string) bool { return slices.Contains(knownOf[kind].Filters, strings.TrimSuffix(name, ":")) }) {
				t.Errorf("%s names the filter %q, which there is none of", of.name, name)
			}
		}
	}
}

func TestFiltersReachTheAPIAsRESTHasThem(t *testing.T) {
	f := newToolFixture(t)
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		want      map[string]string
	}{
		{"search_assets",
			map[string]any{"filters": map[string]any{"condition_rating": nil, "manufacturer": []any{"Trane", "York"}, "install_year_max": 1990,
				"replacement_cost_min": 1250.5, "past_useful_life": true, "warranty_expires_on_from": "2026-11-28", "tags": "gaz"}},
			map[string]string{"condition_rating": "null", "manufacturer": "Trane,York", "install_year_max": "1990", "replacement_cost_min": "1250.5",
				"past_useful_life": "true", "warranty_expires_on_from": "2026-11-28", "tags": "gaz"}},
		// beside filters, as they were
		{"search_assets", map[string]any{"manufacturer": "Trane", "category": "hvac", "filters": map[string]any{"risk_score_min": 15}},
			map[string]string{"manufacturer": "Trane", "category": "hvac", "risk_score_min": "15"}},
		{"search_assets", map[string]any{"condition_rating": nil}, map[string]string{"condition_rating": "null"}},
		{"search_assets", map[string]any{"include": nil, "risk_score_min": nil, "created_at_from": nil, "manufacturer": nil,
			"filters": map[string]any{"manufacturer": "Trane"}}, map[string]string{"manufacturer": "Trane"}},
		{"list_findings", map[string]any{"kind": "request", "building_id": nil, "filters": map[string]any{"priority": "high"}},
			map[string]string{"building_id": "null", "priority": "high"}},
		{"search_work_orders",
			map[string]any{"filters": map[string]any{"assignee_id": "null", "completed_at_from": "2026-01-01"}, "group_by": "team"},
			map[string]string{"assignee_id": "null", "completed_at_from": "2026-01-01", "group_by": "team_id", "per_page": "1"}},
		{"list_findings", map[string]any{"kind": "infrastructure_deficiency", "filters": map[string]any{"segment_id": testID}},
			map[string]string{"segment_id": testID}},
		// commas that are meant
		{"search_segments", map[string]any{"filters": map[string]any{"bbox": "-72.6,46.3,-72.5,46.4", "asset_class": "road,water_main"}},
			map[string]string{"bbox": "-72.6,46.3,-72.5,46.4", "asset_class": "road,water_main"}},
		{"search_assets", map[string]any{"serial_number": "A,1", "filters": map[string]any{"tags": []any{"gaz", "nord, sud"},
			"custom_fields.supplier": "Smith, Jones Ltd",
			"manufacturer":           []any{"null", `12" Co`}}}, // commas that belong to the value
			map[string]string{"serial_number": `A\,1`, "tags": `gaz,nord\, sud`, "custom_fields.supplier": `Smith\, Jones Ltd`,
				"manufacturer": `null,12\" Co`}},
		{"list_records", map[string]any{"kind": "building", "filters": map[string]any{"year_built_max": 1969}},
			map[string]string{"year_built_max": "1969"}},
	} {
		f.upstream.takeRequests()
		if text, failed := f.call(c.tool, c.arguments); failed {
			t.Errorf("%s %v: %s", c.tool, c.arguments, text)
		}
		requests, _ := f.upstream.takeRequests()
		for name, want := range c.want {
			if got := requests[0].URL.Query().Get(name); got != want {
				t.Errorf("%s: %s is sent as %q, not %q", c.tool, name, got, want)
			}
		}
	}
}

// Null of an argument that refers to a record is for those that have none, where nothing else is null: clients fill in arguments.
func TestAnArgumentThatIsNullIsForNone(t *testing.T) {
	f := newToolFixture(t)
	for _, c := range []struct {
		arguments  map[string]any
		sent, says string
	}{
		{map[string]any{"assignee_id": nil}, "null", "assignee_id null: those that have none."},
		{map[string]any{"assignee_id": nil, "status": []any{"open"}, "group_by": "type",
			"filters": map[string]any{"due_date_to": "2026-12-01"}}, "null", "assignee_id null: those that have none."},
		{map[string]any{"filters": map[string]any{"assignee_id": nil}}, "null", ""},
		{map[string]any{"assignee_id": nil, "site_id": nil}, "",
			`assignee_id, site_id null count as left out. For what has none, ask with filters {\"assignee_id\": null}.`},
		{map[string]any{"assignee_id": nil, "site_id": nil, "q": nil, "limit": nil}, "", ""}, // filled in
		{map[string]any{"assignee_id": nil, "q": "", "status": []any{}}, "", ""},
		{map[string]any{"status": nil}, "", ""}, // nothing is without
		{map[string]any{"cursor": nil}, "", ""},
	} {
		f.upstream.takeRequests()
		text, failed := f.call("search_work_orders", c.arguments)
		requests, _ := f.upstream.takeRequests()
		if sent := requests[0].URL.Query().Get("assignee_id"); failed || sent != c.sent || !strings.Contains(text, c.says) || c.says == "" &&
			strings.Contains(text, " null") {
			t.Errorf("%v: sent %q, %s", c.arguments, sent, text)
		}
	}
}

// Groups are sorted by the API, and cut to the limit; what they cannot do is refused before anything is asked.
func TestGroupsObeySortAndLimit(t *testing.T) {
	f := newToolFixture(t)
	groups := func(n int, sort string) string {
		text, failed := f.call("search_work_orders", map[string]any{"group_by": "building", "sort": sort, "limit": n, "fields": []any{"number"}})
		if failed {
			t.Fatal(text)
		}
		requests, _ := f.upstream.takeRequests()
		if query := requests[0].URL.Query(); query.Get("group_by") != "building_id" || query.Get("group_sort") != sort || query.Has("sort") ||
			query.Get("fields") != "id" {
			t.Errorf("sent %s", requests[0].URL.RawQuery)
		}
		return text
	}
	f.upstream.takeRequests()
	if text := groups(1, "-actual_cost"); strings.Count(text, `"key":`) != 1 ||
		!strings.Contains(text, "The first 1 of 3 groups, by -actual_cost.") {
		t.Errorf("%s", text)
	}
	if text := groups(25, ""); strings.Count(text, `"key":`) != 2 ||
		!strings.Contains(text, "The first 2 of 3 groups, those of most records.") ||
		!strings.Contains(text, `"name":"texte","site_id":"`+testID+`","site_name":"texte"`) { // a place with the site that it is at
		t.Errorf("%s", text)
	}
	for says, arguments := range map[string]map[string]any{
		"sort of groups must be one of -actual_cost": {"group_by": "type", "sort": "due_date"},
		"did you mean -actual_cost?":                 {"group_by": "type", "sort": "-actual_costs"},
		"Groups have no pages":                       {"group_by": "type", "page": 2},
		"leave page and cursor out":                  {"group_by": "type", "cursor": "x"},
	} {
		text, failed := f.call("search_work_orders", arguments)
		if requests, _ := f.upstream.takeRequests(); !failed || !strings.Contains(text, says) || len(requests) > 0 {
			t.Errorf("%v: %s", arguments, text)
		}
	}
	for _, kind := range []string{"deficiency", "infrastructure_deficiency", "request"} { // findings of each kind have groups
		if text, failed := f.call("list_findings", map[string]any{"kind": kind, "group_by": "priority"}); failed {
			t.Errorf("%s: %s", kind, text)
		}
		if text, failed := f.call("list_findings", map[string]any{"kind": kind, "site_id": testID}); failed {
			t.Errorf("%s: %s", kind, text)
		}
	}
}

// Where nothing has all words, and some are the name of a place, the others are looked for there; where there is nothing at all, it is said
// what else to try.
func TestWordsOfAThingAndItsPlaceAreFoundTogether(t *testing.T) {
	f := newToolFixture(t)
	const empty = `{"data":[],"pagination":{"page":1,"per_page":25,"total":0,"total_pages":1,"next_cursor":null}}`
	at := `{"words":"roof","kind":"site","name":"lincoln school","places":[{"id":"` + testID + `","name":"Lincoln School"}]}`
	f.upstream.respond = func(w http.ResponseWriter, r *http.Request) bool {
		switch query := r.URL.Query(); {
		case r.URL.Path == "/v1/search":
			fmt.Fprintf(w, `{"data":[{"kind":"asset","id":"1","name":"Roof"}],"totals":{},"corrected":{},"at":%s,"hidden":[],"unavailable":[]}`, at)
		case query.Get("site_id") == testID && query.Get("q") == "roof":
			return false
		default:
			fmt.Fprint(w, empty)
		}
		return true
	}
	const says = `Nothing has all words; this has \"roof\" at the sites that are called \"lincoln school\": Lincoln School.`
	for tool, arguments := range map[string]map[string]any{"search_assets": {"q": "roof lincoln school"},
		"find": {"text": "roof lincoln school"}} {
		if text, failed := f.call(tool, arguments); failed || !strings.Contains(text, says) {
			t.Errorf("%s: %s", tool, text)
		}
	}
	at = "null"
	for q, says := range map[string]string{"roof lincoln school": `Nothing has all words of \"roof lincoln school\". Try one,`,
		"toit": `Nothing has \"toit\". Try another word for it, in English or French.`} {
		if text, failed := f.call("search_assets", map[string]any{"q": q}); failed || !strings.Contains(text, says) {
			t.Errorf("%s: %s", q, text)
		}
	}
}

func TestHistoryBeginsOnADay(t *testing.T) {
	f := newToolFixture(t)
	f.upstream.takeRequests()
	if text, failed := f.call("get_history", map[string]any{"kind": "asset", "id": testID, "since": "2026-11-01"}); failed {
		t.Fatal(text)
	}
	if requests, _ := f.upstream.takeRequests(); requests[0].URL.Query().Get("since") != "2026-11-01" {
		t.Errorf("sent %s", requests[0].URL)
	}
}

// A filter that does not exist is answered once, with those that do, and nothing is asked.
func TestAFilterThatDoesNotExistIsAnsweredWithThoseThatDo(t *testing.T) {
	f := newToolFixture(t)
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		says      string
	}{
		{"search_assets", map[string]any{"filters": map[string]any{"manufacter": "Trane"}},
			"has no filter manufacter. manufacter may be manufacturer. Filters of assets: manufacturer, acquisition_cost (_min, _max),"},
		{"search_assets", map[string]any{"year_built": 1970},
			"has no filter year_built. Filters of assets: install_year (_min, _max), planned_renewal_year (_min, _max), acquisition_cost"},
		{"search_assets", map[string]any{"filters": map[string]any{"limit": 5}}, "limit is an argument beside filters."},
		{"search_assets", map[string]any{"filters": map[string]any{"install_year": map[string]any{"min": 3}}},
			"install_year_min and install_year_max of numbers"},
		{"search_assets", map[string]any{"filters": []any{"hvac"}}, "filters must be an object of filters"},
		{"search_assets", map[string]any{"site_id": testID, "filters": map[string]any{"site_id": "null"}}, "with different values; give it once"},
		{"search_work_orders", map[string]any{"group_by": "tipe"}, "group_by must be one of asset_id, assignee_id"},
		{"list_records", map[string]any{"kind": "user", "filters": map[string]any{"site_id": testID}}, "has no filter site_id."},
	} {
		f.upstream.takeRequests()
		text, failed := f.call(c.tool, c.arguments)
		if !failed || !strings.Contains(text, c.says) {
			t.Errorf("%v: %s", c.arguments, text)
		}
		if requests, _ := f.upstream.takeRequests(); len(requests) != 0 {
			t.Errorf("%v: %d requests", c.arguments, len(requests))
		}
	}
}

// What people write is not how it stands in the records: trane is Trane, and of what is none the values are given.
func TestATextThatNothingHasIsTakenForWhatIsMeant(t *testing.T) {
	f := newToolFixture(t)
	f.upstream.respond = func(w http.ResponseWriter, r *http.Request) bool {
		query := r.URL.Query()
		body := `{"data":[],"pagination":{"total":0}}`
		switch {
		case query.Get("group_by") == "manufacturer":
			body = `{"data":[],"pagination":{"total":2},"totals":{"count":2,"number_of_groups":3,"groups":[{"key":"Trane","name":null,"count":68},` +
				`{"key":"York","name":null,"count":4},{"key":"Smith, Jones Ltd","name":null,"count":1}]}}`
		case query.Get("manufacturer") == `Smith\, Jones Ltd`:
			body = `{"data":[{"id":"` + testID + `","name":"Pompe"}],"pagination":{"total":1}}`
		case query.Get("manufacturer") == "Trane":
			body = `{"data":[{"id":"` + testID + `","name":"Pompe"}],"pagination":{"total":68}}`
		}
		_, _ = w.Write([]byte(body))
		return true
	}
	text, failed := f.call("search_assets", map[string]any{"filters": map[string]any{"manufacturer": "TRANE"}})
	if failed || !strings.Contains(text, `"total":68`) || !strings.Contains(text, `it was taken for Trane.`) {
		t.Errorf("%s", text)
	}
	text, failed = f.call("search_assets", map[string]any{"filters": map[string]any{"manufacturer": "Carrier"}})
	if failed || !strings.Contains(text, `"total":0`) || !strings.Contains(text, "There are: Trane, York, Smith, Jones Ltd.") {
		t.Errorf("%s", text)
	}
	text, failed = f.call("search_assets", map[string]any{"filters": map[string]any{"manufacturer": "smith jones ltd"}})
	if failed || !strings.Contains(text, `"total":1`) || !strings.Contains(text, "it was taken for Smith, Jones Ltd.") {
		t.Errorf("%s", text)
	}
	text, failed = f.call("search_assets", map[string]any{"filters": map[string]any{"tags": "gaz,eau"}})
	if failed || !strings.Contains(text, `filters.tags was looked for as one value, \"gaz,eau\"; give several values as a list.`) {
		t.Errorf("%s", text)
	}
}

// Of many manufacturers the API shows the hundred commonest. One that few have is found all the same; where it is not, nobody is told that
// there is none.
func TestATextIsComparedWithMoreThanTheCommonest(t *testing.T) {
	f := newToolFixture(t)
	var common []string
	for n := range 100 {
		common = append(common, fmt.Sprintf(`{"key":"Maker %d","name":null,"count":50}`, n))
	}
	f.upstream.respond = func(w http.ResponseWriter, r *http.Request) bool {
		query := r.URL.Query()
		body := `{"data":[],"pagination":{"total":0}}`
		switch {
		case query.Get("group_by") == "manufacturer" && query.Get("q") == "roof TRANE":
			body = `{"data":[],"pagination":{"total":1},"totals":{"number_of_groups":1,"groups":[{"key":"Trane","name":null,"count":1}]}}`
		case query.Get("group_by") == "manufacturer" && query.Get("q") == "roof":
			body = `{"data":[],"pagination":{"total":5001},"totals":{"number_of_groups":101,"groups":[` + strings.Join(common, ",") + `]}}`
		case query.Get("group_by") == "manufacturer":
			body = `{"data":[],"pagination":{"total":0},"totals":{"number_of_groups":0,"groups":[]}}`
		case query.Get("manufacturer") == `Smith\, Jones Ltd`:
			body = `{"data":[{"id":"` + testID + `","name":"Pompe"}],"pagination":{"total":1}}`
		case query.Get("manufacturer") == "Trane":
			body = `{"data":[{"id":"` + testID + `","name":"Pompe"}],"pagination":{"total":1}}`
		}
		_, _ = w.Write([]byte(body))
		return true
	}
	text, failed := f.call("search_assets", map[string]any{"q": "roof", "filters": map[string]any{"manufacturer": "TRANE"}})
	if failed || !strings.Contains(text, `"total":1`) || !strings.Contains(text, `it was taken for Trane.`) {
		t.Errorf("%s", text)
	}
	f.upstream.takeRequests()
	text, failed = f.call("search_assets", map[string]any{"q": "roof", "filters": map[string]any{"manufacturer": "Carrier"}})
	if failed || strings.Contains(text, "Nothing has") || strings.Contains(text, "There are:") ||
		!strings.Contains(text, `compared with the commonest alone, such as Maker 0,`) || !strings.Contains(text, "Look for it by q") {
		t.Errorf("%s", text)
	}
	if requests, _ := f.upstream.takeRequests(); len(requests) != 3 {
		t.Errorf("it costs %d requests", len(requests))
	}
}
