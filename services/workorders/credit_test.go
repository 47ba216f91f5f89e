package workorders

import (
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestWhatIsGivenBackIsAtMostWhatWasSpent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, _ := f.create(t, fields{})
	fuel := fields{"kind": "material", "quantity": 41.5, "unit_cost": 1.459}
	bought := f.Create(t, path+"/costs", fuel)
	resourcetest.Expect(t, bought, fields{"amount": 60.55, "late": false, "is_credit": false})
	f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "completed"})
	f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "closed"})
	refused := func(method, at string, body fields) {
		t.Helper()
		resourcetest.Expect(t, f.Must(t, http.StatusConflict, method, at, body).JSON, fields{"code": "credit_exceeds_cost", "field": "kind"})
	}
	refused("POST", path+"/costs", fields{"kind": "material", "is_credit": true, "unit_cost": 60.56})
	refused("POST", path+"/costs", fields{"kind": "other", "is_credit": true, "unit_cost": 0.01}) // another kind
	credit := f.Create(t, path+"/costs", fields{"kind": "material", "is_credit": true, "unit_cost": 60.55, "invoice_number": "NC-1"})
	resourcetest.Expect(t, credit, fields{"amount": -60.55, "late": true})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON,
		fields{"actual_cost": 0, "material_cost": 0, "late_costs": 1, "status": "closed"})
	refused("POST", path+"/costs", fields{"kind": "material", "is_credit": true, "unit_cost": 0.01})
	for method, body := range map[string]any{"PATCH": fields{"unit_cost": 60}, "DELETE": nil} {
		resourcetest.Expect(t, f.Must(t, http.StatusConflict, method, fmt.Sprint(path, "/costs/", bought["id"]), body).JSON,
			fields{"code": "work_order_closed"})
	}
}

func TestCreditsCountTogetherWithTheCostsOfTheirCall(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, _ := f.create(t, fields{})
	cost := func(credit bool, price float64) fields {
		return fields{"kind": "contractor", "is_credit": credit, "unit_cost": price}
	}
	f.Must(t, http.StatusOK, "POST", path+"/costs/bulk", fields{"data": []fields{cost(true, 40), cost(false, 100), cost(true, 60)}})
	f.Must(t, http.StatusConflict, "POST", path+"/costs/bulk", fields{"data": []fields{cost(false, 10), cost(true, 10.01)}})
	rows := f.Must(t, http.StatusOK, "POST", path+"/costs/bulk?atomic=false",
		fields{"data": []fields{cost(false, 10), cost(true, 10.01)}}).JSON
	if summary := rows["summary"].(fields); summary["created"] != 1.0 || summary["failed"] != 1.0 {
		t.Errorf("row by row: %v", rows)
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"other_cost": 10})
	list, _ := f.List(t, path+"/costs?is_credit=false&sort=-unit_cost")
	large := fmt.Sprint(path, "/costs/", list[0]["id"])
	for method, body := range map[string]any{"DELETE": nil, "PATCH": fields{"is_credit": true}} { // what was given back was of it
		resourcetest.Expect(t, f.Must(t, http.StatusConflict, method, large, body).JSON, fields{"code": "credit_exceeds_cost"})
	}
	f.Must(t, http.StatusConflict, "PATCH", large, fields{"kind": "other"}) // moved to another kind, it leaves the credits behind
	f.Must(t, http.StatusOK, "PATCH", large, fields{"unit_cost": 90})
	f.Must(t, http.StatusConflict, "PATCH", large, fields{"unit_cost": 89.99})

	hours, _ := f.create(t, fields{})
	f.Create(t, hours+"/costs", fields{"kind": "labour", "hours": 3, "unit_cost": 50})
	f.Create(t, hours+"/costs", fields{"kind": "labour", "hours": 1, "unit_cost": 50, "is_credit": true})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", hours, nil).JSON, fields{"actual_hours": 2, "labour_cost": 100})
	// more hours than were worked
	f.Must(t, http.StatusConflict, "POST", hours+"/costs", fields{"kind": "labour", "hours": 3, "is_credit": true})
}

func TestACostThatComesLateIsAnEventOfItsOwn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, record := f.create(t, fields{})
	f.Create(t, path+"/costs", fields{"kind": "other", "unit_cost": 5})
	f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "completed"})
	f.Create(t, path+"/costs", fields{"kind": "other", "unit_cost": 5})
	f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "closed"})
	before := len(f.Events(t, f.database))
	f.Create(t, path+"/costs", fields{"kind": "other"}) // not known yet what it comes to
	f.Must(t, http.StatusOK, "POST", path+"/costs/bulk",
		fields{"data": []fields{{"kind": "other", "unit_cost": 1}, {"kind": "labour", "hours": 1}}})
	got := resourcetest.EventTypes(f.Events(t, f.database)[before:], record["id"])
	want := []string{"work_order.updated", "work_order.cost_after_close", "work_order.updated", "work_order.cost_after_close"}
	if !slices.Equal(got, want) {
		t.Errorf("the events are %v, want %v", got, want)
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"late_costs": 3, "other_cost": 11})
	if late, _ := f.List(t, path+"/costs?late=true"); len(late) != 3 {
		t.Errorf("%d costs are late", len(late))
	}
}

func TestTheCostIsDividedToTheCent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cost   string
		shares []string
		want   []string
	}{
		{"100", []string{"1", "1", "1"}, []string{"33.34", "33.33", "33.33"}},
		{"1000", []string{"120", "80", "55"}, []string{"470.59", "313.72", "215.69"}},
		{"0.01", []string{"1", "1"}, []string{"0.01", "0.00"}},
		{"0.02", []string{"1", "1", "1"}, []string{"0.01", "0.01", "0.00"}},
		{"0", []string{"1", "2"}, []string{"0.00", "0.00"}},
		{"10", []string{"0.000001", "99999999.999999"}, []string{"0.00", "10.00"}},
		{"99999999999999.99", []string{"1", "2"}, []string{"33333333333333.33", "66666666666666.66"}},
		{"0.05", []string{"0.1", "0.2", "0.2"}, []string{"0.01", "0.02", "0.02"}},
		{"5", nil, nil},
	} {
		number := func(text string) *big.Rat {
			r, ok := new(big.Rat).SetString(text)
			if !ok {
				t.Fatalf("%q is no number", text)
			}
			return r
		}
		var shares []*big.Rat
		for _, share := range c.shares {
			shares = append(shares, number(share))
		}
		var got []string
		for _, amount := range allocate(number(c.cost), shares) {
			got = append(got, amount.FloatString(2))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s by %v is %v, want %v", c.cost, c.shares, got, c.want)
		}
	}
}

func TestAllocation(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	allocated := func(path string) (total any, amounts []any) {
		t.Helper()
		response := f.Must(t, http.StatusOK, "GET", path+"/allocation", nil).JSON
		for _, row := range response["data"].([]any) {
			amounts = append(amounts, row.(fields)["amount"])
		}
		return response["actual_cost"], amounts
	}
	by := func(shares ...float64) string {
		ids := []string{assetIDs[0], assetIDs[1], fence}
		targets := []fields{}
		for i, share := range shares {
			targets = append(targets, fields{"target_type": "asset", "target_id": ids[i], "share": share})
		}
		path, _ := f.create(t, fields{"targets": targets})
		return path
	}
	for _, c := range []struct {
		path string
		cost float64
		want []any
	}{
		{by(1, 1, 1), 100, []any{33.34, 33.33, 33.33}},
		{by(120, 80, 55), 1000, []any{470.59, 313.72, 215.69}},
	} {
		f.Create(t, c.path+"/costs", fields{"kind": "contractor", "unit_cost": c.cost})
		if total, got := allocated(c.path); total != c.cost || !slices.Equal(got, c.want) {
			t.Errorf("%v is divided into %v, want %v", total, got, c.want)
		}
	}
	single, _ := f.create(t, fields{"asset_id": assetIDs[0]})
	f.Create(t, single+"/costs", fields{"kind": "other", "unit_cost": 7})
	response := f.Must(t, http.StatusOK, "GET", single+"/allocation", nil).JSON["data"].([]any)
	resourcetest.Expect(t, response[0].(fields), fields{"target_type": "asset", "target_id": assetIDs[0], "share": 1, "amount": 7})
	nowhere, _ := f.create(t, fields{})
	if _, got := allocated(nowhere); got != nil {
		t.Errorf("work on nothing is divided into %v", got)
	}
	f.Must(t, http.StatusNotFound, "GET", "/v1/work-orders/"+nobody+"/allocation", nil)
}
