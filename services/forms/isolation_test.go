package forms

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/resourcetest"
)

func TestAnotherOrganizationIsNotThere(t *testing.T) {
	f := newFixture(t)
	template := newTemplate(t, f.Client, "Pompes", pumpForm)
	response := begin(t, f.Client, template, fields{"runs": "fail", "photo": []string{"a.jpg"}})
	submit(t, f.Client, response, nil)
	effects := f.Must(t, http.StatusOK, "GET", responsesURL+"/"+response+"/effects", nil).JSON["data"].([]any)
	effect := fmt.Sprint(effects[0].(fields)["id"])
	other := f.Other()
	for _, path := range []string{templatesURL + "/" + template, responsesURL + "/" + response} {
		other.Must(t, http.StatusNotFound, "GET", path, nil)
		other.Must(t, http.StatusNotFound, "PATCH", path, fields{"external_id": "x"})
		other.Must(t, http.StatusNotFound, "DELETE", path, nil)
	}
	other.Must(t, http.StatusNotFound, "POST", templatesURL+"/"+template+"/revise", nil)
	other.Must(t, http.StatusNotFound, "POST", responsesURL+"/"+response+"/submit", fields{})
	other.Must(t, http.StatusNotFound, "POST", responsesURL+"/"+response+"/amend", fields{"reason": "x"})
	other.Must(t, http.StatusNotFound, "GET", responsesURL+"/"+response+"/effects", nil)
	for _, action := range []string{"retry", "withdraw"} {
		other.Must(t, http.StatusNotFound, "POST", responsesURL+"/"+response+"/effects/"+effect+"/"+action, nil)
	}
	refused := other.Must(t, http.StatusNotFound, "POST", responsesURL, fields{"template_id": template, "asset_id": pump})
	if fmt.Sprint(refused.Fields()) != "[template_id]" {
		t.Errorf("another organization's template: %s", refused.Body)
	}
	newTemplate(t, other, "Pompes", pumpForm) // a name is unique in an organization

	db, err := pgx.Connect(t.Context(), f.database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close(context.WithoutCancel(t.Context())) }()
	nobody := f.Other()
	for _, table := range []string{"form_template", "form_response", "form_effect", "effect_instruction", "history", "outbox", "ledger"} {
		for organization, want := range map[string]bool{"": false, nobody.Principal.OrganizationID: false, f.Principal.OrganizationID: true} {
			if _, err := db.Exec(t.Context(), "SELECT set_config('ams.organization_id', $1, false)", organization); err != nil {
				t.Fatal(err)
			}
			var count int
			if err := db.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&count); err != nil {
				t.Fatalf("%s: %v", table, err)
			}
			if (count > 0) != want {
				t.Errorf("%s shows %d rows to organization %q", table, count, organization)
			}
		}
	}
}

// Every path and method of the service names the feature that the plan lacks, and needs the scope.
func TestWithoutTheFeatureNothingIsThere(t *testing.T) {
	f := newFixture(t)
	template := newTemplate(t, f.Client, "Pompes", pumpForm)
	response := begin(t, f.Client, template, nil)
	without, reader := *f.Client, *f.Client
	without.Principal.Features = []string{"api_access", "los", "infrastructure", "projects"}
	reader.Principal.Scopes = []string{"forms:read"}
	one, filled := templatesURL+"/"+template, responsesURL+"/"+response
	for _, request := range [][2]string{
		{"GET", templatesURL}, {"POST", templatesURL}, {"GET", one}, {"PATCH", one}, {"DELETE", one}, {"POST", one + "/revise"},
		{"GET", responsesURL}, {"POST", responsesURL}, {"GET", filled}, {"PATCH", filled}, {"DELETE", filled}, {"POST", filled + "/submit"},
		{"POST", filled + "/amend"}, {"GET", filled + "/effects"}, {"POST", filled + "/effects/" + nobodys + "/retry"},
		{"POST", filled + "/effects/" + nobodys + "/withdraw"},
	} {
		var body any
		if request[0] != "GET" {
			body = fields{}
			refused := reader.Must(t, http.StatusForbidden, request[0], request[1], body)
			if refused.JSON["required_scope"] != "forms:write" {
				t.Errorf("%v with a key that may read: %s", request, refused.Body)
			}
		}
		refused := without.Must(t, http.StatusForbidden, request[0], request[1], body)
		if refused.JSON["code"] != "feature_not_in_plan" {
			t.Errorf("%v is refused with %s", request, refused.Body)
		}
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", filled, nil).JSON, fields{"version": 1, "status": "in_progress"})
}
