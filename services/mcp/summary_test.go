package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The API has what trends are made of: figures, subjects and horizons. It refuses another horizon, and names these.
func TestTrendsNameWhatTheAPIHas(t *testing.T) {
	operation := operationOf(t, trendOperation)
	metrics, subjects := valuesOf(operation.parameters["metric"]), valuesOf(operation.parameters["subject"])
	for _, figure := range slices.Concat(trendFigures, trendFiguresOfNetworks) {
		if !slices.Contains(metrics, figure) {
			t.Errorf("the API keeps no months of %s", figure)
		}
	}
	for _, kind := range append(slices.Clone(getSummary.arguments.Field("kind").Enum), "organization") {
		if slices.Contains(subjects, kind) == (kind == "system") {
			t.Errorf("the API has trends of %v; %s is not as the tools say", subjects, kind)
		}
	}
	described, _ := operation.parameters["horizon_years"]["description"].(string)
	horizons := strings.Trim(strings.ReplaceAll(fmt.Sprint(trendHorizons), " ", ", "), "[]")
	if got := strings.ReplaceAll(described, " or ", ", "); !strings.Contains(got, horizons) {
		t.Errorf("the API keeps months at %q, the tools ask at %s", described, horizons)
	}
	for _, each := range []*tool{getSummary, stateOfAssets} {
		if !slices.Contains(each.additions, trendOperation) {
			t.Errorf("%s does not say that it asks for trends", each.name)
		}
	}
}

// keepMonths responds to requests for trends with every month of two years before 2026-11, and the number of the month as the value.
func (f *toolFixture) keepMonths(withoutValue string) {
	f.upstream.respond = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/v1/reports/trend" {
			return false
		}
		q, points := r.URL.Query(), []string{}
		for month := 1; month <= 24; month++ {
			end := time.Date(2024, time.November+time.Month(month), 0, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
			value := fmt.Sprint(month)
			if q.Get("metric") == withoutValue {
				value = "null"
			}
			if q.Get("from") <= end && end <= q.Get("to") {
				points = append(points, fmt.Sprintf(`{"month_end":%q,"value":%s,"frozen":%t}`, end, value, month > 22))
			}
		}
		fmt.Fprintf(w, `{"metric":%q,"currency":"CAD","data":[%s]}`, q.Get("metric"), strings.Join(points, ","))
		return true
	}
}

// result calls a tool that must succeed, and reads its result.
func (f *toolFixture) result(tool string, arguments map[string]any) map[string]any {
	f.t.Helper()
	text, failed := f.call(tool, arguments)
	var result map[string]any
	if err := json.Unmarshal([]byte(text), &result); failed || err != nil {
		f.t.Fatalf("%s %v: %s", tool, arguments, text)
	}
	return result
}

func TestASummaryShowsTheLastMonthsOfItsMainFigures(t *testing.T) {
	f := newToolFixture(t)
	f.keepMonths("average_condition_rating")
	f.upstream.takeRequests()
	got := f.result("get_summary", map[string]any{"kind": "building", "id": testID, "as_of": "2026-05-12", "horizon_years": 5,
		"prices_of": 2020, "trend_months": 3})
	requests, _ := f.upstream.takeRequests()
	if len(requests) != 1+len(trendFigures) {
		t.Errorf("it costs %d requests", len(requests))
	}
	if q := requests[0].URL.Query(); q.Get("as_of") != "2026-05-12" || q.Get("prices_of") != "2020" || q.Has("trend_months") {
		t.Errorf("the summary is asked for by %s", requests[0].URL)
	}
	var metrics []string
	for _, request := range requests[1:] {
		q := request.URL.Query()
		metrics = append(metrics, q.Get("metric"))
		// The first of a month more than are shown: the last one may not be kept yet.
		if q.Get("subject") != "building" || q.Get("id") != testID || q.Get("horizon_years") != "5" || q.Get("from") != "2026-01-01" ||
			q.Get("to") != "2026-05-12" {
			t.Errorf("a trend is asked for by %s", request.URL)
		}
	}
	slices.Sort(metrics)
	if want := slices.Sorted(slices.Values(trendFigures)); !slices.Equal(metrics, want) {
		t.Errorf("the figures are %v", metrics)
	}
	trend := at(got, "trend")
	want := `[{"fci_pct":16,"frozen":false,"month_end":"2026-02-28","need":16,"pct_past_useful_life":16,"replacement_cost":16},` +
		`{"fci_pct":17,"frozen":false,"month_end":"2026-03-31","need":17,"pct_past_useful_life":17,"replacement_cost":17},` +
		`{"fci_pct":18,"frozen":false,"month_end":"2026-04-30","need":18,"pct_past_useful_life":18,"replacement_cost":18}]`
	if months := string(encodeJSON(trend["months"])); months != want {
		t.Errorf("the months are %s", months)
	}
	for _, name := range []string{"as_of", "horizon_years", "prices_of", "basis", "currency"} {
		if got[name] == nil {
			t.Errorf("the summary does not say its %s", name)
		}
	}
	if note, _ := trend["note"].(string); !strings.Contains(note, "prices of its own year") || !strings.Contains(note, "frozen") {
		t.Errorf("the note is %q", note)
	}
}

func TestTheTrendOfANetworkHasPavementAndBridges(t *testing.T) {
	f := newToolFixture(t)
	f.keepMonths("avg_bci")
	got := f.result("get_summary", map[string]any{"kind": "network", "id": testID, "trend_months": 1})
	// The day is that of the summary, 2026-05-12.
	want := `[{"average_condition_rating":18,"avg_pci":18,"fci_pct":18,"frozen":false,"month_end":"2026-04-30","need":18,` +
		`"pct_past_useful_life":18,"replacement_cost":18}]`
	if months := string(encodeJSON(at(got, "trend")["months"])); months != want {
		t.Errorf("the months are %s", months)
	}
}

func TestAMonthThatIsNotThereIsSaid(t *testing.T) {
	f := newToolFixture(t)
	f.upstream.respond = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/v1/reports/trend" {
			fmt.Fprint(w, `{"data":[]}`)
		}
		return r.URL.Path == "/v1/reports/trend"
	}
	trend := at(f.result("get_summary", map[string]any{"kind": "site", "id": testID, "trend_months": 12}), "trend")
	if note, _ := trend["note"].(string); trend["months"] != nil || !strings.Contains(note, "six days after its end") {
		t.Errorf("without months the trend is %v", trend)
	}
}

// What cannot be had is refused before anything is asked, with the way out.
func TestTrendsAndGroupsThatThereAreNot(t *testing.T) {
	f := newToolFixture(t)
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		scopes    []string
		says      string
	}{
		{"get_summary", map[string]any{"kind": "system", "id": testID, "trend_months": 12}, nil, "ask for the trend of the building"},
		{"get_summary", map[string]any{"kind": "site", "id": testID, "trend_months": 12, "horizon_years": 3}, nil, "0, 1, 2, 5 or 10"},
		{"state_of_assets", map[string]any{"trend_months": 12, "horizon_years": 4}, nil, "0, 1, 2, 5 or 10"},
		{"get_summary", map[string]any{"kind": "site", "id": testID, "trend_months": 12}, []string{"sites:read"}, "scope assets:read"},
		{"get_summary", map[string]any{"kind": "site", "id": testID, "trend_months": 37}, nil, "trend_months"},
		{"state_of_assets", map[string]any{"group_by": "network"}, nil, "set everything to true"},
		{"state_of_assets", map[string]any{"group_by": "service_category", "everything": false}, nil, "set everything to true"},
		{"state_of_assets", map[string]any{"group_by": "ward", "everything": true}, nil, "service_category, network or building_type"},
	} {
		f.caller = fullCaller
		if c.scopes != nil {
			f.caller.Scopes = c.scopes
		}
		f.upstream.takeRequests()
		if text, failed := f.call(c.tool, c.arguments); !failed || !strings.Contains(text, c.says) {
			t.Errorf("%s %v says %s", c.tool, c.arguments, text)
		}
		if requests, _ := f.upstream.takeRequests(); len(requests) > 0 {
			t.Errorf("%s %v asks %s", c.tool, c.arguments, requests[0].URL)
		}
	}
}

// serveEverything responds with a report of so many groups, which are as long as they become: every figure is there.
func (f *toolFixture) serveEverything(groups int) {
	portions := func(names ...string) string {
		var members []string
		for i, name := range names {
			members = append(members, fmt.Sprintf(`%q:{"count":%d,"replacement_cost":123456789.25}`, name, i*1000))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	figures := `"counts":{"sites":0,"buildings":120,"systems":900,"assets":15000,"networks":0,"segments":0,"left_out":3},"length_km":0,
		"replacement_cost":1234567890.25,"as_recorded":{"count":17,"cost":1234567.5},"deferred_maintenance_cost":2345678.25,"need":3456789.5,
		"need_without_value":0,"fci_pct":0,"fci_grade":"good","average_age_years":31.5,"weighted_age_years":40.2,
		"average_condition_rating":2.75,"weighted_condition_rating":2.5,"condition_distribution":` +
		portions("very_good", "good", "fair", "poor", "very_poor", "unknown") + `,"risk_distribution":` +
		portions("very_low", "low", "moderate", "high", "very_high", "unknown") + `,
		"past_useful_life":{"count":1200,"replacement_cost":9876543.25,"pct":12.5},
		"confidence":{"pct":61.25,"replacement_cost":98765432.5,"methods":{"detailed":1.25,"visual":2.5,"reported":3,"unknown":4}},
		"data_gaps":{"without_replacement_cost":0,"without_installation":12,"without_expected_useful_life":13,"without_condition_rating":14},
		"condition_approach":"` + strings.Repeat("Inspected every five years by engineers. ", 8) + `"`
	var rows []string
	for i := range groups {
		rows = append(rows, fmt.Sprintf(`{"key":"category_%d","id":null,"name":"Category %d",%s}`, i, i, figures))
	}
	f.upstream.respond = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/v1/reports/state-of-infrastructure" {
			return false
		}
		fmt.Fprintf(w, `{"as_of":"2026-11-22","horizon_years":0,"group_by":"service_category","prices_of":2026,
			"indexed_through":null,"basis":null,"currency":"CAD","left_out":["networks"],"approach_unknown":false,"to_be_categorized":[],
			"total":{"key":null,"name":"Total",%s},"data":[%s]}`,
			figures, strings.Join(rows, ","))
		return true
	}
}

func TestTheStateOfEverythingIsThatOfTheInfrastructure(t *testing.T) {
	f := newToolFixture(t)
	f.serveEverything(3)
	f.upstream.takeRequests()
	got := f.result("state_of_assets", map[string]any{"everything": true, "as_of": "2026-11-22", "prices_of": 2026, "limit": 2, "page": 2})
	requests, _ := f.upstream.takeRequests()
	if len(requests) != 1 || requests[0].URL.RawQuery != "as_of=2026-11-22&prices_of=2026" {
		t.Errorf("it asks %d times, first %s", len(requests), requests[0].URL)
	}
	for name, want := range map[string]any{"as_of": "2026-11-22", "horizon_years": 0.0, "prices_of": 2026.0, "currency": "CAD", "total": 3.0,
		"group_by": "service_category", "page": 2.0} {
		if got[name] != want {
			t.Errorf("%s is %v, not %v", name, got[name], want)
		}
	}
	if fmt.Sprint(got["left_out"]) != "[networks]" {
		t.Errorf("left out: %v", got["left_out"])
	}
	rows := got["data"].([]any)
	if len(rows) != 1 || rows[0].(map[string]any)["key"] != "category_2" {
		t.Fatalf("the second page of two has %v", rows)
	}
	for _, group := range []map[string]any{rows[0].(map[string]any), at(got, "sum")} {
		if counts := string(encodeJSON(group["counts"])); counts != `{"assets":15000,"buildings":120,"left_out":3,"systems":900}` {
			t.Errorf("counts are %s", counts)
		}
		condition := at(group, "condition_distribution")
		if condition["very_good"] != nil || condition["good"] == nil || at(group, "risk_distribution")["very_low"] != nil ||
			group["fci_pct"] != 0.0 || at(group, "data_gaps")["without_replacement_cost"] != 0.0 {
			t.Errorf("the group is %v", group)
		}
	}
}

func TestAllOfEverythingIsReadInPagesThatFit(t *testing.T) {
	f := newToolFixture(t)
	f.serveEverything(16)
	var keys []string
	arguments := map[string]any{"everything": true}
	for calls := 0; ; calls++ {
		text, failed := f.call("state_of_assets", arguments)
		var page listPage
		if err := json.Unmarshal([]byte(text), &page); failed || err != nil || len([]rune(text)) > maxResult || calls > 4 {
			t.Fatalf("call %d, %d characters: %s", calls, len([]rune(text)), text)
		}
		for _, row := range page.Data {
			if key := textOf(row, "key"); !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
		if page.More == "" {
			break
		}
		next := map[string]any{"everything": true, "limit": len(page.Data), "page": page.Page + 1}
		if calls == 0 && !strings.Contains(page.More, fmt.Sprintf("limit %d and page %d", len(page.Data), 2)) {
			t.Fatalf("it says %s", page.More)
		}
		arguments = next
	}
	if len(keys) != 16 {
		t.Errorf("%d groups are read: %v", len(keys), keys)
	}
}

func TestTheTrendOfTheOrganizationSaysWhatIsInIt(t *testing.T) {
	f := newToolFixture(t)
	f.keepMonths("")
	for _, c := range []struct {
		arguments map[string]any
		scopes    []string
		says      string
		requests  int
	}{
		{map[string]any{"trend_months": 36}, nil, "Of assets, without networks.", 6},
		{map[string]any{"trend_months": 36, "everything": true}, nil, "only avg_pci and avg_bci are of networks", 8},
		{map[string]any{"trend_months": 36, "everything": true}, []string{"assets:read"}, "Of assets, without networks.", 6},
	} {
		f.caller = fullCaller
		if c.scopes != nil {
			f.caller.Scopes = c.scopes
		}
		f.upstream.takeRequests()
		trend := at(f.result("state_of_assets", c.arguments), "trend")
		if note, _ := trend["note"].(string); !strings.Contains(note, c.says) {
			t.Errorf("%v: the note is %q", c.arguments, note)
		}
		if requests, _ := f.upstream.takeRequests(); len(requests) != c.requests {
			t.Errorf("%v costs %d requests", c.arguments, len(requests))
		}
	}
}

func TestTheStateOfAssetsShowsAndSortsTheFiguresThatAreAskedFor(t *testing.T) {
	f := newToolFixture(t)
	f.upstream.respond = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/v1/reports/state-of-assets" {
			return false
		}
		figures := func(key string, need int) string {
			return fmt.Sprintf(`{"key":%q,"site_name":"Centre","need":%d,"fci_pct":1.5,"data_quality":{"without_site":1},"average_age_years":30}`,
				key, need)
		}
		fmt.Fprintf(w, `{"as_of":"2026-11-28","group_by":"year_built","renewal_basis":"typed","data":[%s,%s],"total":%s,`+
			`"pagination":{"total":2}}`, figures("-1969", 1), figures("1970-", 20), figures("", 21))
		return true
	}
	for _, c := range []struct {
		arguments map[string]any
		says      string
	}{
		{map[string]any{"group_by": "year_built", "built_since": 1970}, `"data":[{"fci_pct":1.5,"key":"-1969","need":1,"site_name":"Centre"},` +
			`{"fci_pct":1.5,"key":"1970-","need":20,"site_name":"Centre"}]`},
		{map[string]any{"sort": "-need", "limit": 1},
			`"data":[{"fci_pct":1.5,"key":"1970-","need":20,"site_name":"Centre"}],"page":1,"limit":1,"total":2`},
		{map[string]any{"sort": "need", "limit": 1, "page": 2, "fields": []any{"data_quality"}},
			`"data":[{"data_quality":{"without_site":1},"key":"1970-","site_name":"Centre"}]`},
		{map[string]any{"group_by": "year_built"}, `"renewal_basis":"typed"`},
		{map[string]any{"fields": []any{"nead"}},
			"fields names nead, which is no figure; did you mean need? They are need, as_recorded, average_age_years"},
		{map[string]any{"sort": "key"}, "sort must be one of average_age_years, average_condition_rating"},
	} {
		if text, _ := f.call("state_of_assets", c.arguments); !strings.Contains(text, c.says) {
			t.Errorf("%v: %s", c.arguments, text)
		}
	}
}

// A group without value has no FCI. It is neither the best nor the worst.
func TestGroupsWithoutTheFigureAreLast(t *testing.T) {
	f := newToolFixture(t)
	f.upstream.respond = func(w http.ResponseWriter, r *http.Request) bool {
		fmt.Fprint(w, `{"data":[{"key":"none","fci_pct":null},{"key":"best","fci_pct":-2},{"key":"none, too"},{"key":"worst","fci_pct":40.5},`+
			`{"key":"zero","fci_pct":0}],"pagination":{"total":5}}`)
		return true
	}
	for sort, want := range map[string]string{"fci_pct": "best zero worst none none, too", "-fci_pct": "worst zero best none none, too"} {
		var keys []string
		for _, row := range f.result("state_of_assets", map[string]any{"sort": sort})["data"].([]any) {
			keys = append(keys, textOf(row.(map[string]any), "key"))
		}
		if got := strings.Join(keys, " "); got != want {
			t.Errorf("by %s they are %s", sort, got)
		}
	}
}

// The report is in the order of names: what is largest may stand on its last page.
func TestGroupsOfAllPagesAreSorted(t *testing.T) {
	f := newToolFixture(t)
	groups := 0
	f.upstream.respond = func(w http.ResponseWriter, r *http.Request) bool {
		number, _ := strconv.Atoi(r.URL.Query().Get("page"))
		size, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
		var rows []string
		for n := (number - 1) * size; n < min(number*size, groups); n++ {
			rows = append(rows, fmt.Sprintf(`{"key":"%d","need":%d}`, n, n))
		}
		fmt.Fprintf(w, `{"data":[%s],"total":{"need":1},"pagination":{"total":%d}}`, strings.Join(rows, ","), groups)
		return true
	}
	const partly = "Sorted are the first 5000 of 7000 groups by name"
	for _, c := range []struct {
		groups, page, requests int
		says                   []string
	}{
		{1200, 1, 2, []string{`"data":[{"key":"1199","need":1199},{"key":"1198","need":1198}]`, `"total":1200`, "2 of 1200 shown so far"}},
		{1200, 600, 2, []string{`"data":[{"key":"1","need":1},{"key":"0","need":0}]`, `"total":1200`}},
		{1000, 1, 1, []string{`"key":"999"`, `"total":1000`}},
		{0, 1, 1, []string{`"data":[]`, `"total":0`}},
		{7000, 1, 5, []string{`"key":"4999"`, `"total":7000`, partly, "2 of 7000 shown so far"}},
	} {
		groups = c.groups
		f.upstream.takeRequests()
		text, failed := f.call("state_of_assets", map[string]any{"group_by": "building", "sort": "-need", "limit": 2, "page": c.page})
		for _, part := range c.says {
			if failed || !strings.Contains(text, part) {
				t.Errorf("of %d groups, page %d, it does not say %s: %s", c.groups, c.page, part, text)
			}
		}
		if strings.Contains(text, "Sorted are") != slices.Contains(c.says, partly) {
			t.Errorf("of %d groups: %s", c.groups, text)
		}
		if requests, _ := f.upstream.takeRequests(); len(requests) != c.requests {
			t.Errorf("%d groups cost %d requests", c.groups, len(requests))
		}
	}
}
