package projects

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"

	"ams.internal/libs/calendar"
	"ams.internal/libs/resource/resourcetest"
)

func TestFinishedProjectsCostWhatWasSpent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		body fields
		want row // of the year and of all years
	}{
		{"completed with actuals", fields{"status": "completed", "budget_amount": 1_000_000, "actual_amount": 400_000},
			row{1, 400_000, 0, 0, 400_000, 0, 0}},
		{"completed, a part is committed", fields{"status": "completed", "budget_amount": 1_000_000, "actual_amount": 400_000,
			"committed_amount": 50_000.5}, row{1, 450_000.5, 0, 0, 450_000.5, 0, 0}},
		{"completed without actuals", fields{"status": "completed", "budget_amount": 1_000_000, "actual_amount": 0},
			row{1, 1_000_000, 0, 0, 1_000_000, 0, 1}},
		{"completed without a budget", fields{"status": "completed", "estimate_amount": 70}, row{1, 70, 0, 0, 70, 0, 1}},
		{"closed", fields{"status": "closed", "budget_amount": 1_000_000, "actual_amount": 400_000, "committed_amount": 50_000},
			row{1, 400_000, 0, 0, 400_000, 0, 0}},
		{"closed with commitments alone", fields{"status": "closed", "budget_amount": 1_000_000, "committed_amount": 50_000},
			row{1, 1_000_000, 0, 0, 1_000_000, 0, 1}},
		{"in progress", fields{"status": "in_progress", "budget_amount": 1_000_000, "actual_amount": 1_400_000},
			row{1, 1_000_000, 0, 0, 1_000_000, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			c.body["fiscal_year"] = 2027
			path := f.project(t, c.body)
			for _, groupBy := range []string{"lifecycle_activity", "source_type", "site", "status"} {
				total := f.get(t, "/v1/projects/plan?from_year=2027&years=1&group_by="+groupBy)["total"].(fields)
				flow{c.want, []row{c.want}, row{}}.check(t, "by "+groupBy, total)
			}
			resourcetest.Expect(t, f.get(t, path), fields{"funding_gap": c.want.gap, "funding_surplus": 0})
		})
	}
}

func TestBudgetLinesOfFinishedProjectsCostWhatWasSpentInTheirYear(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := f.project(t, fields{})
	f.Create(t, path+"/budget-lines", fields{"fiscal_year": 2027, "category": "design", "budget_amount": 100, "actual_amount": 90})
	f.Create(t, path+"/budget-lines", fields{"fiscal_year": 2028, "category": "construction", "budget_amount": 900, "actual_amount": 200,
		"committed_amount": 310})
	f.Create(t, path+"/budget-lines", fields{"fiscal_year": 2029, "category": "construction", "budget_amount": 50})
	f.Create(t, path+"/funding-sources", fields{"source_type": "levy", "status": "confirmed", "amount": 60}) // 9 and 51 of 90 and 510
	for _, c := range []struct {
		moves []string
		want  flow
	}{
		{nil, flow{row{1, 1050, 60, 0, 990, 0, 0},
			[]row{{1, 100, 5.71, 0, 94.29, 0, 0}, {1, 900, 51.43, 0, 848.57, 0, 0}, {1, 50, 2.86, 0, 47.14, 0, 0}}, row{}}},
		{[]string{"approved", "in_progress", "completed"},
			flow{row{1, 600, 60, 0, 540, 0, 0}, []row{{1, 90, 9, 0, 81, 0, 0}, {1, 510, 51, 0, 459, 0, 0}, {}}, row{}}},
		{[]string{"closed"},
			flow{row{1, 290, 60, 0, 230, 0, 0}, []row{{1, 90, 18.62, 0, 71.38, 0, 0}, {1, 200, 41.38, 0, 158.62, 0, 0}, {}}, row{}}},
	} {
		for _, status := range c.moves {
			f.Must(t, http.StatusOK, "PATCH", path, fields{"status": status})
		}
		c.want.check(t, fmt.Sprint(c.moves), f.get(t, "/v1/projects/plan?from_year=2027&years=3")["total"].(fields))
	}
}

func TestMoneyOfOneProjectDoesNotCloseTheGapOfAnother(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a := f.project(t, fields{"budget_amount": 100_000, "fiscal_year": 2027})
	f.project(t, fields{"budget_amount": 100_000, "fiscal_year": 2027})
	f.Create(t, a+"/funding-sources", fields{"source_type": "levy", "status": "confirmed", "amount": 180_000})
	want := row{2, 200_000, 180_000, 0, 100_000, 80_000, 0}
	plan := f.get(t, "/v1/projects/plan?from_year=2027&years=1&group_by=source_type")
	flow{want, []row{want}, row{}}.check(t, "total", plan["total"].(fields))
	for i, group := range []row{{1, 100_000, 180_000, 0, 0, 80_000, 0}, {1, 100_000, 0, 0, 100_000, 0, 0}} {
		flow{group, []row{group}, row{}}.check(t, fmt.Sprint("group ", i), plan["data"].([]any)[i].(fields))
	}
}

func TestSourcesTakeOverAtMostTheCostInProportion(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := f.project(t, fields{"budget_amount": 100, "fiscal_year": 2027})
	for kind, amount := range map[string]float64{"levy": 100, "reserve": 50, "debt": 50.01} { // 200.01 for 100
		f.Create(t, path+"/funding-sources", fields{"source_type": kind, "status": "received", "amount": amount, "fiscal_year": 2027})
	}
	plan := f.get(t, "/v1/projects/plan?from_year=2027&years=1&group_by=source_type")
	got := map[any]row{}
	for _, entry := range plan["data"].([]any) {
		g := entry.(fields)
		got[g["key"]] = row{cost: g["cost"].(float64), confirmed: g["funding_confirmed"].(float64), surplus: g["funding_surplus"].(float64)}
	}
	for kind, want := range map[any]row{"debt": {cost: 25, confirmed: 50.01, surplus: 25.01}, "levy": {cost: 50, confirmed: 100, surplus: 50},
		"reserve": {cost: 25, confirmed: 50, surplus: 25}, nil: {}} {
		if got[kind] != want {
			t.Errorf("%v has %+v, want %+v", kind, got[kind], want)
		}
	}
}

func TestMoneyLeftOfOneYearPaysForAnother(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := f.project(t, fields{})
	for year, cost := range map[int]float64{2027: 100, 2028: 40} {
		f.Create(t, path+"/budget-lines", fields{"fiscal_year": year, "category": "other", "budget_amount": cost})
	}
	f.Create(t, path+"/funding-sources", fields{"source_type": "levy", "status": "confirmed", "amount": 120, "fiscal_year": 2029})
	plan := f.get(t, "/v1/projects/plan?from_year=2027&years=3&group_by=source_type")
	flow{row{1, 140, 120, 0, 20, 0, 0}, []row{{1, 100, 0, 0, 100, 0, 0}, {1, 40, 0, 0, 40, 0, 0}, {1, 0, 120, 0, 0, 120, 0}}, row{}}.
		check(t, "total", plan["total"].(fields))
	flow{row{1, 120, 120, 0, 0, 0, 0}, []row{{1, 100, 0, 0, 100, 0, 0}, {1, 20, 0, 0, 20, 0, 0}, {1, 0, 120, 0, 0, 120, 0}}, row{}}.
		check(t, "levy", plan["data"].([]any)[0].(fields))
	flow{row{1, 20, 0, 0, 20, 0, 0}, []row{{}, {1, 20, 0, 0, 20, 0, 0}, {}}, row{}}.check(t, "nobody", plan["data"].([]any)[1].(fields))
}

// 100.01 over costs of 33,333.33 and 66,666.67.
func TestFundingOfTwoYearsIsSpreadToTheCent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := f.project(t, fields{})
	for year, cost := range map[int]float64{2027: 33_333.33, 2028: 66_666.67} {
		f.Create(t, path+"/budget-lines", fields{"fiscal_year": year, "category": "other", "budget_amount": cost})
	}
	f.Create(t, path+"/funding-sources", fields{"source_type": "levy", "status": "confirmed", "amount": 100.01})
	years := f.get(t, "/v1/projects/plan?from_year=2027&years=2")["total"].(fields)["years"].([]any)
	resourcetest.Expect(t, years[0].(fields), fields{"funding_confirmed": 33.34})
	resourcetest.Expect(t, years[1].(fields), fields{"funding_confirmed": 66.67})
}

func TestThePlanBeginsWithTheOrganizationsFiscalYear(t *testing.T) {
	t.Parallel()
	board := calendar.Calendar{FiscalYearEndMonth: 8}
	if from := (PlanRequest{}).from(board, "2027-03-15"); from != 2026 {
		t.Errorf("on 2027-03-15 the plan of a board begins in %d", from)
	}
	year := 2031
	if from := (PlanRequest{FromYear: &year}).from(board, "2027-03-15"); from != 2031 {
		t.Errorf("the plan from 2031 begins in %d", from)
	}
	f := newFixture(t)
	for end := 1; end <= 12; end++ {
		client := *f.Client
		client.Principal.FiscalYearEnd = end
		days := client.Principal.Calendar()
		plan := client.Must(t, http.StatusOK, "GET", "/v1/projects/plan?years=1", nil).JSON
		resourcetest.Expect(t, plan, fields{"from_year": days.FiscalYear(days.Today())})
	}
	client := *f.Client
	client.Principal.FiscalYearEnd = 8
	plan := client.Must(t, http.StatusOK, "GET", "/v1/projects/plan?from_year=2026&years=2", nil).JSON
	years := plan["total"].(fields)["years"].([]any)
	resourcetest.Expect(t, years[0].(fields), fields{"year": 2026, "fiscal_year_label": "2026-27", "period_start": "2026-09-01",
		"period_end": "2027-08-31"})
	resourcetest.Expect(t, years[1].(fields), fields{"year": 2027, "fiscal_year_label": "2027-28", "period_start": "2027-09-01",
		"period_end": "2028-08-31"})
	calendarYear := f.get(t, "/v1/projects/plan?from_year=2026&years=1")["total"].(fields)["years"].([]any)[0].(fields)
	resourcetest.Expect(t, calendarYear, fields{"fiscal_year_label": "2026", "period_start": "2026-01-01", "period_end": "2026-12-31"})
}

func TestThePlanOfSomeStates(t *testing.T) {
	t.Parallel()
	f := plannedFixture(t)
	for query, cost := range map[string]float64{"approved": 1000, "proposed": 400, "approved,proposed": 1400, "completed": 70, "closed": 0,
		"on_hold,completed": 70} {
		plan := f.get(t, "/v1/projects/plan?from_year=2027&years=3&group_by=status&status="+query)
		resourcetest.Expect(t, plan["total"].(fields), fields{"cost": cost})
	}
}

// Every figure of the groups adds up to the total, in each year and over all of them; those of the years add up to the sum, but for
// gap and surplus, which are of each project.
func TestGroupsOfThePlanAddUpToTheCent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	random := rand.New(rand.NewPCG(1, 2))
	cents := func(most int) float64 { return float64(random.IntN(most*100)) / 100 }
	kinds := []string{"levy", "debt", "ccbf", "reserve"}
	for n := range 25 {
		status := plannedStatuses[n%len(plannedStatuses)]
		path := f.project(t, fields{"lifecycle_activity": []any{"renewal", "growth", nil}[n%3], "budget_amount": 1 + cents(500),
			"fiscal_year": []any{2027, 2029, nil}[random.IntN(3)], "status": status})
		if n%4 > 0 {
			for year := range 4 {
				f.Create(t, path+"/budget-lines", fields{"fiscal_year": 2026 + year, "category": "other", "budget_amount": 1 + cents(300),
					"actual_amount": cents(200), "committed_amount": cents(50)})
			}
		}
		for range random.IntN(6) {
			f.Create(t, path+"/funding-sources", fields{"source_type": kinds[random.IntN(len(kinds))], "amount": cents(400),
				"status": []string{"confirmed", "received", "requested"}[random.IntN(3)], "fiscal_year": []any{2027, 2028, 2029, nil}[random.IntN(4)]})
		}
	}
	amounts := []string{"cost", "funding_confirmed", "funding_requested", "funding_gap", "funding_surplus"}
	exact := func(cell fields, name string) int { return int(cell[name].(float64)*100 + 0.5) }
	cells := func(flow fields) []fields {
		all := []fields{flow, flow["unscheduled"].(fields)}
		for _, year := range flow["years"].([]any) {
			all = append(all, year.(fields))
		}
		return all
	}
	var before []fields
	for _, groupBy := range []string{"lifecycle_activity", "status", "site", "source_type"} {
		plan := f.get(t, "/v1/projects/plan?from_year=2027&years=3&per_page=1000&group_by="+groupBy)
		total := cells(plan["total"].(fields))
		sums := make([]map[string]int, len(total))
		flows := append([]any{plan["total"]}, plan["data"].([]any)...)
		for _, flow := range flows {
			of := cells(flow.(fields))
			for i, cell := range of {
				if exact(cell, "cost")-exact(cell, "funding_confirmed") != exact(cell, "funding_gap")-exact(cell, "funding_surplus") {
					t.Errorf("by %s, %v: cost less confirmed is not gap less surplus in %v", groupBy, flow.(fields)["key"], cell)
				}
				if sums[i] == nil {
					sums[i] = map[string]int{}
				}
				for _, name := range amounts {
					if cell[name].(float64) < 0 {
						t.Errorf("by %s, %v: %s is %v", groupBy, flow.(fields)["key"], name, cell[name])
					}
					sums[i][name] += exact(cell, name)
				}
			}
			for _, name := range amounts[:3] {
				sum := 0
				for _, year := range of[2:] {
					sum += exact(year, name)
				}
				if sum != exact(of[0], name) {
					t.Errorf("by %s, %v: the years have %s %d, their sum %d", groupBy, flow.(fields)["key"], name, sum, exact(of[0], name))
				}
			}
		}
		for i, cell := range total {
			for _, name := range amounts {
				if sums[i][name] != 2*exact(cell, name) { // the total itself and its groups
					t.Errorf("by %s, cell %d: %s of the groups is %d, of the total %d", groupBy, i, name, sums[i][name]-exact(cell, name),
						exact(cell, name))
				}
			}
			if before != nil && fmt.Sprint(before[i]) != fmt.Sprint(cell) {
				t.Errorf("by %s, cell %d of the total is %v, before %v", groupBy, i, cell, before[i])
			}
		}
		before = total
	}
}
