package assets

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/resourcetest"
)

func TestAnotherOrganizationIsNotThere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	asset := f.Create(t, "/v1/assets", fields{"name": "Pompe", "system_id": f.system[0], "external_id": "pompe",
		"replacement_cost": 100})["id"]
	assessment := f.Create(t, fmt.Sprint("/v1/assets/", asset, "/condition-assessments"),
		fields{"assessed_on": "2020-01-01", "condition_rating": 2})["id"]
	index := f.Create(t, "/v1/price-indexes", fields{"name": "Construction"})["id"]
	value := f.Create(t, fmt.Sprintf("/v1/price-indexes/%v/values", index), fields{"year": 2026, "value": 168.4})["id"]
	deficiency := f.Create(t, "/v1/deficiencies", fields{"title": "Fuite", "asset_id": asset, "estimated_cost": 9})["id"]
	other := f.Other()
	mine := other.Create(t, "/v1/assets", fields{"name": "À moi"})["id"]

	for _, record := range []string{
		fmt.Sprint("/v1/sites/", f.site[0]), fmt.Sprint("/v1/buildings/", f.building[0]), fmt.Sprint("/v1/systems/", f.system[0]),
		fmt.Sprint("/v1/assets/", asset), fmt.Sprint("/v1/deficiencies/", deficiency),
		fmt.Sprint("/v1/price-indexes/", index), fmt.Sprintf("/v1/price-indexes/%v/values/%v", index, value),
		fmt.Sprintf("/v1/assets/%v/condition-assessments/%v", asset, assessment),
		fmt.Sprintf("/v1/assets/%v/condition-assessments/%v", mine, assessment),
	} {
		other.Must(t, http.StatusNotFound, "GET", record, nil)
		other.Must(t, http.StatusNotFound, "PATCH", record, fields{"external_id": "x"})
		other.Must(t, http.StatusNotFound, "DELETE", record, nil)
		other.Must(t, http.StatusNotFound, "GET", record+"/history", nil)
	}
	for _, path := range []string{
		fmt.Sprintf("/v1/sites/%v/summary", f.site[0]), fmt.Sprintf("/v1/buildings/%v/summary", f.building[0]),
		fmt.Sprintf("/v1/systems/%v/summary", f.system[0]),
		fmt.Sprintf("/v1/assets/%v/condition-assessments", asset),
	} {
		other.Must(t, http.StatusNotFound, "GET", path, nil)
	}
	other.Must(t, http.StatusNotFound, "POST", fmt.Sprintf("/v1/assets/%v/condition-assessments", asset),
		fields{"assessed_on": "2020-01-01", "condition_rating": 1})
	other.Must(t, http.StatusNotFound, "POST", fmt.Sprintf("/v1/assets/%v/condition-assessments/bulk", asset),
		fields{"data": []fields{{"assessed_on": "2020-01-01", "condition_rating": 1}}})

	for field, id := range map[string]any{"site_id": f.site[0], "building_id": f.building[0], "system_id": f.system[0],
		"parent_asset_id": asset} {
		t.Run(field, func(t *testing.T) {
			if refused := other.Must(t, http.StatusNotFound, "POST", "/v1/assets",
				fields{"name": "X", field: id}); !slices.Contains(refused.Fields(), field) {
				t.Errorf("create refused %v", refused.Fields())
			}
			other.Must(t, http.StatusNotFound, "PATCH", fmt.Sprint("/v1/assets/", mine), fields{field: id})
			other.Must(t, http.StatusNotFound, "POST", "/v1/assets/bulk", fields{"data": []fields{{"name": "X", field: id}}})
			if found, _ := other.List(t, fmt.Sprintf("/v1/assets?%s=%v", field, id)); len(found) != 0 {
				t.Errorf("a filter finds %v", found)
			}
		})
	}
	other.Must(t, http.StatusNotFound, "POST", "/v1/assets/bulk", fields{"data": []fields{{"name": "X", "site_external_id": "pompe"}}})
	rows := other.Must(t, http.StatusOK, "PATCH", "/v1/assets/bulk?atomic=false",
		fields{"data": []fields{{"id": asset, "name": "Volé"}, {"external_id": "pompe", "name": "Volé"}}})
	resourcetest.Expect(t, rows.JSON["summary"].(fields), fields{"failed": 2, "updated": 0})
	other.Must(t, http.StatusOK, "POST", "/v1/assets/bulk?on_conflict=update",
		fields{"data": []fields{{"external_id": "pompe", "name": "La mienne"}}})

	other.Must(t, http.StatusNotFound, "POST", "/v1/deficiencies", fields{"title": "X", "asset_id": asset})
	other.Must(t, http.StatusNotFound, "POST", "/v1/deficiencies", fields{"title": "X", "site_id": f.site[0]})
	for _, filter := range []string{fmt.Sprint("asset_id=", asset), fmt.Sprint("site_id=", f.site[0]),
		fmt.Sprint("building_id=", f.building[0])} {
		if found, _ := other.List(t, "/v1/deficiencies?"+filter); len(found) != 0 {
			t.Errorf("%s finds %v", filter, found)
		}
	}
	resourcetest.Expect(t, other.Must(t, http.StatusOK, "GET", "/v1/reports/deficiencies", nil).JSON, fields{"total.count": 0})
	total := other.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-assets?group_by=building", nil).JSON
	resourcetest.Expect(t, resourcetest.At(total, "total").(fields),
		map[string]any{"counts.sites": 0, "counts.assets": 2, "replacement_cost": 0})
	if found, _ := other.List(t, fmt.Sprintf("/v1/assets?ids=%v", asset)); len(found) != 0 {
		t.Errorf("ids finds %v", found)
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/assets/", asset), nil).JSON,
		fields{"name": "Pompe", "external_id": "pompe"})
}

// The service's database role sees nothing without an organization, and one organization only with it.
func TestAForgottenWhereShowsNobodyElse(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	asset := f.Create(t, "/v1/assets", fields{"name": "Pompe", "system_id": f.system[0], "condition_rating": 2})["id"]
	index(t, f.Client, fields{"name": "Construction"}, construction)
	f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/assets/", asset), fields{"replacement_cost": 100}) // it had another cost before
	ctx := context.Background()
	db, err := pgx.Connect(ctx, f.database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(ctx)
	act := func(organization string) {
		t.Helper()
		if _, err := db.Exec(ctx, "SELECT set_config('ams.organization_id', $1, false)", organization); err != nil {
			t.Fatal(err)
		}
	}
	act(f.Principal.OrganizationID)
	if _, err := db.Exec(ctx, keptMonth, f.Principal.OrganizationID); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"site", "building", "system", "asset", "condition_assessment", "price_index", "price_index_value",
		"former_own_cost", "figures_month", "history", "outbox", "ledger", "counter"} {
		for organization, want := range map[string]bool{"": false, f.Other().Principal.OrganizationID: false, f.Principal.OrganizationID: true} {
			act(organization)
			var count int
			if err := db.QueryRow(ctx, "SELECT count(*) FROM "+table).Scan(&count); err != nil {
				t.Fatalf("%s: %v", table, err)
			}
			if (count > 0) != want {
				t.Errorf("%s shows %d rows to organization %q", table, count, organization)
			}
		}
	}
	act(f.Other().Principal.OrganizationID)
	for _, statement := range []string{"UPDATE asset SET name = 'volé'", "DELETE FROM asset",
		"UPDATE former_own_cost SET own_replacement_cost = 1", "DELETE FROM former_own_cost"} {
		if done, err := db.Exec(ctx, statement); err != nil || done.RowsAffected() != 0 {
			t.Errorf("%s: %v %v", statement, done, err)
		}
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/assets/", asset), nil).JSON, fields{"name": "Pompe"})

	// Months are written once, and for the own organization only.
	for _, refused := range []struct {
		statement string
		args      []any
	}{
		{keptMonth, []any{f.Principal.OrganizationID}}, {"UPDATE figures_month SET need = '{0,0,0,0,0}'", nil},
		{"DELETE FROM figures_month", nil},
	} {
		if _, err := db.Exec(ctx, refused.statement, refused.args...); err == nil {
			t.Errorf("the service's role may %s", refused.statement)
		}
	}
}

// keptMonth keeps a month of the organization $1.
const keptMonth = `INSERT INTO figures_month (organization_id, subject, subject_of, month_end, frozen, counts, replacement_cost,
	deferred_maintenance_cost, need, fci_pct, rated, rated_value, risk_value)
VALUES ($1, 'organization', '', '2026-05-31', true, '{1,1,1,1,0}', 1, 0, '{0,0,0,0,0}', '{0,0,0,0,0}', '{0,0,0,0,0,1}', '{0,0,0,0,0,1}',
	'{0,0,0,0,0,1}')`

func TestSummariesAreReadWithTheScopeOfTheirParent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	paths := map[string]string{
		"sites:read": fmt.Sprintf("/v1/sites/%v/summary", f.site[0]), "buildings:read": fmt.Sprintf("/v1/buildings/%v/summary", f.building[0]),
		"systems:read": fmt.Sprintf("/v1/systems/%v/summary", f.system[0]), "assets:read": "/v1/reports/state-of-assets",
	}
	for scope := range paths {
		reader := *f.Client
		reader.Principal.Scopes = []string{scope}
		for needed, path := range paths {
			status := http.StatusForbidden
			if needed == scope {
				status = http.StatusOK
			}
			reader.Must(t, status, "GET", path, nil)
		}
	}
}
