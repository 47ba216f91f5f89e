package assets

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
)

// at lets what is written have happened at a time: the entries of the history, what was entered, and the costs that were followed by
// others.
func (f fixture) at(t testing.TB, moment string, write func()) {
	t.Helper()
	var start time.Time
	if err := owner(t, f.database).QueryRow(t.Context(), "SELECT clock_timestamp()").Scan(&start); err != nil {
		t.Fatal(err)
	}
	write()
	f.happened(t, start, moment)
}

// happened gives all that was written since a time another one.
func (f fixture) happened(t testing.TB, since time.Time, moment string) {
	t.Helper()
	owner := owner(t, f.database)
	for _, moved := range []struct{ table, column string }{
		{"history", "at"}, {"former_own_cost", "until"}, {"site", "created_at"}, {"building", "created_at"}, {"system", "created_at"},
		{"asset", "created_at"}, {"condition_assessment", "created_at"}, {"deficiency", "created_at"},
	} {
		if _, err := owner.Exec(t.Context(), "UPDATE "+moved.table+" SET "+moved.column+" = $2 WHERE "+
			moved.column+" >= $1 AND organization_id = $3",
			since, moment, f.Principal.OrganizationID); err != nil {
			t.Fatal(err)
		}
	}
}

// total is the whole of the state of assets.
func total(t testing.TB, client *resourcetest.Client, query string) fields {
	t.Helper()
	return client.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-assets?"+query, nil).JSON["total"].(fields)
}

// stateReport is the state of infrastructure without networks.
func stateReport(t testing.TB, client *resourcetest.Client, query string) fields {
	t.Helper()
	reader := *client
	reader.Principal.Scopes = []string{"assets:read"}
	return reader.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-infrastructure?"+query, nil).JSON
}

func TestWhatStoodThereOnADay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Create(t, "/v1/assets", fields{"name": "A", "building_id": f.building[0], "replacement_cost": 900000, "install_date": "2026-06-01"})
	f.Create(t, "/v1/assets", fields{"name": "B", "building_id": f.building[0], "replacement_cost": 500000, "install_date": "1990-01-01",
		"status": "decommissioned", "out_of_use_on": "2026-03-01"})
	for _, c := range []struct {
		day     string
		cost    float64
		age     any
		assets  int
		leftOut int
	}{
		{"2020-12-31", 500000, 31.0, 1, 1}, {"2026-02-28", 500000, 36.2, 1, 1}, {"2026-03-01", 0, nil, 0, 2}, {"2026-05-31", 0, nil, 0, 2},
		{"2026-06-01", 900000, 0.0, 1, 1}, {"1989-12-31", 0, nil, 0, 2}, {"1900-01-01", 0, nil, 0, 2},
	} {
		want := fields{"replacement_cost": c.cost, "average_age_years": c.age, "counts.assets": c.assets, "counts.assets_left_out": c.leftOut,
			"data_quality.gone_without_date": 0}
		for path, id := range map[string]any{"/v1/sites": f.site[0], "/v1/buildings": f.building[0]} {
			resourcetest.Expect(t, summary(t, f.Client, path, id, "as_of="+c.day), want)
		}
		resourcetest.Expect(t, total(t, f.Client, "as_of="+c.day), want)
		resourcetest.Expect(t, stateReport(t, f.Client, "as_of="+c.day)["total"].(fields), fields{"replacement_cost": c.cost,
			"average_age_years": c.age, "counts.assets": c.assets, "counts.left_out": c.leftOut})
	}
}

// What is gone, nobody knows since when, counts on no day; what is planned does not either.
func TestGoneWithoutADateNeverCounts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, status := range map[string]string{"A": "decommissioned", "B": "decommissioned", "C": "planned"} {
		f.Create(t, "/v1/assets", fields{"name": name, "building_id": f.building[0], "install_year": 1990, "replacement_cost": 100,
			"status": status})
	}
	f.Create(t, "/v1/assets", fields{"name": "D", "building_id": f.building[0], "replacement_cost": 10}) // unknown since when it stands
	for _, day := range []string{"1990-07-01", "2020-12-31", daysAgo(1), "2126-07-01"} {
		resourcetest.Expect(t, summary(t, f.Client, "/v1/buildings", f.building[0], "as_of="+day), fields{"replacement_cost": 10,
			"counts.assets": 1, "counts.assets_left_out": 3, "data_quality.gone_without_date": 2})
	}
}

// What stands inside of something that is gone counts until the day on which that is out of use, in the figures of every place.
func TestWhatAnAssetWasInCountsWithIt(t *testing.T) {
	t.Parallel()
	for path, status := range map[string]string{"/v1/sites": "disposed", "/v1/buildings": "demolished", "/v1/systems": "decommissioned"} {
		t.Run(path, func(t *testing.T) {
			f := newFixture(t)
			in := fields{"name": "Pompe", "system_id": f.system[0], "replacement_cost": 100}
			gone := map[string]any{"/v1/sites": f.site[0], "/v1/buildings": f.building[0], "/v1/systems": f.system[0]}[path]
			if path == "/v1/systems" { // of the site, and the asset is in a building
				in, gone = fields{"name": "Lampe", "system_id": f.ofSite, "building_id": f.building[0], "replacement_cost": 100}, f.ofSite
			}
			f.at(t, "2015-01-01T12:00:00-05:00", func() { f.Create(t, "/v1/assets", in) })
			if path == "/v1/buildings" {
				f.Must(t, http.StatusOK, "PATCH", fmt.Sprint(path, "/", gone), fields{"status": "closed"})
			}
			f.Must(t, http.StatusOK, "PATCH", fmt.Sprint(path, "/", gone), fields{"status": status, "out_of_use_on": "2026-03-01"})
			f.happened(t, time.Time{}, "2015-01-02T12:00:00-05:00")
			for day, cost := range map[string]int{"2026-02-28": 100, "2026-03-01": 0, daysAgo(1): 0, "2126-07-01": 0} {
				for view, id := range map[string]any{"/v1/sites": f.site[0], "/v1/buildings": f.building[0], "/v1/systems": in["system_id"]} {
					resourcetest.Expect(t, fields{view + " on " + day: summary(t, f.Client, view, id, "as_of="+day)["replacement_cost"]},
						fields{view + " on " + day: cost})
				}
				resourcetest.Expect(t, total(t, f.Client, "as_of="+day), fields{"replacement_cost": cost})
			}
		})
	}
}

func TestTheRenewalThatWasPlannedOnADay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var path string
	f.at(t, "2020-01-01T12:00:00-05:00", func() {
		path = newBook(t, f.Client, fields{"building_id": f.building[0], "replacement_cost": 100, "planned_renewal_year": 2025}).path
	})
	f.at(t, "2026-04-10T00:00:00-04:00", func() {
		f.Must(t, http.StatusOK, "PATCH", path, fields{"planned_renewal_year": 2030})
	})
	for day, need := range map[string]int{"2026-04-09": 100, "2026-04-10": 0, "2024-12-31": 0, "2025-01-01": 100} {
		resourcetest.Expect(t, summary(t, f.Client, "/v1/buildings", f.building[0], "as_of="+day), fields{"need": need, "fci_pct": need})
	}
}

func TestWhereThingsStoodOnADay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var asset, building any
	f.at(t, "2015-01-01T12:00:00-05:00", func() {
		building = f.Create(t, "/v1/buildings", fields{"name": "Annexe", "site_id": f.site[0], "replacement_cost": 1000})["id"]
		asset = f.Create(t, "/v1/assets", fields{"name": "Clôture", "site_id": f.site[0], "replacement_cost": 100})["id"]
		f.Create(t, "/v1/assets", fields{"name": "Pompe", "system_id": f.system[0], "replacement_cost": 20})
		f.Create(t, "/v1/assets", fields{"name": "Porte", "building_id": building, "replacement_cost": 3, "deferred_maintenance_cost": 4})
	})
	f.at(t, "2026-03-31T23:30:00-04:00", func() {
		f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/assets/", asset), fields{"site_id": f.site[1]})
		f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/systems/", f.system[0]), fields{"building_id": f.building[1]})
		f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", building), fields{"site_id": f.site[1]})
	})
	abroad := *f.Client
	abroad.Principal.TimeZone = "Europe/Paris" // where it was the first of April
	for _, c := range []struct {
		client *resourcetest.Client
		day    string
		there  int // which site
	}{{f.Client, "2026-03-30", 0}, {f.Client, "2026-03-31", 1}, {f.Client, daysAgo(1), 1}, {&abroad, "2026-03-31", 0},
		{&abroad, "2026-04-01", 1}} {
		for i := range f.site {
			want := fields{"replacement_cost": 0, "need": 0, "counts.assets": 0, "counts.buildings": 1}
			inside := fields{"replacement_cost": 0, "counts.assets": 0}
			if i == c.there {
				want = fields{"replacement_cost": 1120, "need": 4, "counts.assets": 3, "counts.buildings": 2}
				inside = fields{"replacement_cost": 20, "counts.assets": 1}
			}
			// The lighting stays on the first site, one system in the second building.
			want["counts.systems"], inside["counts.systems"] = [2][2]int{{2, 1}, {1, 2}}[c.there][i], [2][2]int{{1, 1}, {0, 2}}[c.there][i]
			resourcetest.Expect(t, summary(t, c.client, "/v1/sites", f.site[i], "as_of="+c.day), want)
			resourcetest.Expect(t, summary(t, c.client, "/v1/buildings", f.building[i], "as_of="+c.day), inside)
			state := c.client.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-assets?as_of="+c.day, nil).JSON
			resourcetest.Expect(t, groupOf(t, state, "id", f.site[i]), want)
		}
		resourcetest.Expect(t, summary(t, c.client, "/v1/systems", f.system[0], "as_of="+c.day), fields{"replacement_cost": 20})
		resourcetest.Expect(t, summary(t, c.client, "/v1/buildings", building, "as_of="+c.day), fields{"replacement_cost": 1000, "need": 4})
	}
}

// groupOf is the group of a report whose id or key is this.
func groupOf(t testing.TB, report fields, name string, value any) fields {
	t.Helper()
	for _, group := range report["data"].([]any) {
		if group.(fields)[name] == value {
			return group.(fields)
		}
	}
	t.Fatalf("there is no group with %s %v", name, value)
	return nil
}

func TestRatingsOfADayAreThoseThatHadBeenMadeByThen(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := newBook(t, f.Client, fields{"building_id": f.building[0], "condition_rating": 5})
	rating := func(day string) any {
		t.Helper()
		figures := portfolioIndicators(t, f.Client, fields{"as_of": day, "building_ids": []any{f.building[0]}})
		resourcetest.Expect(t, portfolioIndicators(t, f.Client, fields{"as_of": day}), fields{
			"avg_condition_rating": figures["avg_condition_rating"], "pct_good_or_better": figures["pct_good_or_better"]})
		return figures["avg_condition_rating"]
	}
	expect := func(want fields) {
		t.Helper()
		got := fields{}
		for day := range want {
			got[day] = rating(day)
		}
		resourcetest.Expect(t, got, want)
	}
	expect(fields{"2019-12-31": nil}) // it was only assessed today
	b.patch(t, fields{"condition_rating": 4, "condition_assessed_on": "2019-06-30", "condition_method": "detailed"})
	expect(fields{"2019-06-29": nil, "2019-06-30": 4, "2019-12-31": 4})
	b.patch(t, fields{"condition_rating": 1, "condition_assessed_on": "2023-05-01", "condition_method": "reported"})
	expect(fields{"2023-05-01": 4, "2024-06-30": 4}) // outweighed for five years
	b.patch(t, fields{"condition_rating": 2, "condition_assessed_on": "2024-07-01", "condition_method": "reported"})
	expect(fields{"2024-06-30": 4, "2024-07-01": 2})
	// An assessment that is entered today counts from its day; one that is deleted on none.
	found := b.assess(t, fields{"assessed_on": "2018-02-01", "condition_rating": 3})
	expect(fields{"2018-01-31": nil, "2018-02-01": 3, "2019-06-29": 3, "2019-06-30": 4})
	f.Must(t, http.StatusNoContent, "DELETE", found, nil)
	expect(fields{"2018-02-01": nil, "2019-06-29": nil, "2019-06-30": 4})
}

// What was reported and taken back drives nothing from then on, until somebody reports again.
func TestARatingThatWasTakenBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := newBook(t, f.Client, fields{"building_id": f.building[0], "condition_rating": 4, "condition_assessed_on": "2020-01-01",
		"condition_method": "reported"})
	looked := newBook(t, f.Client, fields{"building_id": f.building[1], "condition_rating": 3, "condition_assessed_on": "2001-01-01",
		"condition_method": "visual"})
	looked.patch(t, fields{"condition_rating": 1, "condition_assessed_on": "2020-01-01", "condition_method": "reported"})
	for _, each := range []book{b, looked} {
		each.patch(t, fields{"condition_rating": nil})
		each.patch(t, fields{"condition_rating": 2})
	}
	// Both were said today; they are given days of the past, as of an organization that keeps its records for years.
	owner := owner(t, f.database)
	for _, statement := range []string{
		"UPDATE condition_assessment SET assessed_on = '2022-01-01' WHERE condition_rating IS NULL AND organization_id = $1",
		"UPDATE condition_assessment SET assessed_on = '2024-01-01' WHERE condition_rating = 2 AND organization_id = $1",
	} {
		if done, err := owner.Exec(t.Context(), statement, f.Principal.OrganizationID); err != nil || done.RowsAffected() != 2 {
			t.Fatalf("%s: %v %v", statement, done, err)
		}
	}
	for day, want := range map[string][2]any{
		"2019-12-31": {nil, 3}, "2020-01-01": {4, 1}, "2021-12-31": {4, 1}, "2022-01-01": {nil, 3}, "2023-12-31": {nil, 3},
		"2024-01-01": {2, 2}, daysAgo(1): {2, 2},
	} {
		for i := range want {
			resourcetest.Expect(t, summary(t, f.Client, "/v1/buildings", f.building[i], "as_of="+day), fields{"average_condition_rating": want[i]})
		}
	}
}

func TestCostsOfADayAreThoseThatHadBeenSaidByThen(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var b book
	expect := func(want map[string][2]any) {
		t.Helper()
		for day, costs := range want {
			got := summary(t, f.Client, "/v1/buildings", f.building[0], "as_of="+day)
			resourcetest.Expect(t, fields{"on": day, "replacement": got["replacement_cost"], "deferred": got["deferred_maintenance_cost"]},
				fields{"on": day, "replacement": costs[0], "deferred": costs[1]})
		}
	}
	f.at(t, "2016-03-01T12:00:00-05:00", func() {
		b = newBook(t, f.Client, fields{"building_id": f.building[0], "replacement_cost": 100, "deferred_maintenance_cost": 1})
	})
	expect(map[string][2]any{"2010-01-01": {100, 1}, "2016-03-01": {100, 1}})
	f.at(t, "2022-05-10T12:00:00-04:00", func() {
		b.patch(t, fields{"replacement_cost": 200, "replacement_cost_as_of": "2022-05-10"})
	})
	f.at(t, "2024-05-10T12:00:00-04:00", func() {
		b.patch(t, fields{"replacement_cost": 300, "replacement_cost_as_of": "2024-05-10", "deferred_maintenance_cost": nil,
			"deferred_maintenance_as_of": "2024-05-10"})
	})
	before := map[string][2]any{"2022-05-09": {100, 1}, "2022-05-10": {200, 1}, "2024-05-09": {200, 1}, "2024-05-10": {300, 0},
		daysAgo(1): {300, 0}}
	expect(before)
	// Today's costs do not change yesterday.
	b.patch(t, fields{"replacement_cost": 400, "deferred_maintenance_cost": 5})
	b.patch(t, fields{"replacement_cost": 500})
	expect(before)
	resourcetest.Expect(t, total(t, f.Client, ""), fields{"replacement_cost": 500, "deferred_maintenance_cost": 5})
	// An assessment of 2019 that is entered today counts for 2020; one that is deleted does not.
	found := b.assess(t, fields{"assessed_on": "2019-06-30", "condition_rating": 3, "replacement_cost": 150, "deferred_maintenance_cost": 7})
	expect(map[string][2]any{"2019-06-29": {100, 1}, "2019-06-30": {150, 7}, "2020-12-31": {150, 7}, "2022-05-10": {200, 7},
		"2024-05-10": {300, 0}, daysAgo(1): {300, 0}})
	f.Must(t, http.StatusNoContent, "DELETE", found, nil)
	expect(map[string][2]any{"2019-06-30": {100, 1}, "2020-12-31": {100, 1}})
	expect(before)
	f.Must(t, http.StatusNoContent, "DELETE", b.path, nil) // with the costs that it had
	expect(map[string][2]any{"2022-05-10": {0, 0}})
}

// The table keeps the former costs of an asset itself, also of a session that has not set the organization's day.
func TestFormerCostsAreKeptByTheTable(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	asset := f.Create(t, "/v1/assets", fields{"name": "Pompe", "replacement_cost": 100, "deferred_maintenance_cost": 1})["id"]
	service, err := pgx.Connect(t.Context(), f.database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = service.Close(context.WithoutCancel(t.Context())) }()
	if _, err := service.Exec(t.Context(), "SELECT set_config('ams.organization_id', $1, false)", f.Principal.OrganizationID); err != nil {
		t.Fatal(err)
	}
	for _, set := range []string{
		"own_replacement_cost = 200", "own_deferred_maintenance_cost = 2", "name = 'Pompes'", "own_replacement_cost = 300",
		"own_replacement_cost = 300", "own_replacement_cost = 400", "own_replacement_cost = NULL",
	} {
		done, err := service.Exec(t.Context(), "UPDATE asset SET "+set+" WHERE id = $1", asset)
		if err != nil || done.RowsAffected() != 1 {
			t.Fatalf("%s: %v %v", set, done, err)
		}
	}
	rows, err := service.Query(t.Context(), `SELECT concat_ws(' ', own_replacement_cost::float8, own_deferred_maintenance_cost::float8)
		FROM former_own_cost WHERE asset_id = $1 ORDER BY id`, asset)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if want := []string{"100 1", "200 1", "200 2", "300 2", "400 2"}; err != nil || !slices.Equal(kept, want) {
		t.Errorf("%v: former costs are %q, want %q", err, kept, want)
	}
}

// Appraisals of buildings, and what systems say themselves, have no day of their own: they are what they were.
func TestSystemsAndAppraisalsAsTheyWere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	system, building := fmt.Sprint("/v1/systems/", f.system[0]), fmt.Sprint("/v1/buildings/", f.building[0])
	f.at(t, "2015-01-01T12:00:00-05:00", func() {
		f.Create(t, "/v1/assets", fields{"name": "Pompe", "system_id": f.system[0], "replacement_cost": 100, "deferred_maintenance_cost": 1})
	})
	for _, c := range []struct {
		at, path string
		body     fields
	}{
		{"2020-05-10T00:00:00-04:00", system, fields{"replacement_cost": 250, "deferred_maintenance_cost": 20}},
		{"2021-05-10T00:00:00-04:00", system, fields{"planned_renewal_year": 2020}},
		{"2022-05-10T00:00:00-04:00", building, fields{"replacement_cost": 1000}},
		{"2023-05-10T00:00:00-04:00", system, fields{"replacement_cost": nil, "planned_renewal_year": nil, "deferred_maintenance_cost": nil}},
		{"2024-05-10T00:00:00-04:00", building, fields{"replacement_cost": nil}},
	} {
		f.at(t, c.at, func() { f.Must(t, http.StatusOK, "PATCH", c.path, c.body) })
	}
	for day, want := range map[string][4]int{ // of the system, and of the building: cost and need
		"2020-05-09": {100, 1, 100, 1}, "2020-05-10": {250, 20, 250, 20}, "2021-05-09": {250, 20, 250, 20}, "2021-05-10": {250, 250, 250, 250},
		"2022-05-09": {250, 250, 250, 250}, "2022-05-10": {250, 250, 1000, 250}, "2023-05-09": {250, 250, 1000, 250},
		"2023-05-10": {100, 1, 1000, 1}, "2024-05-09": {100, 1, 1000, 1}, "2024-05-10": {100, 1, 100, 1},
	} {
		for i, view := range []string{system, building} {
			got := f.Must(t, http.StatusOK, "GET", view+"/summary?as_of="+day, nil).JSON
			resourcetest.Expect(t, fields{"on": day, "cost": got["replacement_cost"], "need": got["need"]},
				fields{"on": day, "cost": want[2*i], "need": want[2*i+1]})
		}
		resourcetest.Expect(t, total(t, f.Client, "as_of="+day), fields{"replacement_cost": want[2], "need": want[3]})
	}
}

func TestKindsAndRisksAsTheyWere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var b book
	f.at(t, "2015-01-01T12:00:00-05:00", func() {
		b = newBook(t, f.Client, fields{"building_id": f.building[0], "replacement_cost": 100, "category": "hvac", "service_category": "library",
			"consequence_of_failure": 1, "probability_of_failure": 1, "install_year": 2010, "expected_useful_life_years": 10})
	})
	f.at(t, "2026-04-10T12:00:00-04:00", func() {
		b.patch(t, fields{"category": "shell", "service_category": "fire", "consequence_of_failure": 5, "probability_of_failure": 5,
			"expected_useful_life_years": 50})
		f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", f.building[0]), fields{"building_type": "arena"})
		f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/sites/", f.site[0]), fields{"ward": "Nord"})
	})
	for _, c := range []struct {
		day, category, service, risk string
		buildingType, ward           any
		past                         int
	}{
		{"2026-04-09", "hvac", "library", "very_low", nil, nil, 1}, {"2026-04-10", "shell", "fire", "very_high", "arena", "Nord", 0},
	} {
		for groupBy, key := range map[string]any{"category": c.category, "building_type": c.buildingType, "ward": c.ward} {
			state := f.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-assets?group_by="+groupBy+"&as_of="+c.day, nil).JSON
			resourcetest.Expect(t, groupOf(t, state, "key", key), fields{"replacement_cost": 100, "past_useful_life.assets": c.past})
		}
		resourcetest.Expect(t, groupOf(t, stateReport(t, f.Client, "as_of="+c.day), "key", c.service), fields{"counts.assets": 1,
			"replacement_cost": 100, "risk_distribution." + c.risk + ".count": 1, "risk_distribution." + c.risk + ".replacement_cost": 100})
	}
}

func TestHowMuchOfAPastDayIsHindsight(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var first book
	f.at(t, "2016-01-01T12:00:00-05:00", func() {
		first = newBook(t, f.Client, fields{"building_id": f.building[0], "replacement_cost": 1})
		newBook(t, f.Client, fields{"building_id": f.building[0], "replacement_cost": 10})
	})
	f.at(t, "2020-01-01T12:00:00-05:00", func() {
		newBook(t, f.Client, fields{"building_id": f.building[0], "replacement_cost": 100}).patch(t, fields{"category": "hvac"})
	})
	f.at(t, "2024-01-01T00:00:00-05:00", func() { first.patch(t, fields{"category": "shell"}) })
	for day, want := range map[string]any{
		"2012-12-31": fields{"entered_later": 3.0, "changed_since": 0.0}, // before the first record: as they were first entered
		"2015-12-31": fields{"entered_later": 3.0, "changed_since": 0.0},
		"2016-01-01": fields{"entered_later": 1.0, "changed_since": 1.0}, "2023-12-31": fields{"entered_later": 0.0, "changed_since": 1.0},
		"2024-01-01": fields{"entered_later": 0.0, "changed_since": 0.0}, resource.Today(t.Context()): nil, "2126-07-01": nil,
	} {
		for path, id := range map[string]any{"/v1/sites": f.site[0], "/v1/buildings": f.building[0]} {
			resourcetest.Expect(t, summary(t, f.Client, path, id, "as_of="+day), fields{"basis": want, "replacement_cost": 111})
		}
		state := f.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-assets?as_of="+day, nil).JSON
		resourcetest.Expect(t, state, fields{"basis": want, "total.replacement_cost": 111})
		resourcetest.Expect(t, stateReport(t, f.Client, "as_of="+day), fields{"basis": want, "total.replacement_cost": 111})
	}
	resourcetest.Expect(t, summary(t, f.Client, "/v1/buildings", f.building[0], ""), fields{"basis": nil})
}

func TestPricesOfAPastDay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	index(t, f.Client, fields{"name": "Construction", "is_default": true}, map[int]float64{1990: 52.1, 2000: 104.2, 2026: 168.4})
	f.Create(t, "/v1/assets", fields{"name": "Toit", "building_id": f.building[0], "replacement_cost": 100000, "replacement_cost_year": 1990})
	for query, want := range map[string]fields{
		"as_of=1995-12-31":                {"replacement_cost": 100000, "prices_of": 1995},
		"as_of=2005-12-31":                {"replacement_cost": 200000, "prices_of": 2005, "indexed_through": 2026},
		"as_of=2005-12-31&prices_of=2026": {"replacement_cost": 323224.57, "prices_of": 2026},
		"as_of=2026-07-01&prices_of=1990": {"replacement_cost": 100000, "prices_of": 1990, "as_recorded.count": 0},
		"as_of=1985-12-31":                {"replacement_cost": 100000, "prices_of": 1985, "as_recorded.count": 1},
	} {
		resourcetest.Expect(t, summary(t, f.Client, "/v1/buildings", f.building[0], query), want)
	}
}

func TestDaysBefore1900AreRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for path, id := range map[string]any{"sites": f.site[0], "buildings": f.building[0], "systems": f.system[0]} {
		refused := f.Must(t, http.StatusBadRequest, "GET", fmt.Sprintf("/v1/%s/%v/summary?as_of=1899-12-31", path, id), nil)
		if !slices.Equal(refused.Fields(), []string{"as_of"}) {
			t.Errorf("%s: %s", path, refused.Body)
		}
		f.Must(t, http.StatusOK, "GET", fmt.Sprintf("/v1/%s/%v/summary?as_of=1900-01-01", path, id), nil)
	}
	for _, report := range []string{"state-of-assets", "state-of-infrastructure"} {
		refused := f.Must(t, http.StatusBadRequest, "GET", "/v1/reports/"+report+"?as_of=1899-12-31", nil)
		if !slices.Equal(refused.Fields(), []string{"as_of"}) {
			t.Errorf("%s: %s", report, refused.Body)
		}
	}
	refused := f.Must(t, http.StatusBadRequest, "POST", "/internal/assets/figures", fields{"as_of": "1899-12-31"})
	if !slices.Equal(refused.Fields(), []string{"as_of"}) {
		t.Errorf("figures: %s", refused.Body)
	}
}
