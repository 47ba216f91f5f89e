package projects

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/resourcetest"
)

// parts makes a project with one of everything, and gives their paths.
func (f *fixture) parts(t *testing.T) (path string, parts []string) {
	path = f.project(t, fields{"budget_amount": 5, "fiscal_year": 2027, "external_id": "projet"})
	for collection, body := range map[string]fields{
		"/phases": {"name": "Conception"}, "/funding-sources": {"source_type": "levy", "amount": 5, "status": "confirmed", "fiscal_year": 2027},
		"/budget-lines": {"fiscal_year": 2027, "category": "design", "budget_amount": 9},
		"/links":        {"target_type": "asset", "target_id": f.asset},
	} {
		parts = append(parts, path+collection+"/"+f.Create(t, path+collection, body)["id"].(string))
	}
	return path, parts
}

func TestAnotherOrganizationIsNotThere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, parts := f.parts(t)
	other := f.Other()
	mine := "/v1/projects/" + other.Create(t, "/v1/projects", fields{"name": "À moi"})["id"].(string)
	for _, part := range parts {
		collection, id := part[:strings.LastIndex(part, "/")], part[strings.LastIndex(part, "/"):]
		for _, record := range []string{part, mine + strings.TrimPrefix(collection, path) + id} {
			other.Must(t, http.StatusNotFound, "GET", record, nil)
			other.Must(t, http.StatusNotFound, "PATCH", record, fields{"external_id": "x"})
			other.Must(t, http.StatusNotFound, "DELETE", record, nil)
			other.Must(t, http.StatusNotFound, "GET", record+"/history", nil)
		}
		other.Must(t, http.StatusNotFound, "GET", collection, nil)
		other.Must(t, http.StatusNotFound, "POST", collection, fields{"name": "x"})
		other.Must(t, http.StatusNotFound, "POST", collection+"/bulk", fields{"data": []fields{{"name": "x"}}})
		// Nor is another project's part there under a project of one's own.
		f.Must(t, http.StatusNotFound, "GET", f.project(t, fields{})+strings.TrimPrefix(collection, path)+id, nil)
	}
	other.Must(t, http.StatusNotFound, "GET", path, nil)
	other.Must(t, http.StatusNotFound, "PATCH", path, fields{"name": "volé"})
	other.Must(t, http.StatusNotFound, "DELETE", path, nil)
	if found, _ := other.List(t, "/v1/projects?linked_to="+f.asset); len(found) != 0 {
		t.Errorf("linked_to finds %v", found)
	}
	resourcetest.Expect(t, other.Must(t, http.StatusOK, "GET", "/v1/projects/plan?from_year=2027", nil).JSON["total"].(fields),
		fields{"projects": 0, "cost": 0, "funding_confirmed": 0})
	resourcetest.Expect(t, f.get(t, path), fields{"name": "Projet", "budget_amount": 9, "funding_confirmed": 5})
}

// The service's database role sees nothing without an organization, and one organization only with it.
func TestAForgottenWhereShowsNobodyElse(t *testing.T) {
	f := newFixtureAlone(t)
	path, _ := f.parts(t)
	ctx := context.Background()
	db, err := pgx.Connect(ctx, f.database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(ctx)
	for _, table := range []string{"project", "project_phase", "project_funding_source", "project_budget_line", "project_link",
		"history", "outbox", "ledger", "counter"} {
		for organization, want := range map[string]bool{"": false, f.Other().Principal.OrganizationID: false, f.Principal.OrganizationID: true} {
			if _, err := db.Exec(ctx, "SELECT set_config('ams.organization_id', $1, false)", organization); err != nil {
				t.Fatal(err)
			}
			var count int
			if err := db.QueryRow(ctx, "SELECT count(*) FROM "+table).Scan(&count); err != nil {
				t.Fatalf("%s: %v", table, err)
			}
			if (count > 0) != want {
				t.Errorf("%s shows %d rows to organization %q", table, count, organization)
			}
		}
	}
	if _, err := db.Exec(ctx, "SELECT set_config('ams.organization_id', $1, false)", f.Other().Principal.OrganizationID); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{"UPDATE project SET name = 'volé'", "DELETE FROM project", "DELETE FROM project_link"} {
		if done, err := db.Exec(ctx, statement); err != nil || done.RowsAffected() != 0 {
			t.Errorf("%s: %v %v", statement, done, err)
		}
	}
	resourcetest.Expect(t, f.get(t, path), fields{"name": "Projet"})
}

func TestProjectsNeedTheFeature(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, parts := f.parts(t)
	without := *f.Client
	without.Principal.Features = []string{"api_access", "los", "infrastructure"}
	for _, c := range append(parts, "/v1/projects", path, path+"/phases", path+"/funding-sources", path+"/budget-lines", path+"/links",
		"/v1/projects/plan", path+"/history") {
		resourcetest.Expect(t, without.Must(t, http.StatusForbidden, "GET", c, nil).JSON, fields{"code": "feature_not_in_plan"})
	}
	without.Must(t, http.StatusForbidden, "POST", "/v1/projects", fields{"name": "X"})
	without.Must(t, http.StatusForbidden, "POST", "/v1/projects/bulk", fields{"data": []fields{{"name": "X"}}})
	without.Must(t, http.StatusForbidden, "PATCH", path, fields{"name": "X"})
	without.Must(t, http.StatusForbidden, "DELETE", path, nil)

	// Networks need the feature Infrastructure.
	without.Principal.Features = []string{"api_access", "projects"}
	segment := f.addRecord("segments", "Rue Laviolette", nil)
	for target, body := range map[string]fields{"/v1/projects": {"name": "X", "network_id": f.network},
		path + "/links": {"target_type": "segment", "target_id": segment}} {
		resourcetest.Expect(t, without.Must(t, http.StatusForbidden, "POST", target, body).JSON,
			fields{"code": "feature_not_in_plan", "feature": "Infrastructure"})
	}
	without.Must(t, http.StatusCreated, "POST", path+"/links", fields{"target_type": "work_order", "target_id": f.workOrder})
}
