package workorders

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/resourcetest"
)

func TestWhatACostAmountsTo(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, c := range []struct {
		name    string
		body    fields
		refused string
		amount  any
		sums    fields // of a work order that has this cost only
	}{
		{"labour is hours by the rate", fields{"kind": "labour", "hours": 3.5, "unit_cost": 68.5}, "", 239.75,
			fields{"actual_hours": 3.5, "labour_cost": 239.75, "actual_cost": 239.75}},
		{"labour is rounded to the cent", fields{"kind": "labour", "hours": 0.333, "unit_cost": 70}, "", 23.31, fields{"labour_cost": 23.31}},
		{"hours without a rate", fields{"kind": "labour", "hours": 2}, "", nil, fields{"actual_hours": 2, "labour_cost": 0, "actual_cost": 0}},
		{"no hours worked", fields{"kind": "labour", "hours": 0, "unit_cost": 70}, "", 0, fields{"labour_cost": 0}},
		{"material is quantity by the price", fields{"kind": "material", "quantity": 3, "unit_cost": 12.4}, "", 37.2,
			fields{"material_cost": 37.2, "actual_hours": 0, "labour_cost": 0}},
		{"one where nothing is said", fields{"kind": "material", "unit_cost": 12.4}, "", 12.4, fields{"material_cost": 12.4}},
		{"a contractor is another cost", fields{"kind": "contractor", "unit_cost": 1500}, "", 1500, fields{"other_cost": 1500, "labour_cost": 0}},
		{"a contractor by the hour", fields{"kind": "contractor", "quantity": 4, "unit_cost": 120}, "", 480,
			fields{"other_cost": 480, "actual_hours": 0}},
		{"other", fields{"kind": "other", "quantity": 2, "unit_cost": 0.01}, "", 0.02, fields{"other_cost": 0.02}},
		{"a cost that is not known yet", fields{"kind": "other"}, "", nil, fields{"actual_cost": 0}},
		{"all the money there is", fields{"kind": "other", "unit_cost": 9_999_999_999_999.99}, "", 9_999_999_999_999.99, nil},
		{"twice that", fields{"kind": "other", "quantity": 2, "unit_cost": 9_999_999_999_999.99}, "unit_cost", nil, nil},
		{"labour without hours", fields{"kind": "labour", "unit_cost": 70}, "hours", nil, nil},
		{"labour by the piece", fields{"kind": "labour", "hours": 1, "quantity": 2, "unit_cost": 70}, "quantity", nil, nil},
		{"material by the hour", fields{"kind": "material", "hours": 2, "unit_cost": 70}, "hours", nil, nil},
		{"a negative price", fields{"kind": "other", "unit_cost": -1}, "unit_cost", nil, nil},
		{"a negative quantity", fields{"kind": "other", "quantity": -1}, "quantity", nil, nil},
		{"no kind", fields{"unit_cost": 1}, "kind", nil, nil},
		{"an unknown kind", fields{"kind": "bribe"}, "kind", nil, nil},
		{"four decimals", fields{"kind": "material", "quantity": 41.5, "unit_cost": 1.459}, "", 60.55, fields{"material_cost": 60.55}},
		{"half a cent away from zero", fields{"kind": "other", "quantity": 0.5, "unit_cost": 0.01}, "", 0.01, fields{"other_cost": 0.01}},
		{"more than half by a float, half in truth", fields{"kind": "other", "quantity": 1.005, "unit_cost": 1}, "", 1.01, nil},
		{"five decimals", fields{"kind": "other", "unit_cost": 0.00001}, "unit_cost", nil, nil},
		{"five decimals of a quantity", fields{"kind": "other", "quantity": 0.00001, "unit_cost": 1}, "quantity", nil, nil},
		{"five decimals of hours", fields{"kind": "labour", "hours": 0.00001, "unit_cost": 1}, "hours", nil, nil},
		{"more digits than can be kept", fields{"kind": "other", "unit_cost": json.Number("1234567890123.4567")}, "unit_cost", nil, nil},
		{"a cent more than all the money", fields{"kind": "other", "quantity": 1.0001, "unit_cost": 9_999_000_099_990}, "unit_cost", nil, nil},
		{"an unknown vendor", fields{"kind": "other", "vendor_id": nobody}, "vendor_id", nil, nil},
		{"an unknown user", fields{"kind": "other", "user_id": nobody}, "user_id", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, _ := f.create(t, fields{})
			if c.refused != "" {
				if response := f.Refused(t, "POST", path+"/costs", c.body); !slices.Contains(response.Fields(), c.refused) {
					t.Errorf("refused %v, want %s", response.Fields(), c.refused)
				}
				return
			}
			resourcetest.Expect(t, f.Create(t, path+"/costs", c.body), fields{"amount": c.amount, "currency": "CAD"})
			resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, c.sums)
		})
	}
}

func TestSumsFollowTheirCosts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, record := f.create(t, fields{})
	add := func(body fields) string { return fmt.Sprint(path, "/costs/", f.Create(t, path+"/costs", body)["id"]) }
	sums := func(version int, hours, labour, material, other, actual float64) {
		t.Helper()
		resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON,
			fields{"version": version, "actual_hours": hours, "labour_cost": labour, "material_cost": material, "other_cost": other,
				"actual_cost": actual})
	}
	resourcetest.Expect(t, record, fields{"actual_hours": 0, "actual_cost": 0})
	labour := add(fields{"kind": "labour", "hours": 0.1, "unit_cost": 50})
	add(fields{"kind": "labour", "hours": 0.2, "unit_cost": 50})
	material := add(fields{"kind": "material", "quantity": 2, "unit_cost": 10})
	add(fields{"kind": "contractor", "unit_cost": 100})
	add(fields{"kind": "other", "unit_cost": 1})
	sums(6, 0.3, 15, 20, 101, 136) // 0.1 + 0.2 is 0.3 here
	f.Must(t, http.StatusOK, "PATCH", labour, fields{"hours": 1.1})
	sums(7, 1.3, 65, 20, 101, 186)
	f.Must(t, http.StatusOK, "PATCH", material, fields{"kind": "other"})
	sums(8, 1.3, 65, 0, 121, 186)
	f.Must(t, http.StatusOK, "PATCH", material, fields{"tags": []string{"facture"}}) // changes no sum, and so no work order
	sums(8, 1.3, 65, 0, 121, 186)
	f.Must(t, http.StatusNoContent, "DELETE", material, nil)
	sums(9, 1.3, 65, 0, 101, 166)
	f.Must(t, http.StatusOK, "PATCH", path, fields{"actual_cost": 1, "labour_cost": 2}) // ignored, as read-only fields are
	sums(9, 1.3, 65, 0, 101, 166)

	other, _ := f.create(t, fields{})
	for query, want := range map[string]int{"actual_cost_min=166": 1, "actual_cost_min=166.01": 0, "labour_cost_max=0": 1,
		"actual_hours_min=1": 1} {
		if found, _ := f.List(t, "/v1/work-orders?"+query); len(found) != want {
			t.Errorf("%s finds %d, want %d", query, len(found), want)
		}
	}
	if found, _ := f.List(t, "/v1/work-orders?sort=-actual_cost"); "/v1/work-orders/"+found[1]["id"].(string) != other {
		t.Errorf("sorted by cost the cheap one is not last")
	}
	entries, _ := f.List(t, path+"/history?per_page=100")
	if changes := entries[1]["changes"].(fields); changes["labour_cost"] == nil || changes["actual_cost"] == nil || len(entries) != 9 {
		t.Errorf("%d entries of history, the first cost is kept as %v", len(entries), changes)
	}
}

func TestSumsAreExactUnderConcurrency(t *testing.T) {
	f := newFixtureAlone(t)
	path, _ := f.create(t, fields{})
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for n := range 5 {
				rows := []fields{{"kind": "labour", "hours": 0.1, "unit_cost": 10},
					{"kind": []string{"material", "contractor"}[n%2], "unit_cost": 1 + i}}
				f.Must(t, http.StatusOK, "POST", path+"/costs/bulk", fields{"data": rows})
			}
		})
	}
	group.Wait()
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON,
		fields{"actual_hours": 4, "labour_cost": 40, "material_cost": 108, "other_cost": 72, "actual_cost": 220})
	db, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	var sum float64
	if err := db.QueryRow(t.Context(), "SELECT sum(amount)::float8 FROM work_order_cost").Scan(&sum); err != nil || sum != 220 {
		t.Errorf("the costs are %v %v", sum, err)
	}
}

func TestCostsOfManyWorkOrdersAtOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	rows := []fields{}
	for i := range 300 {
		rows = append(rows, fields{"title": fmt.Sprint(i), "external_id": fmt.Sprint("wo-", i)})
	}
	made := f.Must(t, http.StatusOK, "POST", "/v1/work-orders/bulk", fields{"data": rows}).JSON["data"].([]any)
	for i := 0; i < 300; i += 100 {
		f.Create(t, fmt.Sprint("/v1/work-orders/", made[i].(fields)["id"], "/costs"), fields{"kind": "labour", "hours": 1 + i, "unit_cost": 2})
	}
	list, _ := f.List(t, "/v1/work-orders?per_page=1000&fields=external_id,actual_hours,actual_cost")
	for i, record := range list {
		want := 0
		if i%100 == 0 {
			want = 1 + i
		}
		resourcetest.Expect(t, record, fields{"actual_hours": want, "actual_cost": 2 * want})
	}
}

func TestTasksAreInOrder(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, _ := f.create(t, fields{})
	add := func(body fields) fields { return f.Create(t, path+"/tasks", body) }
	resourcetest.Expect(t, add(fields{"title": "Deux"}), fields{"position": 1, "result": nil})
	moved := add(fields{"title": "Trois"})
	resourcetest.Expect(t, moved, fields{"position": 2})
	resourcetest.Expect(t, add(fields{"title": "Dix", "position": 10}), fields{"position": 10})
	resourcetest.Expect(t, add(fields{"title": "Onze"}), fields{"position": 11})
	f.Must(t, http.StatusOK, "POST", path+"/tasks/bulk", fields{"data": []fields{{"title": "Douze"}, {"title": "Treize"}}})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "PATCH", fmt.Sprint(path, "/tasks/", moved["id"]), fields{"position": nil}).JSON,
		fields{"position": 14})
	list, _ := f.List(t, path+"/tasks?sort=position")
	var titles []string
	for _, task := range list {
		titles = append(titles, task["title"].(string))
	}
	if want := []string{"Deux", "Dix", "Onze", "Douze", "Treize", "Trois"}; !slices.Equal(titles, want) {
		t.Errorf("tasks are %v, want %v", titles, want)
	}
	f.Must(t, http.StatusBadRequest, "POST", path+"/tasks", fields{"title": "Zéro", "position": 0})
	f.Must(t, http.StatusBadRequest, "POST", path+"/tasks", fields{"title": "Autre", "result": "maybe"})
	if found, _ := f.List(t, path+"/tasks?position_min=11&result=null"); len(found) != 4 {
		t.Errorf("%d tasks from position 11", len(found))
	}
	entries, _ := f.List(t, fmt.Sprint(path, "/tasks/", moved["id"], "/history"))
	if change, _ := entries[1]["changes"].(fields)["position"].(fields); change["old"] != 2.0 || change["new"] != 14.0 {
		t.Errorf("history says %v", entries[1]["changes"])
	}
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() { add(fields{"title": "Ensemble"}) })
	}
	group.Wait()
	seen := map[any]bool{}
	list, _ = f.List(t, path+"/tasks?title=Ensemble")
	for _, task := range list {
		seen[task["position"]] = true
	}
	if len(seen) != 10 {
		t.Errorf("10 tasks that were added at once have the places %v", seen)
	}
}
