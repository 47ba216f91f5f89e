package assets

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/deficiencies"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

func TestDeferredMaintenanceOfADayThatIsOver(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var asset, system any
	f.at(t, "2016-03-01T12:00:00-05:00", func() {
		asset = f.Create(t, "/v1/assets",
			fields{"name": "Toit", "building_id": f.building[0], "replacement_cost": 1000, "deferred_maintenance_cost": 100})["id"]
		system = f.Create(t, "/v1/systems", fields{"name": "Ascenseurs", "building_id": f.building[1], "replacement_cost": 2000,
			"deferred_maintenance_cost": 900})["id"]
	})
	expect := func(building int, want map[string]float64) {
		t.Helper()
		for day, deferred := range want {
			for horizon := range 2 {
				got := summary(t, f.Client, "/v1/buildings", f.building[building], fmt.Sprint("as_of=", day, "&horizon_years=", horizon))
				resourcetest.Expect(t, fields{"on " + day: got["deferred_maintenance_cost"]}, fields{"on " + day: deferred})
			}
			site := summary(t, f.Client, "/v1/sites", f.site[building], "as_of="+day)
			resourcetest.Expect(t, fields{"site on " + day: site["deferred_maintenance_cost"]}, fields{"site on " + day: deferred})
		}
	}
	d := f.found(t, fields{"asset_id": asset, "estimated_cost": 50, "found_on": "2022-03-01"}) // entered today, and known since then
	s := f.found(t, fields{"system_id": system, "estimated_cost": 60, "found_on": "2022-03-01", "action_year": 2023})
	expect(0, map[string]float64{"2016-03-01": 100, "2022-02-28": 100, "2022-03-01": 50, daysAgo(1): 50})
	expect(1, map[string]float64{"2022-02-28": 900, "2022-03-01": 0, "2022-12-31": 0, "2023-01-01": 60, daysAgo(1): 60})
	resourcetest.Expect(t, summary(t, f.Client, "/v1/buildings", f.building[1], "as_of=2022-12-31&horizon_years=1"), fields{
		"need": 60, "deferred_maintenance_basis.typed": 0})
	f.Must(t, http.StatusOK, "PATCH", d, fields{"status": "corrected", "corrected_on": "2024-06-01"})
	expect(0, map[string]float64{"2022-02-28": 100, "2022-03-01": 50, "2024-05-31": 50, "2024-06-01": 0, daysAgo(1): 0})

	// What has no day of its own is what it was: what it was estimated to cost, and that it was waived.
	f.at(t, "2023-05-10T12:00:00-04:00", func() { f.Must(t, http.StatusOK, "PATCH", s, fields{"estimated_cost": 80}) })
	f.at(t, "2025-05-10T12:00:00-04:00", func() {
		f.Must(t, http.StatusOK, "PATCH", s, fields{"status": "waived", "waive_reason": "Démolition"})
	})
	expect(1, map[string]float64{"2022-02-28": 900, "2023-05-09": 60, "2023-05-10": 80, "2025-05-09": 80, "2025-05-10": 0, daysAgo(1): 0})
	// One that is deleted should never have been there, and what had been typed is there again.
	f.Must(t, http.StatusOK, "PATCH", s, fields{"status": "open"})
	f.Must(t, http.StatusNoContent, "DELETE", s, nil)
	expect(1, map[string]float64{"2022-02-28": 900, "2023-05-10": 900, daysAgo(1): 900})
	f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/systems/", system), fields{"deferred_maintenance_cost": 1})
	expect(1, map[string]float64{"2023-05-10": 900, daysAgo(1): 900})
}

// mixedPortfolio writes deficiencies of everything, with costs of one year, of several and of none, due now and later.
func mixedPortfolio(t *testing.T, f fixture) {
	t.Helper()
	year := yearNow(t)
	of := []fields{{"site_id": f.site[0]}, {"building_id": f.building[0]}, {"system_id": f.system[0]}, {"system_id": f.ofSite}}
	for i := range 6 {
		asset := fields{"name": fmt.Sprint("Partie ", i), "replacement_cost": 1000 * i, "replacement_cost_year": 2018,
			"deferred_maintenance_cost": 10}
		for field, id := range []fields{{"system_id": f.system[0]}, {"building_id": f.building[0]}, {"site_id": f.site[0]}}[i%3] {
			asset[field] = id
		}
		if i > 3 {
			asset["planned_renewal_year"] = year + 1
		}
		of = append(of, fields{"asset_id": f.Create(t, "/v1/assets", asset)["id"]})
	}
	for i, place := range of[:len(of)-2] { // the last two keep what was typed
		for j := range 5 {
			d := fields{"found_on": "2019-01-05", "category": []string{"deferred_maintenance", "code", "functional", "life_safety"}[(i+j)%4]}
			for field, id := range place {
				d[field] = id
			}
			if j > 0 {
				d["estimated_cost"] = float64(i*100+j) + 0.37
				d["cost_year"] = []int{2018, 2018, 2020, 2018, 2022}[(i%2)*j]
			}
			if j%2 == 1 {
				d["action_year"] = year + j - 2
			}
			f.found(t, d)
		}
	}
	f.happened(t, time.Time{}, "2019-01-10T12:00:00-05:00")
}

// The sums that are kept with the records are those that a day that is over makes of each deficiency, also in prices of another year.
func TestYesterdayIsAsTodayWhereNothingHappened(t *testing.T) {
	t.Parallel()
	for _, indexed := range []bool{false, true} {
		t.Run(fmt.Sprint("indexed ", indexed), func(t *testing.T) {
			f := newFixture(t)
			if indexed {
				index(t, f.Client, fields{"name": "Construction", "is_default": true}, map[int]float64{2018: 100, 2020: 133.3, 2022: 171.7})
			}
			mixedPortfolio(t, f)
			for _, horizon := range []int{0, 1, 5} {
				query := func(day string) string {
					return fmt.Sprint("horizon_years=", horizon, "&as_of=", day, "&prices_of=2026")
				}
				yesterday, today := query(daysAgo(1)), query(resource.Today(t.Context()))
				for path, id := range map[string]any{"/v1/sites": f.site[0], "/v1/buildings": f.building[0], "/v1/systems": f.system[0]} {
					sameFigures(t, path, summary(t, f.Client, path, id, today), summary(t, f.Client, path, id, yesterday))
				}
				sameFigures(t, "total", total(t, f.Client, today), total(t, f.Client, yesterday))
				now, then := stateReport(t, f.Client, today)["total"].(fields), stateReport(t, f.Client, yesterday)["total"].(fields)
				sameFigures(t, "infrastructure", now, then)
				whole := total(t, f.Client, today)
				resourcetest.Expect(t, now, fields{"need": whole["need"], "deferred_maintenance_cost": whole["deferred_maintenance_cost"],
					"need_without_value": whole["need_without_value"], "fci_pct": whole["fci_pct"]})
				if whole["deferred_maintenance_cost"] == 0.0 || resourcetest.At(whole, "deferred_maintenance_basis.typed") == 0.0 {
					t.Fatal("there is nothing to compare")
				}
			}
		})
	}
}

func sameFigures(t *testing.T, what string, today, yesterday fields) {
	t.Helper()
	want := fields{}
	for _, name := range []string{"need", "deferred_maintenance_cost", "need_without_value", "fci_pct", "replacement_cost"} {
		want[name] = today[name]
	}
	for _, name := range []string{"deferred_maintenance_basis", "data_quality"} {
		if of, ok := today[name].(fields); ok {
			for part, value := range of {
				want[name+"."+part] = value
			}
		}
	}
	t.Run(what, func(t *testing.T) { resourcetest.Expect(t, yesterday, want) })
}

// Deficiencies are brought to the prices of one year by their own cost year, those of one year together.
func TestDeficienciesInPricesOfOneYear(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	index(t, f.Client, fields{"name": "Construction", "is_default": true}, map[int]float64{2020: 100, 2024: 150, 2026: 200})
	asset := f.Create(t, "/v1/assets",
		fields{"name": "Toit", "building_id": f.building[0], "replacement_cost": 100000, "replacement_cost_year": 2026})["id"]
	expect := func(query string, want fields) {
		t.Helper()
		resourcetest.Expect(t, summary(t, f.Client, "/v1/buildings", f.building[0], "prices_of=2026&"+query), want)
	}
	year := yearNow(t)
	f.found(t, fields{"asset_id": asset, "estimated_cost": 1000, "found_on": "2020-06-30"})
	expect("", fields{"deferred_maintenance_cost": 2000, "fci_pct": 2})
	f.found(t, fields{"asset_id": asset, "estimated_cost": 300, "cost_year": 2024, "action_year": year + 1})
	expect("", fields{"deferred_maintenance_cost": 2000, "need": 2000})
	expect("horizon_years=1", fields{"deferred_maintenance_cost": 2000, "need": 2400})
	f.found(t, fields{"asset_id": asset, "estimated_cost": 0.01, "cost_year": 2024})
	expect("horizon_years=1", fields{"deferred_maintenance_cost": 2000.01, "need": 2400.01})
	f.found(t, fields{"building_id": f.building[0], "estimated_cost": 5, "cost_year": 1990}) // before the index begins
	expect("", fields{"deferred_maintenance_cost": 2005.01})
	resourcetest.Expect(t, f.record(t, "/v1/assets", asset), fields{"deferred_maintenance_cost": 1000.01}) // a record's own are as recorded
}

// However many write deficiencies of a record at the same time, all of them are in its figure.
func TestAllDeficienciesAreAddedUpWhoeverWritesThem(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.Create(t, "/v1/assets", fields{"name": "A"})["id"]
	second := f.Create(t, "/v1/assets", fields{"name": "B"})["id"]
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			rows := []fields{{"title": "a", "asset_id": first, "estimated_cost": 1}, {"title": "b", "asset_id": second, "estimated_cost": 2}}
			if i%2 == 0 {
				rows[0], rows[1] = rows[1], rows[0]
			}
			if got := f.Do(t, "POST", "/v1/deficiencies/bulk", fields{"data": rows}); got.Status != http.StatusOK &&
				got.Status != http.StatusCreated {
				t.Errorf("%d: %s", got.Status, got.Body)
			}
		})
	}
	all.Wait()
	resourcetest.Expect(t, f.record(t, "/v1/assets", first), fields{"deferred_maintenance_cost": 8, "version": 1})
	resourcetest.Expect(t, f.record(t, "/v1/assets", second), fields{"deferred_maintenance_cost": 16})
	resourcetest.Expect(t, total(t, f.Client, ""), fields{"deferred_maintenance_cost": 24})
}

// service is the resources, to be called from inside.
func (f fixture) service(t testing.TB) (family, context.Context) {
	t.Helper()
	db := f.database.Open(t)
	peers := resourcetest.NewPeers(t, f.Signer)
	inside := family{resource.NewRegistry(transport.New(f.Signer, db, resourcetest.Log(t)), db, peers.References)}
	inside.mount()
	return inside, principal.Into(t.Context(), f.Principal)
}

// At the turn of a year, records show what counts in the new one.
func TestTheTurnOfTheYear(t *testing.T) {
	f := newFixture(t)
	year := yearNow(t)
	asset := f.Create(t, "/v1/assets", fields{"name": "Toit"})["id"]
	for id, field := range map[any]string{asset: "asset_id", f.system[0]: "system_id"} {
		f.found(t, fields{field: id, "estimated_cost": 10})
		f.found(t, fields{field: id, "estimated_cost": 5, "action_year": year})
		f.found(t, fields{field: id, "estimated_cost": 7, "action_year": year + 1})
	}
	expect := func(deferred float64) {
		t.Helper()
		resourcetest.Expect(t, f.record(t, "/v1/assets", asset), fields{"deferred_maintenance_cost": deferred, "version": 1})
		resourcetest.Expect(t, f.record(t, "/v1/systems", f.system[0]), fields{"deferred_maintenance_cost": deferred, "version": 1})
	}
	expect(15)
	for _, table := range []string{"asset", "system"} { // as they stood last year
		if _, err := owner(t, f.database).Exec(t.Context(), "UPDATE "+table+" SET deferred_maintenance_cost = 10 "+
			"WHERE deficiency_years IS NOT NULL AND organization_id = $1", f.Principal.OrganizationID); err != nil {
			t.Fatal(err)
		}
	}
	expect(10)
	inside, ctx := f.service(t)
	organizations := func(context.Context) ([]principal.Principal, error) { return []principal.Principal{f.Principal}, nil }
	for range 2 {
		if err := inside.newYear(organizations).Once(ctx); err != nil {
			t.Fatal(err)
		}
		expect(15)
	}
}

// What works on a deficiency moves it, with version and events like any other change.
func TestWorkMovesADeficiency(t *testing.T) {
	f := newFixture(t)
	asset := f.Create(t, "/v1/assets", fields{"name": "Toit"})["id"]
	path := f.found(t, fields{"asset_id": asset, "estimated_cost": 10, "found_on": "2024-01-01"})
	id := path[len("/v1/deficiencies/"):]
	inside, ctx := f.service(t)
	move := func(m deficiencyMove) error {
		return inside.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error { return inside.moveDeficiency(ctx, tx, id, m) })
	}
	work, cost := "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e77", 8.25
	for i, step := range []struct {
		m        deficiencyMove
		want     fields
		deferred float64
	}{
		{deficiencyMove{To: "planned", WorkOrderID: &work}, fields{"status": "planned", "work_order_id": work}, 10},
		{deficiencyMove{To: "in_work"}, fields{"status": "in_work", "work_order_id": work}, 10},
		{deficiencyMove{To: "open"}, fields{"status": "open", "work_order_id": nil}, 10},
		{deficiencyMove{To: "in_work", WorkOrderID: &work}, fields{"status": "in_work"}, 10},
		{deficiencyMove{To: "corrected", On: "2024-02-03", ActualCost: &cost},
			fields{"status": "corrected", "corrected_on": "2024-02-03", "actual_cost": 8.25, "work_order_id": work}, 0},
		{deficiencyMove{To: "corrected", On: "2024-02-04"}, fields{"corrected_on": "2024-02-03", "actual_cost": 8.25}, 0}, // once more
	} {
		if err := move(step.m); err != nil {
			t.Fatal(err)
		}
		if i < 5 {
			step.want["version"] = i + 2
		}
		resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, step.want)
		resourcetest.Expect(t, f.record(t, "/v1/assets", asset), fields{"deferred_maintenance_cost": step.deferred})
	}
	var refused *fault.Error
	if err := move(deficiencyMove{To: "planned"}); !asFault(err, &refused) || refused.Code != "transition_not_allowed" {
		t.Errorf("a corrected one is planned: %v", err)
	}
	var events int
	if err := owner(t, f.database).QueryRow(t.Context(), "SELECT count(*) FROM outbox WHERE type = 'deficiency.corrected' "+
		"AND organization_id = $1", f.Principal.OrganizationID).Scan(&events); err != nil || events != 1 {
		t.Errorf("%d events say that it was corrected (%v), want 1", events, err)
	}
	f.Must(t, http.StatusConflict, "DELETE", path, nil)
}

// The column and the rule say the same of every state and category.
func TestWhatCountsAsDeferredIsGeneratedByTheRule(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, category := range []string{"deferred_maintenance", "life_safety", "code", "environmental", "accessibility",
		"functional", "renewal"} {
		for _, status := range []string{"open", "planned", "in_work", "corrected", "waived", "void"} {
			d := fields{"site_id": f.site[0], "category": category, "status": status}
			switch status {
			case "corrected":
				d["corrected_on"] = resource.Today(t.Context())
			case "waived":
				d["waive_reason"] = "Démolition"
			}
			f.found(t, d)
		}
	}
	var counting, different int
	if err := owner(t, f.database).QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE d.counts_as_deferred),
		count(*) FILTER (WHERE d.counts_as_deferred <> `+deficiencies.CountsAsDeferred("d")+") FROM deficiency d WHERE organization_id = $1",
		f.Principal.OrganizationID).Scan(&counting, &different); err != nil {
		t.Fatal(err)
	}
	if counting != 12 || different != 0 {
		t.Errorf("%d count, want 12; %d are another matter to the rule", counting, different)
	}
}

func TestReportOfDeficiencies(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	year := yearNow(t)
	asset := f.Create(t, "/v1/assets", fields{"name": "Pompe", "system_id": f.system[0], "uniformat_code": "D3020"})["id"]
	gone := f.Create(t, "/v1/assets", fields{"name": "Vieille pompe", "system_id": f.system[0], "status": "decommissioned"})["id"]
	f.found(t, fields{"asset_id": asset, "estimated_cost": 4200, "priority": "urgent"})
	f.found(t, fields{"asset_id": asset, "estimated_cost": 9000.5, "category": "accessibility", "uniformat_code": "C1010"})
	f.found(t, fields{"building_id": f.building[1], "estimated_cost": 100, "action_year": year + 1, "status": "planned"})
	f.found(t, fields{"site_id": f.site[0], "category": "code"})
	f.found(t, fields{"asset_id": gone, "estimated_cost": 7})
	f.found(t, fields{"asset_id": asset, "estimated_cost": 1, "status": "corrected", "corrected_on": resource.Today(t.Context())})
	report := func(query string) fields {
		t.Helper()
		return f.Must(t, http.StatusOK, "GET", "/v1/reports/deficiencies?"+query, nil).JSON
	}
	resourcetest.Expect(t, report(""), fields{"year": nil, "group_by": "category", "currency": "CAD", "total.count": 5, "total.cost": 13307.5,
		"total.counting_cost": 4300, "total.without_cost": 1, "pagination.total": 3})
	resourcetest.Expect(t, report(fmt.Sprint("year=", year)), fields{"total.count": 4, "total.cost": 13207.5, "total.counting_cost": 4200})
	resourcetest.Expect(t, fields{"is": report(fmt.Sprint("year=", year))["total"].(fields)["counting_cost"]},
		fields{"is": total(t, f.Client, "")["deferred_maintenance_cost"]})
	for _, c := range []struct {
		groupBy, name string
		value         any
		want          fields
	}{
		{"category", "key", "accessibility", fields{"count": 1, "cost": 9000.5, "counting_cost": 0}},
		{"category", "key", "code", fields{"count": 1, "cost": 0, "without_cost": 1}},
		{"priority", "key", nil, fields{"count": 4}},
		{"status", "key", "planned", fields{"count": 1, "cost": 100}},
		{"action_year", "key", fmt.Sprint(year + 1), fields{"count": 1, "counting_cost": 100}},
		{"site", "id", f.site[0], fields{"name": "Site 0", "count": 4, "cost": 13207.5}},
		{"building", "id", f.building[0], fields{"name": "Pavillon 0", "site_id": f.site[0], "site_name": "Site 0", "count": 3,
			"cost": 13207.5, "counting_cost": 4200}},
		{"building", "id", nil, fields{"count": 1, "name": "No building", "site_id": nil}},
		{"uniformat_group", "key", "D30", fields{"count": 1, "cost": 4200}},
		{"uniformat_group", "key", "C10", fields{"count": 1, "cost": 9000.5}},
	} {
		got := report("group_by=" + c.groupBy)
		resourcetest.Expect(t, groupOf(t, got, c.name, c.value), c.want)
		if sum := sumOf(got, "cost"); sum != 13307.5 {
			t.Errorf("by %s the groups add up to %v", c.groupBy, sum)
		}
	}
	for _, place := range []string{"site", "building"} { // the list has its groups by place as the report
		list := f.Must(t, http.StatusOK, "GET", "/v1/deficiencies?status=open,planned,in_work&per_page=1&group_by="+place+"_id",
			nil).JSON["totals"].(fields)
		for _, group := range report("group_by=" + place)["data"].([]any) {
			group := group.(fields)
			resourcetest.Expect(t, groupOf(t, fields{"data": list["groups"]}, "key", group["id"]),
				fields{"name": group["name"], "count": group["count"],
					"estimated_cost": group["cost"]})
			if id, is := group["id"].(string); is {
				resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", "/v1/deficiencies?status=open,planned,in_work&"+place+"_id="+id, nil).JSON,
					fields{"pagination.total": group["count"]})
			}
		}
	}
	if page := report("group_by=category&per_page=1&page=3")["data"].([]any); len(page) != 1 ||
		page[0].(fields)["key"] != "deferred_maintenance" {
		t.Errorf("the third of the groups is %v", page)
	}
	csv := string(f.Must(t, http.StatusOK, "GET", "/v1/reports/deficiencies?group_by=status", nil, "Accept", "text/csv").Body)
	want := "row,year,group_by,currency,id,key,name,site_id,site_name,count,cost,counting_cost,without_cost\n"
	if len(csv) < len(want) || csv[:len(want)] != want {
		t.Errorf("CSV begins with %.120q", csv)
	}
	f.Must(t, http.StatusBadRequest, "GET", "/v1/reports/deficiencies?group_by=ward", nil)
}

func asFault(err error, target **fault.Error) bool { return errors.As(err, target) }
