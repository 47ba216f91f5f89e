package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"ams.internal/deploy/cmd/amsctl/mapping"
)

// Readings of many meters go in one call, in the order of the file: each names its meter.
func TestReadingsOfManyMetersGoInOneCall(t *testing.T) {
	var calls, rows []string
	mux := http.NewServeMux()
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(describedBy(t, "meters")) })
	mux.HandleFunc("GET /v1/me", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"organization":{"id":"org-1"}}`) })
	mux.HandleFunc("POST /v1/", func(w http.ResponseWriter, r *http.Request) {
		calls = append(calls, r.URL.Path)
		var body struct {
			Data []json.RawMessage `json:"data"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		var results []string
		for i, row := range body.Data {
			rows = append(rows, string(row))
			results = append(results, fmt.Sprintf(`{"index":%d,"status":"created"}`, i))
		}
		fmt.Fprintf(w, `{"results":[%s]}`, strings.Join(results, ","))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	t.Setenv("AMS_BASE_URL", s.URL)
	t.Setenv("AMS_API_KEY", "ams_live_secret")
	readings := file(t, "readings.csv", "meter_external_id,read_at,value,unit\n"+
		"PLC-1,2026-11-21T14:00:00Z,100,mi\nPLC-2,2026-11-21T14:00:00Z,7.5,\nPLC-1,2026-11-22T14:00:00Z,120,mi\n")
	if code, out, errOut := amsctl(t.Context(), "import", "--collection", "meters/readings", "--file", readings); code != 0 {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
	want := []string{`{"meter_external_id":"PLC-1","read_at":"2026-11-21T14:00:00Z","unit":"mi","value":100}`,
		`{"meter_external_id":"PLC-2","read_at":"2026-11-21T14:00:00Z","value":7.5}`,
		`{"meter_external_id":"PLC-1","read_at":"2026-11-22T14:00:00Z","unit":"mi","value":120}`}
	if !slices.Equal(calls, []string{"/v1/meters/readings/bulk"}) || !slices.Equal(rows, want) {
		t.Errorf("%v\n%s", calls, strings.Join(rows, "\n"))
	}
}

// What came with maintenance can be imported under these names, with these fields.
func TestTheCollectionsOfMaintenanceCanBeImported(t *testing.T) {
	for _, c := range []struct{ service, collection, fields string }{
		{"assets", "deficiencies", "title asset_id estimated_cost category action_year found_on"},
		{"infrastructure", "infrastructure/deficiencies", "title segment_id estimated_cost"},
		{"users", "teams", "name code user_ids lead_user_id"},
		{"workorders", "vendors", "name code trades insurance_expires_on"},
		{"workorders", "work-orders/targets", "target_type target_id share work_order_id"},
		{"workorders", "maintenance/job-plans", "name tasks materials estimated_hours"},
		{"workorders", "maintenance/pm-plans", "name job_plan_id targets trigger starts_on"},
		{"workorders", "maintenance/calendars", "name time_zone week holidays"},
		{"workorders", "maintenance/sla-policies", "priority type complete_minutes"},
		{"requests", "requests", "title number service_code requester_email"},
		{"requests", "request-services", "service_code name name_fr"},
		{"requests", "request-links", "name notice notice_fr"},
		{"meters", "meters", "name kind unit asset_id"},
		{"meters", "meters/readings", "meter_id read_at value"},
		{"forms", "forms/templates", "name items"},
		{"forms", "forms/responses", "template_id answers"},
	} {
		found, err := mapping.FindCollection(describedBy(t, c.service), c.collection)
		if err != nil {
			t.Errorf("%s: %v", c.collection, err)
			continue
		}
		for field := range strings.FieldsSeq(c.fields) {
			if f, known := found.Fields[field]; !known || f.ReadOnly {
				t.Errorf("%s has no field %s", c.collection, field)
			}
		}
	}
}
