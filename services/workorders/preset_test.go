package workorders

import (
	"net/http"
	"strings"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestPresetsMakeDraftPlans(t *testing.T) {
	p := newPlans(t)
	p.peers.Respond("/internal/forms/templates", fields{"id": template, "status": "published", "created": true})
	list := p.Must(t, http.StatusOK, "GET", "/v1/maintenance/presets", nil).JSON["data"].([]any)
	for _, row := range list {
		preset := row.(fields)
		if preset["section"] == "" || preset["checked_on"] == "" || preset["verified"] == true && preset["read_in"] == "" {
			t.Errorf("%v does not say what it goes by: %v", preset["code"], preset)
		}
		made := p.Must(t, http.StatusCreated, "POST", "/v1/maintenance/presets/"+preset["code"].(string)+"/apply",
			fields{"starts_on": "2027-01-01", "targets": []fields{{"target_type": "asset", "target_id": assetIDs[0]}}}).JSON
		if len(made["pm_plan_ids"].([]any)) != len(preset["plans"].([]any)) || preset["instrument"] == "" ||
			!strings.Contains(preset["notice"].(string), "Not legal advice") {
			t.Errorf("%v: made %v", preset["code"], made)
		}
		for _, id := range made["pm_plan_ids"].([]any) {
			path := "/v1/maintenance/pm-plans/" + id.(string)
			resourcetest.Expect(t, p.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"status": "draft", "starts_on": "2027-01-01"})
			p.Must(t, http.StatusOK, "PATCH", path, fields{"status": "active"})
		}
	}
	if len(list) < 15 {
		t.Errorf("only %d presets", len(list))
	}
	bridge := p.Must(t, http.StatusCreated, "POST", "/v1/maintenance/presets/bridge-inspection/apply", fields{"starts_on": "2026-01-01"}).JSON
	resourcetest.Expect(t, bridge, fields{"form_template_id": template})
	resourcetest.Expect(t, p.Must(t, http.StatusOK, "GET", "/v1/maintenance/pm-plans/"+bridge["pm_plan_ids"].([]any)[0].(string), nil).JSON,
		fields{"window": fields{"calendar": "year"}, "trigger": fields{"rrule": "FREQ=YEARLY;INTERVAL=2;BYMONTH=12;BYMONTHDAY=31"},
			"obligation": "O. Reg. 104/97, s. 2 (3), (3.1)"})
	// class 6 has none
	p.Must(t, http.StatusNotFound, "POST", "/v1/maintenance/presets/road-patrol-6/apply", fields{"starts_on": "2027-01-01"})
	p.Must(t, http.StatusNotFound, "POST", "/v1/maintenance/presets/sprinklers/apply", fields{"starts_on": "2027-01-01",
		"targets": []fields{{"target_type": "asset", "target_id": nobody}}})
}
