package projects

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/calendar"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource/resourcetest"
)

// row is the amounts of a year, of all years, or of what is unscheduled.
type row struct {
	projects                                 int
	cost, confirmed, requested, gap, surplus float64
	withoutActuals                           int
}

func (r row) check(t *testing.T, where string, amounts fields) {
	t.Helper()
	got := row{int(amounts["projects"].(float64)), amounts["cost"].(float64), amounts["funding_confirmed"].(float64),
		amounts["funding_requested"].(float64), amounts["funding_gap"].(float64), amounts["funding_surplus"].(float64),
		int(amounts["without_actuals"].(float64))}
	if got != r {
		t.Errorf("%s: got %+v, want %+v", where, got, r)
	}
	if math.Abs(got.cost-got.confirmed-got.gap+got.surplus) > 0.001 {
		t.Errorf("%s: cost less confirmed funding is not gap less surplus in %+v", where, got)
	}
}

// flow is the expected amounts of a group: all years, each year, and what is unscheduled.
type flow struct {
	sum         row
	years       []row
	unscheduled row
}

func (f flow) check(t *testing.T, where string, got fields) {
	t.Helper()
	f.sum.check(t, where, got)
	f.unscheduled.check(t, where+" unscheduled", got["unscheduled"].(fields))
	years := got["years"].([]any)
	if len(years) != len(f.years) {
		t.Fatalf("%s has %d years", where, len(years))
	}
	for i, want := range f.years {
		year := years[i].(fields)
		if year["year"] != float64(2027+i) {
			t.Errorf("%s: the %d. year is %v", where, i, year["year"])
		}
		want.check(t, fmt.Sprint(where, " ", year["year"]), year)
	}
}

// plannedFixture is the worked case of the plan, from 2027 on.
func plannedFixture(t *testing.T) *fixture {
	f := newFixture(t)
	fund := func(path, kind, status string, amount float64, year any) {
		f.Create(t, path+"/funding-sources", fields{"source_type": kind, "status": status, "amount": amount, "fiscal_year": year})
	}
	lined := f.project(t, fields{"lifecycle_activity": "renewal", "site_id": f.site, "status": "approved", "budget_amount": 1,
		"fiscal_year": 2029})
	f.Create(t, lined+"/budget-lines", fields{"fiscal_year": 2027, "category": "design", "budget_amount": 100, "forecast_amount": 7})
	f.Create(t, lined+"/budget-lines", fields{"fiscal_year": 2028, "category": "construction", "budget_amount": 800})
	f.Create(t, lined+"/budget-lines", fields{"fiscal_year": 2028, "category": "contingency", "budget_amount": 100})
	fund(lined, "levy", "confirmed", 500, nil) // spread: 50 in 2027 and 450 in 2028
	fund(lined, "ccbf", "requested", 300, 2028)
	fund(lined, "donation", "declined", 1000, 2028)

	growing := f.project(t, fields{"lifecycle_activity": "growth", "budget_amount": 400, "estimate_amount": 999, "fiscal_year": 2029})
	fund(growing, "debt", "received", 500, 2029) // more than it costs

	for _, status := range []string{"deferred", "cancelled"} {
		fund(f.project(t, fields{"lifecycle_activity": "renewal", "status": status, "budget_amount": 9999, "fiscal_year": 2027}), "levy",
			"confirmed", 9999, 2027)
	}
	fund(f.project(t, fields{"estimate_amount": 250}), "reserve", "confirmed", 40, nil) // no year at all
	f.project(t, fields{"lifecycle_activity": "renewal", "site_id": f.site, "status": "completed", "estimate_amount": 70, "fiscal_year": 2027})
	for _, year := range []int{2026, 2030} { // before and after
		fund(f.project(t, fields{"lifecycle_activity": "disposal", "status": "in_progress", "budget_amount": 1000, "fiscal_year": year}),
			"levy", "confirmed", 10, nil)
	}
	return f
}

var wholePlan = flow{
	sum:         row{3, 1470, 1000, 300, 570, 100, 1},
	years:       []row{{2, 170, 50, 0, 120, 0, 1}, {1, 900, 450, 300, 450, 0, 0}, {1, 400, 500, 0, 0, 100, 0}},
	unscheduled: row{1, 250, 40, 0, 210, 0, 0},
}

func TestPlan(t *testing.T) {
	t.Parallel()
	f := plannedFixture(t)
	renewal := flow{row{2, 1070, 500, 300, 570, 0, 1}, []row{{2, 170, 50, 0, 120, 0, 1}, {1, 900, 450, 300, 450, 0, 0}, {}}, row{}}
	growth := flow{row{1, 400, 500, 0, 0, 100, 0}, []row{{}, {}, {1, 400, 500, 0, 0, 100, 0}}, row{}}
	unknown := flow{row{}, []row{{}, {}, {}}, row{1, 250, 40, 0, 210, 0, 0}}
	nowhere := growth
	nowhere.unscheduled = unknown.unscheduled
	for _, c := range []struct {
		groupBy, field string
		groups         []any
		flows          []flow
	}{
		{"lifecycle_activity", "key", []any{"renewal", "growth", nil}, []flow{renewal, growth, unknown}},
		{"site", "id", []any{f.site, nil}, []flow{renewal, nowhere}},
		{"status", "key", []any{"approved", "proposed", "completed"}, []flow{
			{row{1, 1000, 500, 300, 500, 0, 0}, []row{{1, 100, 50, 0, 50, 0, 0}, {1, 900, 450, 300, 450, 0, 0}, {}}, row{}},
			{growth.sum, growth.years, unknown.unscheduled},
			{row{1, 70, 0, 0, 70, 0, 1}, []row{{1, 70, 0, 0, 70, 0, 1}, {}, {}}, row{}},
		}},
		{"source_type", "key", []any{"levy", "debt", "ccbf", "reserve", nil}, []flow{
			{row{1, 500, 500, 0, 0, 0, 0}, []row{{1, 50, 50, 0, 0, 0, 0}, {1, 450, 450, 0, 0, 0, 0}, {}}, row{}},
			{row{1, 400, 500, 0, 0, 100, 0}, []row{{}, {}, {1, 400, 500, 0, 0, 100, 0}}, row{}},
			{row{1, 0, 0, 300, 0, 0, 0}, []row{{}, {1, 0, 0, 300, 0, 0, 0}, {}}, row{}},
			{row{}, []row{{}, {}, {}}, row{1, 40, 40, 0, 0, 0, 0}},
			{row{2, 570, 0, 0, 570, 0, 1}, []row{{2, 120, 0, 0, 120, 0, 1}, {1, 450, 0, 0, 450, 0, 0}, {}}, row{1, 210, 0, 0, 210, 0, 0}},
		}},
	} {
		t.Run(c.groupBy, func(t *testing.T) {
			plan := f.get(t, "/v1/projects/plan?from_year=2027&years=3&group_by="+c.groupBy)
			resourcetest.Expect(t, plan, fields{"from_year": 2027, "to_year": 2029, "group_by": c.groupBy, "currency": "CAD"})
			wholePlan.check(t, "total", plan["total"].(fields))
			groups := plan["data"].([]any)
			if len(groups) != len(c.groups) {
				t.Fatalf("%d groups, want %d: %v", len(groups), len(c.groups), groups)
			}
			for i, want := range c.groups {
				group := groups[i].(fields)
				if group[c.field] != want {
					t.Errorf("group %d is %v, want %v", i, group[c.field], want)
				}
				c.flows[i].check(t, fmt.Sprint(want), group)
			}
			// Each group and the total: three years, all of them, and what is unscheduled.
			_, rows := f.Table(t, "/v1/projects/plan?from_year=2027&years=3&group_by="+c.groupBy)
			last := rows[len(rows)-2]
			if len(rows) != 5*(len(groups)+1) || rows[0]["year"] != "2027" || rows[0]["period"] != "year" || last["row"] != "total" ||
				last["period"] != "all" || last["cost"] != fmt.Sprint(plan["total"].(fields)["cost"]) || last["year"] != "" {
				t.Errorf("as CSV %v", rows)
			}
		})
	}
}

// A project has money in the years of its budget lines, and without any in its fiscal year.
func TestProjectsAreFoundByTheYearsTheyHaveMoneyIn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	lined := f.project(t, fields{"name": "Lined", "fiscal_year": 2030})
	f.Create(t, lined+"/budget-lines", fields{"fiscal_year": 2027, "category": "design", "budget_amount": 0, "forecast_amount": 7})
	f.Create(t, lined+"/budget-lines", fields{"fiscal_year": 2028, "category": "construction", "budget_amount": 800})
	f.Create(t, lined+"/budget-lines", fields{"fiscal_year": 2029, "category": "construction", "budget_amount": 0})
	f.project(t, fields{"name": "Estimated", "fiscal_year": 2028, "estimate_amount": 5})
	f.project(t, fields{"name": "Empty", "fiscal_year": 2028})
	for year, want := range map[string]string{"2027": "[Lined]", "2028": "[Estimated Lined]", "2029": "[]", "2030": "[]"} {
		var names []any
		for _, row := range f.get(t, "/v1/projects?sort=name&spending_year="+year)["data"].([]any) {
			names = append(names, row.(fields)["name"])
		}
		if got := fmt.Sprint(names); got != want {
			t.Errorf("with money in %s: %s, want %s", year, got, want)
		}
	}
}

func TestPlanNamesSites(t *testing.T) {
	t.Parallel()
	f := plannedFixture(t)
	path := "/v1/projects/plan?from_year=2027&years=3&group_by=site"
	first := func(plan fields) fields { return plan["data"].([]any)[0].(fields) }
	resourcetest.Expect(t, first(f.get(t, path)), fields{"id": f.site, "name": "École Saint-Joseph", "key": nil})
	reader := *f.Client
	reader.Principal.Scopes = []string{"projects:read"}
	resourcetest.Expect(t, first(reader.Must(t, http.StatusOK, "GET", path, nil).JSON), fields{"id": f.site, "name": nil})
}

func TestPlanIsPagedByGroups(t *testing.T) {
	t.Parallel()
	f := plannedFixture(t)
	path := "/v1/projects/plan?from_year=2027&years=3&group_by=source_type&per_page=2"
	for page, want := range map[int][]any{1: {"levy", "debt"}, 2: {"ccbf", "reserve"}, 3: {nil}, 4: {}} {
		plan := f.get(t, fmt.Sprint(path, "&page=", page))
		resourcetest.Expect(t, plan["pagination"].(fields), fields{"page": page, "per_page": 2, "total": 5, "total_pages": 3})
		wholePlan.check(t, "total", plan["total"].(fields))
		groups := plan["data"].([]any)
		if len(groups) != len(want) {
			t.Fatalf("page %d has %d groups", page, len(groups))
		}
		for i := range want {
			if groups[i].(fields)["key"] != want[i] {
				t.Errorf("page %d gives %v, want %v", page, groups[i].(fields)["key"], want[i])
			}
		}
	}
	for page, want := range map[string]map[string]string{
		"1": {"next": "2", "first": "1", "last": "3"}, "2": {"prev": "1", "next": "3", "first": "1", "last": "3"},
		"3": {"prev": "2", "first": "1", "last": "3"}, "4": {"prev": "3", "first": "1", "last": "3"},
	} {
		f.AssertLinks(t, path+"&page="+page, "page", want)
	}
	f.AssertLinks(t, "/v1/projects/plan?from_year=2027&years=3&group_by=source_type", "page", nil) // one page
	f.AssertFile(t, path, "text/csv", "plan", "csv")
}

func TestFundingIsSpreadToTheCent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := f.project(t, fields{})
	for year := 2027; year < 2030; year++ {
		f.Create(t, path+"/budget-lines", fields{"fiscal_year": year, "category": "other", "budget_amount": 50})
	}
	f.Create(t, path+"/funding-sources", fields{"source_type": "levy", "status": "confirmed", "amount": 100})
	flow{row{1, 150, 100, 0, 50, 0, 0},
		[]row{{1, 50, 33.33, 0, 16.67, 0, 0}, {1, 50, 33.34, 0, 16.66, 0, 0}, {1, 50, 33.33, 0, 16.67, 0, 0}}, row{}}.
		check(t, "total", f.get(t, "/v1/projects/plan?from_year=2027&years=3")["total"].(fields))
}

func TestPlanOfNothingAndBadQuestions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	plan := f.get(t, "/v1/projects/plan")
	year := calendar.Calendar{}.FiscalYear(calendar.Calendar{}.Today())
	resourcetest.Expect(t, plan, fields{"from_year": year, "to_year": year + 9, "group_by": "lifecycle_activity"})
	if total := plan["total"].(fields); len(total["years"].([]any)) != 10 || len(plan["data"].([]any)) != 0 {
		t.Errorf("an organization without projects has %v", plan)
	}
	for _, query := range []string{"from_year=x", "from_year=1899", "years=0", "years=51", "years=1.5", "group_by=mood", "status=done",
		"status=deferred", "status=approved,cancelled", "page=0",
		"per_page=1001", "no_such=1", "years=1&years=2"} {
		f.Must(t, http.StatusBadRequest, "GET", "/v1/projects/plan?"+query, nil)
	}
	if allow := f.Must(t, http.StatusBadRequest, "POST", "/v1/projects/plan", fields{}).Header.Get("Allow"); allow != "GET" {
		t.Errorf("Allow: %q", allow)
	}
	nobody := *f.Client
	nobody.Principal.Scopes = []string{"sites:read"}
	nobody.Must(t, http.StatusForbidden, "GET", "/v1/projects/plan", nil)
}

// With any number of projects, the plan takes one round trip to the database and one call for the names of sites.
func TestThePlanOf5000ProjectsAsksOnce(t *testing.T) {
	var requests interface{ Load() int64 }
	var reset func(int64)
	f := newFixtureThrough(t, func(address string) string {
		through, counter := postgrestest.CountRoundTrips(t, address)
		requests, reset = counter, counter.Store
		return through
	})
	f.fill(t, 5000)
	for _, groupBy := range []string{"lifecycle_activity", "source_type", "site"} {
		path := "/v1/projects/plan?from_year=2027&per_page=1000&group_by=" + groupBy
		f.get(t, path) // statements are prepared
		sites := f.peers.Requests("/internal/references/sites")
		reset(0)
		began := time.Now()
		plan := f.get(t, path)
		took := time.Since(began)
		t.Logf("by %s: %v", groupBy, took)
		// Where it takes longer than 0.4 s, the database is also pinged, on a connection of its own.
		if n, alive := requests.Load(), 3*int64(took/(400*time.Millisecond)); n < 1 || n > 1+alive {
			t.Errorf("by %s there are %d round trips to the database", groupBy, n)
		}
		if n := f.peers.Requests("/internal/references/sites") - sites; n > 1 || groupBy != "site" && n > 0 {
			t.Errorf("by %s the assets service is called %d times", groupBy, n)
		}
		// 10 lines of 100 each and confirmed funding of 300 for each project
		resourcetest.Expect(t, plan["total"].(fields),
			fields{"projects": 5000, "cost": 5000000, "funding_confirmed": 1500000, "funding_gap": 3500000})
	}
}

// fill makes projects with ten budget lines and two funding sources each, on 500 sites.
func (f *fixture) fill(t *testing.T, n int) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(context.WithoutCancel(t.Context()))
	record := "organization_id, id, position, created_at, updated_at, created_by, updated_by"
	made := `now(), now(), '{"type":"user","id":"u","name":"Hélène Côté"}', '{"type":"user","id":"u","name":"Hélène Côté"}'`
	for _, statement := range []string{
		`INSERT INTO project (` + record + `, name, status, lifecycle_activity, site_id)
			SELECT $1::uuid, gen_random_uuid(), n, ` + made +
			`, 'Projet ' || n, 'approved', CASE n % 3 WHEN 0 THEN 'renewal' WHEN 1 THEN 'growth' END,
				('00000000-0000-7000-8000-' || lpad((n % 500)::text, 12, '0'))::uuid FROM generate_series(1, $2::int) n`,
		`INSERT INTO project_budget_line (` + record + `, project_id, fiscal_year, category, budget_amount)
			SELECT $1, gen_random_uuid(), p.position * 100 + y, ` + made +
			`, p.id, 2027 + y, 'other', 100 FROM project p, generate_series(0, 9) y WHERE $2 > 0`,
		`INSERT INTO project_funding_source (` + record + `, project_id, source_type, status, amount, fiscal_year)
			SELECT $1, gen_random_uuid(), p.position * 2 + s, ` + made +
			`, p.id, CASE s WHEN 0 THEN 'levy' ELSE 'debt' END, 'confirmed', 150, CASE s WHEN 0 THEN 2030 END
			FROM project p, generate_series(0, 1) s WHERE $2 > 0`,
		`ANALYZE`,
	} {
		args := []any{f.Principal.OrganizationID, n}
		if statement == "ANALYZE" {
			args = nil
		}
		if _, err := db.Exec(t.Context(), statement, args...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}
