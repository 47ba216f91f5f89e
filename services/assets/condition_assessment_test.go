package assets

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
)

// Documents are on assessments, and ask for their names.
func TestAnAssessmentWithoutAMethodHasAName(t *testing.T) {
	t.Parallel()
	client := serve(t)
	asset := client.Create(t, "/v1/assets", fields{"name": "Toiture"})["id"]
	id := client.Create(t, fmt.Sprint("/v1/assets/", asset, "/condition-assessments"),
		fields{"assessed_on": "2024-05-01", "condition_rating": 2})["id"]
	answer := client.Must(t, http.StatusOK, "POST", "/internal/references/condition_assessments", fields{"ids": []any{id}})
	if text := string(answer.Body); !strings.Contains(text, "2024-05-01") || !strings.Contains(text, fmt.Sprint(id)) {
		t.Errorf("the assessment is called %s", text)
	}
}

// Who wants the assessments of all assets asks below any of them.
func TestAssessmentsAreListedBelowAllAssets(t *testing.T) {
	t.Parallel()
	client := serve(t)
	for i := range 3 {
		asset := client.Create(t, "/v1/assets", fields{"name": fmt.Sprint("Toiture ", i)})["id"]
		client.Create(t, fmt.Sprint("/v1/assets/", asset, "/condition-assessments"),
			fields{"assessed_on": "2024-05-01", "condition_rating": 2 + i})
	}
	all, pagination := client.List(t, "/v1/assets/-/condition-assessments?condition_rating_min=3")
	if len(all) != 2 || pagination["total"] != 2.0 {
		t.Errorf("%d assessments of all assets, %v", len(all), pagination)
	}
	if csv := client.Must(t, http.StatusOK, "GET", "/v1/assets/-/condition-assessments?fields=condition_rating", nil, "Accept",
		"text/csv"); string(csv.Body) != "condition_rating\n2\n3\n4\n" {
		t.Errorf("as a file: %s", csv.Body)
	}
	if others, _ := client.Other().List(t, "/v1/assets/-/condition-assessments"); len(others) != 0 {
		t.Errorf("another organization has %v", others)
	}
	client.Must(t, http.StatusBadRequest, "POST", "/v1/assets/-/condition-assessments",
		fields{"assessed_on": "2024-05-01", "condition_rating": 2})
}

func TestTheLatestAssessmentDrivesTheAsset(t *testing.T) {
	t.Parallel()
	client := serve(t)
	path := fmt.Sprint("/v1/assets/", client.Create(t, "/v1/assets",
		fields{"name": "Toiture", "replacement_cost": 100, "replacement_cost_year": 2010})["id"])
	asset := func() fields { return client.Must(t, http.StatusOK, "GET", path, nil).JSON }
	assess := func(body fields) any { return client.Create(t, path+"/condition-assessments", body)["id"] }

	first := assess(fields{"assessed_on": "2020-05-01", "condition_rating": 2})
	resourcetest.Expect(t, asset(), fields{"condition_rating": 2, "condition_assessed_on": "2020-05-01", "replacement_cost": 100,
		"replacement_cost_year": 2010, "version": 2})
	latest := assess(fields{"assessed_on": "2024-05-01", "condition_rating": 4, "replacement_cost": 250.5, "deferred_maintenance_cost": 12})
	resourcetest.Expect(t, asset(), fields{"condition_rating": 4, "condition_assessed_on": "2024-05-01", "replacement_cost": 250.5,
		"replacement_cost_year": 2024, "deferred_maintenance_cost": 12})
	assess(fields{"assessed_on": "2022-05-01", "condition_rating": 5, "replacement_cost": 999})
	resourcetest.Expect(t, asset(), fields{"condition_rating": 4, "replacement_cost": 250.5, "version": 3})
	sameDay := assess(fields{"assessed_on": "2024-05-01", "condition_rating": 3})
	resourcetest.Expect(t, asset(), fields{"condition_rating": 3, "replacement_cost": 250.5})

	client.Must(t, http.StatusNoContent, "DELETE", fmt.Sprint(path, "/condition-assessments/", sameDay), nil)
	resourcetest.Expect(t, asset(), fields{"condition_rating": 4, "condition_assessed_on": "2024-05-01"})
	client.Must(t, http.StatusOK, "PATCH", fmt.Sprint(path, "/condition-assessments/", latest), fields{"assessed_on": "2019-01-01"})
	resourcetest.Expect(t, asset(), fields{"condition_rating": 5, "condition_assessed_on": "2022-05-01", "replacement_cost": 999})
	client.Must(t, http.StatusOK, "DELETE", path+"/condition-assessments/bulk", fields{"data": func() (rows []fields) {
		list, _ := client.List(t, path+"/condition-assessments")
		for _, record := range list {
			rows = append(rows, fields{"id": record["id"]})
		}
		return rows
	}()})
	resourcetest.Expect(t, asset(), fields{"condition_rating": nil, "condition_assessed_on": nil, "condition_grade": nil})
	client.Must(t, http.StatusNotFound, "GET", fmt.Sprint(path, "/condition-assessments/", first), nil)

	history, _ := client.List(t, path+"/history?per_page=100")
	if versions := asset()["version"].(float64); float64(len(history)) != versions {
		t.Errorf("%d entries of history for version %v", len(history), versions)
	}
}

func TestSettingTheRatingRecordsAnAssessment(t *testing.T) {
	t.Parallel()
	client := serve(t)
	asset := client.Create(t, "/v1/assets", fields{"name": "Toiture", "condition_rating": 2})
	path := fmt.Sprint("/v1/assets/", asset["id"])
	count := func(want int) []fields {
		t.Helper()
		list, _ := client.List(t, path+"/condition-assessments?sort=-created_at")
		if len(list) != want {
			t.Fatalf("%d assessments, want %d", len(list), want)
		}
		return list
	}
	resourcetest.Expect(t, count(1)[0], fields{"condition_rating": 2, "assessed_on": resource.Today(t.Context()), "method": "reported",
		"assessor": client.Principal.Actor.Name, "asset_id": asset["id"]})
	client.Must(t, http.StatusOK, "PATCH", path, asset)
	client.Must(t, http.StatusOK, "PATCH", path, fields{"name": "Toit"})
	count(1)
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "PATCH", path, fields{"condition_rating": 5}).JSON,
		fields{"condition_rating": 5, "condition_grade": "very_poor"})
	resourcetest.Expect(t, count(2)[0], fields{"condition_rating": 5})
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "PATCH", path, fields{"condition_rating": nil}).JSON,
		fields{"condition_rating": nil, "condition_assessed_on": nil})
	count(3)

	rows := []fields{}
	for i := range 100 {
		rows = append(rows, fields{"name": "Porte", "external_id": fmt.Sprint("p", i), "condition_rating": 1 + i%5})
	}
	made := client.Must(t, http.StatusOK, "POST", "/v1/assets/bulk", fields{"data": rows})
	for i, entry := range made.JSON["data"].([]any) {
		if i%25 == 0 {
			list, _ := client.List(t, fmt.Sprint("/v1/assets/", entry.(fields)["id"], "/condition-assessments"))
			if len(list) != 1 || list[0]["condition_rating"] != float64(1+i%5) {
				t.Errorf("row %d has the assessments %v", i, list)
			}
		}
	}
	client.Must(t, http.StatusNoContent, "DELETE", path, nil)
}

func TestAssessmentRules(t *testing.T) {
	t.Parallel()
	client := serve(t)
	asset := client.Create(t, "/v1/assets", fields{"name": "Pont"})["id"]
	path := fmt.Sprint("/v1/assets/", asset, "/condition-assessments")
	tomorrow := time.Now().UTC().AddDate(0, 0, 1).Format(time.DateOnly)
	for _, c := range []struct {
		name    string
		body    fields
		refused string
		rating  int
	}{
		{"an index implies the rating", fields{"index_type": "bci", "index_value": 60}, "", 3},
		{"a rating that is given goes first", fields{"index_type": "bci", "index_value": 55, "condition_rating": 5}, "", 5},
		{"roughness implies none", fields{"index_type": "iri", "index_value": 2.4}, "condition_rating", 0},
		{"roughness beside a rating", fields{"index_type": "iri", "index_value": 2.4, "condition_rating": 2}, "", 2},
		{"an index off its scale", fields{"index_type": "pacp_5", "index_value": 5.5}, "index_value", 0},
		{"an index without value", fields{"index_type": "pci", "condition_rating": 1}, "index_value", 0},
		{"a value without index", fields{"index_value": 50, "condition_rating": 1}, "index_type", 0},
		{"neither rating nor index", fields{}, "condition_rating", 0},
		{"tomorrow", fields{"assessed_on": tomorrow, "condition_rating": 1}, "assessed_on", 0},
		{"no day", fields{"assessed_on": nil, "condition_rating": 1}, "assessed_on", 0},
		{"an unknown method", fields{"method": "divination", "condition_rating": 1}, "method", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, given := c.body["assessed_on"]; !given {
				c.body["assessed_on"] = resource.Today(t.Context())
			}
			if c.refused == "" {
				resourcetest.Expect(t, client.Create(t, path, c.body), fields{"condition_rating": c.rating, "asset_id": asset})
			} else if response := client.Must(t, http.StatusBadRequest, "POST", path, c.body); !slices.Contains(response.Fields(), c.refused) {
				t.Errorf("refused %v, want %s", response.Fields(), c.refused)
			}
		})
	}
	other := client.Create(t, "/v1/assets", fields{"name": "Autre"})["id"]
	made := client.Create(t, path, fields{"assessed_on": resource.Today(t.Context()), "index_type": "pci", "index_value": 90})
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "PATCH", fmt.Sprint(path, "/", made["id"]), fields{"index_value": 39}).JSON,
		fields{"condition_rating": 5})
	client.Must(t, http.StatusNotFound, "GET", fmt.Sprint("/v1/assets/", other, "/condition-assessments/", made["id"]), nil)
	client.Must(t, http.StatusNotFound, "DELETE", fmt.Sprint("/v1/assets/", other, "/condition-assessments/", made["id"]), nil)
	client.Must(t, http.StatusNotFound, "POST", "/v1/assets/019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e12/condition-assessments",
		fields{"assessed_on": resource.Today(t.Context()), "condition_rating": 1})
	client.Must(t, http.StatusNotFound, "GET", "/v1/assets/019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e12/condition-assessments", nil)
}

// The stored risk score is computed by the migration, by the rule of package indicators.
func TestTheStoredRiskScoreFollowsTheRule(t *testing.T) {
	t.Parallel()
	client, database := serveOn(t)
	for p := range 6 {
		for r := range 6 {
			body := fields{"name": "A", "consequence_of_failure": 4}
			if p > 0 {
				body["probability_of_failure"] = p
			}
			if r > 0 {
				body["condition_rating"] = r
			}
			client.Create(t, "/v1/assets", body)
		}
	}
	db, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	var checked, wrong int
	if err := db.QueryRow(t.Context(), "SELECT count(*), count(*) FILTER (WHERE t.risk_score IS DISTINCT FROM "+
		indicators.RiskScore("t")+") FROM asset t WHERE organization_id = $1",
		client.Principal.OrganizationID).Scan(&checked, &wrong); err != nil {
		t.Fatal(err)
	}
	if checked != 36 || wrong != 0 {
		t.Errorf("%d of %d stored scores differ from the rule", wrong, checked)
	}
}
