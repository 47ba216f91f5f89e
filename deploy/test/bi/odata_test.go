package bi

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// fromOData is what testdata/odata.mjs prints.
type fromOData struct {
	Messages []any
	Counts   map[string]int
	Sums     map[string]int64 // of replacement_cost, in cents
	Wrong    []string
	Filtered int
	Expanded map[string]int // by relation, how many records it led to
	Exact    []any          // numbers that are asked for as texts
	Applied  []struct {
		Category *string
		Cost     float64
		N        int
	}
}

// count asks the API how many records a list has.
func (s source) count(t *testing.T, path string) int {
	t.Helper()
	n, err := strconv.Atoi(s.total(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// cents is an amount in cents.
func cents(amount any) int64 { return int64(math.Round(amount.(float64) * 100)) }

// A client that nobody here wrote reads every set of the city to its end, each value is of the type that $metadata declares, and the sums
// are those of the reports.
func TestAClientOfODataReadsEverythingOfTheCity(t *testing.T) {
	city := ofCity(t)
	var read fromOData
	runNode(t, "odata.mjs", &read, city.base+"/odata/v4/", city.key)
	if len(read.Messages) > 0 {
		t.Errorf("$metadata, by the reader and the schema of OASIS: %v", read.Messages)
	}
	for _, problem := range read.Wrong {
		t.Error(problem)
	}
	assets := 0
	for name, path := range map[string]string{"assets": "/v1/assets", "buildings": "/v1/buildings", "work_orders": "/v1/work-orders",
		"segments": "/v1/infrastructure/segments", "projects": "/v1/projects", "condition_assessments": "/v1/assets/-/condition-assessments",
		"capital_assets": "/v1/accounting/capital-assets", "work_order_costs": "/v1/work-orders/-/costs"} {
		total := city.count(t, path)
		if read.Counts[name] != min(total, 2500) || total == 0 {
			t.Errorf("%s: %d records, the API has %d", name, read.Counts[name], total)
		}
		if name == "assets" {
			assets = total
		}
	}
	t.Logf("%d sets, %d assets; sums of replacement_cost: %v", len(read.Counts), assets, read.Sums)

	byCategory := city.sums(t,
		"SELECT coalesce(category, ''), sum(replacement_cost)::text FROM assets.asset WHERE organization_id = $1 GROUP BY 1")
	n := 0
	for _, group := range read.Applied {
		n += group.N
		key := ""
		if group.Category != nil {
			key = *group.Category
		}
		if got := cents(group.Cost); got != byCategory[key] {
			t.Errorf("category %q: %d cents by $apply, %d in the database", key, got, byCategory[key])
		}
	}
	if n != assets || len(read.Applied) != len(byCategory) {
		t.Errorf("the groups have %d assets of %d, in %d categories of %d", n, assets, len(read.Applied), len(byCategory))
	}
	if read.Filtered != city.count(t, "/v1/assets?category=hvac&replacement_cost_min=10000.01") {
		t.Errorf("%d assets by $filter", read.Filtered)
	}
	for _, relation := range []string{"assets/building", "assets/site", "assets/system", "buildings/site", "work_orders/asset",
		"work_orders/assignee"} {
		if read.Expanded[relation] == 0 {
			t.Errorf("%s leads to nothing: %v", relation, read.Expanded)
		}
	}
	for _, number := range read.Exact {
		if _, isText := number.(string); !isText {
			t.Errorf("numbers as texts: %v", read.Exact)
		}
	}
	report := func(path string) int64 {
		total, _ := city.get(t, path).Object["total"].(map[string]any)
		return cents(total["replacement_cost"])
	}
	if got, want := read.Sums["state_of_assets"], report("/v1/reports/state-of-assets"); got != want {
		t.Errorf("the rows of the report on assets sum to %d cents, its total is %d", got, want)
	}
	if got, want := read.Sums["networks"], report("/v1/reports/state-of-infrastructure")-read.Sums["state_of_assets"]; got != want {
		t.Errorf("networks sum to %d cents, in the report to %d", got, want)
	}
}

// sums asks the database for sums of the city by name, in cents.
func (s source) sums(t *testing.T, sql string) map[string]int64 {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), s.database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close(t.Context()) }()
	rows, err := connection.Query(t.Context(), sql, s.organization)
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]int64{}
	var name, amount string
	_, err = pgx.ForEachRow(rows, []any{&name, &amount}, func() error {
		value, err := strconv.ParseFloat(amount, 64)
		sums[name] = cents(value)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// A report that must be told what it is about is called with that, and gives rows.
func TestReportsOfOneRecordAreFunctions(t *testing.T) {
	city := ofCity(t)
	var service struct {
		Value []struct{ Name, Kind string }
	}
	if err := json.Unmarshal(city.get(t, "/odata/v4/").Body, &service); err != nil {
		t.Fatal(err)
	}
	var functions []string
	for _, entry := range service.Value {
		if entry.Kind == "FunctionImport" {
			functions = append(functions, entry.Name)
		}
	}
	first := func(path string) string {
		data, _ := city.get(t, path+"?per_page=1").Object["data"].([]any)
		if len(data) == 0 {
			t.Fatalf("the city has nothing at %s", path)
		}
		return data[0].(map[string]any)["id"].(string)
	}
	for name, arguments := range map[string]string{"site_summary": "id=" + first("/v1/sites"), "building_summary": "id=" +
		first("/v1/buildings"), "los_scorecard": "id=" + first("/v1/los/service-areas"), "meter_readings": "meter_id=" + first("/v1/meters"),
		"capital_asset_journal": "fiscal_year=2025", "schedule_by_capital_asset": "fiscal_year=2025"} {
		if !slices.Contains(functions, name) {
			t.Errorf("%s is no function", name)
			continue
		}
		var rows struct{ Value []map[string]any }
		answer := city.get(t, "/odata/v4/"+name+"("+arguments+")")
		if err := json.Unmarshal(answer.Body, &rows); err != nil || len(rows.Value) == 0 || rows.Value[0]["row"] != 1.0 ||
			strings.Contains(string(answer.Body), "$entity") {
			t.Errorf("%s: %.300s, %v", name, answer.Body, err)
		}
	}
}

// What is a stream elsewhere is one response in OData, and ends where its caller has enough.
func TestTheScheduleByCapitalAssetAddsUpToTheSchedule(t *testing.T) {
	city := ofCity(t)
	const path = "/odata/v4/schedule_by_capital_asset(fiscal_year=2025)"
	type row struct {
		Cost struct{ Closing float64 } `json:"cost"`
	}
	read := func(path string) (rows []row) {
		var whole struct{ Value []row }
		if answer := city.get(t, path); json.Unmarshal(answer.Body, &whole) != nil {
			t.Errorf("%s: %.300s", path, answer.Body)
		}
		return whole.Value
	}
	var sum int64
	costly := 0
	rows := read(path)
	for _, r := range rows {
		sum += cents(r.Cost.Closing)
		if r.Cost.Closing > 100_000 {
			costly++
		}
	}
	var schedule struct{ Total row }
	if err := json.Unmarshal(city.get(t, "/v1/accounting/schedule?fiscal_year=2025").Body, &schedule); err != nil {
		t.Fatal(err)
	}
	if want := cents(schedule.Total.Cost.Closing); sum != want || sum == 0 {
		t.Errorf("%d rows cost %d cents at the end of the year, the schedule says %d", len(rows), sum, want)
	}
	if count := string(city.get(t, path+"/$count").Body); count != strconv.Itoa(len(rows)) {
		t.Errorf("$count says %s of %d rows", count, len(rows))
	}
	if first := read(path + "?$top=1"); len(first) != 1 || first[0] != rows[0] {
		t.Errorf("the first row is %v, want %v", first, rows[0])
	}
	if above := read(path + "?$filter=cost/closing%20gt%20100000"); len(above) != costly || costly == 0 || costly == len(rows) {
		t.Errorf("%d of %d rows cost more than 100,000, want %d", len(above), len(rows), costly)
	}
}
