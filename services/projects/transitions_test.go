package projects

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestTransitions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	moves := map[string][]string{ // from → to; nothing else is allowed
		"proposed": {"approved", "deferred", "cancelled"}, "deferred": {"proposed", "cancelled"},
		"approved":    {"in_progress", "on_hold", "deferred", "cancelled"},
		"in_progress": {"on_hold", "completed", "cancelled"}, "on_hold": {"in_progress", "cancelled"}, "completed": {"closed", "in_progress"},
		"cancelled": {"proposed"}, "closed": nil,
	}
	for from, allowed := range moves {
		for to := range moves {
			t.Run(fmt.Sprintf("%s to %s", from, to), func(t *testing.T) {
				path := f.project(t, fields{"status": from, "budget_amount": 100})
				response := f.Do(t, "PATCH", path, fields{"status": to})
				switch {
				case from == to:
					if response.Status != http.StatusOK || response.JSON["version"] != 1.0 {
						t.Errorf("staying is %d, version %v", response.Status, response.JSON["version"])
					}
				case slices.Contains(allowed, to):
					if response.Status != http.StatusOK || response.JSON["status"] != to {
						t.Errorf("allowed, but %d: %s", response.Status, response.Body)
					}
				default:
					if response.Status != http.StatusConflict || response.JSON["field"] != "status" || response.JSON["value"] != to {
						t.Errorf("not allowed, but %d: %s", response.Status, response.Body)
					}
					if list, _ := response.JSON["allowed"].([]any); len(list) != len(allowed) {
						t.Errorf("allowed is %v, want %v", list, allowed)
					}
				}
			})
		}
	}
}

func TestApprovingNeedsABudget(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	refused := func(method, path string, body fields) {
		t.Helper()
		if response := f.Must(t, http.StatusBadRequest, method, path, body); !slices.Equal(response.Fields(), []string{"budget_amount"}) {
			t.Errorf("%s %v: refused %v", method, body, response.Fields())
		}
	}
	path := f.project(t, fields{"estimate_amount": 500})
	refused("PATCH", path, fields{"status": "approved"})
	refused("PATCH", path, fields{"status": "approved", "budget_amount": 0})
	refused("POST", "/v1/projects", fields{"name": "X", "status": "approved"})
	resourcetest.Expect(t, f.get(t, path), fields{"status": "proposed", "version": 1})

	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "approved", "budget_amount": 0.01})
	refused("PATCH", path, fields{"budget_amount": nil})
	refused("PATCH", path, fields{"budget_amount": 0})
	f.Must(t, http.StatusOK, "PATCH", path, fields{"name": "Autre nom"})

	rows := f.Must(t, http.StatusOK, "POST", "/v1/projects/bulk?atomic=false", fields{"data": []fields{
		{"name": "A", "status": "approved"}, {"name": "B", "status": "approved", "budget_amount": 1}, {"name": "C", "status": "in_progress"},
	}})
	resourcetest.Expect(t, rows.JSON["summary"].(fields), fields{"created": 2, "failed": 1})

	budgeted := f.project(t, fields{"budget_amount": 900}) // its lines say it, not the caller
	line := f.Create(t, budgeted+"/budget-lines", fields{"fiscal_year": 2027, "category": "design"})["id"].(string)
	refused("PATCH", budgeted, fields{"status": "approved", "budget_amount": 900})
	f.Must(t, http.StatusOK, "PATCH", budgeted+"/budget-lines/"+line, fields{"budget_amount": 50})
	f.Must(t, http.StatusOK, "PATCH", budgeted, fields{"status": "approved"})
}

func TestClosingWaitsForThePhases(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := f.project(t, fields{"status": "completed"})
	for _, status := range []string{"planned", "in_progress", "completed", "cancelled"} {
		f.Create(t, path+"/phases", fields{"name": status, "status": status})
	}
	refused := func() map[string]any {
		t.Helper()
		response := f.Must(t, http.StatusConflict, "PATCH", path, fields{"status": "closed"}).JSON
		resourcetest.Expect(t, response, fields{"field": "status", "value": "closed", "code": "phases_open"})
		return response["dependents"].(fields)
	}
	resourcetest.Expect(t, refused(), fields{"project_phases": 2})
	open, _ := f.List(t, path+"/phases?status=planned,in_progress")
	f.Must(t, http.StatusOK, "PATCH", fmt.Sprint(path, "/phases/", open[0]["id"]), fields{"status": "cancelled"})
	resourcetest.Expect(t, refused(), fields{"project_phases": 1})
	f.Must(t, http.StatusNoContent, "DELETE", fmt.Sprint(path, "/phases/", open[1]["id"]), nil)
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "closed"})

	// What could not have been closed cannot be made afterwards.
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "POST", path+"/phases", fields{"name": "Nouvelle"}).JSON,
		fields{"code": "project_closed", "field": "status", "value": "planned"})
	f.Must(t, http.StatusConflict, "PATCH", fmt.Sprint(path, "/phases/", open[0]["id"]), fields{"status": "in_progress"})
	f.Create(t, path+"/phases", fields{"name": "Bilan", "status": "completed"})
	f.Must(t, http.StatusOK, "PATCH", fmt.Sprint(path, "/phases/", open[0]["id"]), fields{"notes": "Reportée"})
}

// A phase that is opened while its project is being closed is either seen by the closing, or refused.
func TestClosingAndOpeningAtOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for range 20 {
		path := f.project(t, fields{"status": "completed"})
		done := make(chan int)
		go func() { done <- f.Do(t, "PATCH", path, fields{"status": "closed"}).Status }()
		opened := f.Do(t, "POST", path+"/phases", fields{"name": "Dernière"}).Status
		closed := <-done
		if (opened == http.StatusCreated) == (closed == http.StatusOK) {
			t.Fatalf("opening answered %d, closing %d", opened, closed)
		}
	}
}
