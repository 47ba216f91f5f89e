package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"ams.internal/deploy/cmd/amsctl/mapping"
)

// describedBy is the golden OpenAPI document of a service: names that it no longer has fail the tests here.
func describedBy(t *testing.T, service string) []byte {
	t.Helper()
	text, err := os.ReadFile("../../../services/" + service + "/testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

const importedIndex = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e01"

func TestPriceIndexesAreImportedWithTheirValues(t *testing.T) {
	sent := map[string][]string{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(describedBy(t, "assets")) })
	mux.HandleFunc("GET /v1/me", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"organization":{"id":"org-1"}}`) })
	mux.HandleFunc("POST /v1/price-indexes/imports", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") })
	mux.HandleFunc("GET /v1/price-indexes", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("external_id") != "building" {
			t.Errorf("indexes are looked up by %s", r.URL)
		}
		fmt.Fprintf(w, `{"data":[{"id":%q,"external_id":"building"}]}`, importedIndex)
	})
	mux.HandleFunc("POST /v1/", func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Data []json.RawMessage `json:"data"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		results := []string{}
		for i, row := range body.Data {
			sent[r.URL.Path] = append(sent[r.URL.Path], string(row))
			results = append(results, fmt.Sprintf(`{"index":%d,"status":"created"}`, i))
		}
		fmt.Fprintf(w, `{"results":[%s]}`, strings.Join(results, ","))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	t.Setenv("AMS_BASE_URL", s.URL)
	t.Setenv("AMS_API_KEY", "ams_live_secret")

	indexes := file(t, "indexes.csv", "external_id,name,source,service_categories,is_default\n"+
		"building,Bâtiments,\"Statistics Canada, table 18-10-0289-01\",facilities;education,yes\n")
	if code, out, errOut := amsctl(t.Context(), "import", "--collection", "price-indexes", "--file", indexes); code != 0 {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
	values := file(t, "values.csv", "INDEX;YEAR;VALUE\nbuilding;1990;52,1\nbuilding;2026;168,4\nbuilding;2027;much\n")
	rules := file(t, "values.yaml", `collection: price-indexes/values
fields:
  price_index_external_id: "{INDEX}"
  external_id: "{INDEX}-{YEAR}"
  year: {column: YEAR}
  value: {column: VALUE, decimal: ","}
`)
	code, out, errOut := amsctl(t.Context(), "import", "--collection", "price-indexes/values", "--file", values, "--mapping", rules,
		"--on-conflict", "update")
	if code != 3 || !strings.Contains(out, "2 records created, 0 updated, 0 unchanged, 1 rejected") {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
	want := map[string][]string{
		"/v1/price-indexes/bulk": {`{"external_id":"building","is_default":true,"name":"Bâtiments",` +
			`"service_categories":["facilities","education"],"source":"Statistics Canada, table 18-10-0289-01"}`},
		"/v1/price-indexes/" + importedIndex + "/values/bulk": {`{"external_id":"building-1990","value":52.1,"year":1990}`,
			`{"external_id":"building-2026","value":168.4,"year":2026}`},
	}
	if fmt.Sprint(sent) != fmt.Sprint(want) {
		t.Errorf("sent\n%v\nwant\n%v", sent, want)
	}
}

// What dates and qualifies conditions and costs is imported by the names that docs/import.md shows.
func TestWhatDatesFiguresIsImportedByName(t *testing.T) {
	document, err := os.ReadFile("../../../docs/import.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ service, collection, fields string }{
		{"assets", "sites", "service_category out_of_use_on"},
		{"assets", "buildings", "service_category out_of_use_on replacement_cost_year"},
		{"assets", "systems", "out_of_use_on"},
		{"assets", "assets", "service_category condition_rating condition_assessed_on condition_method replacement_cost_year " +
			"replacement_cost_as_of deferred_maintenance_as_of out_of_use_on"},
		{"infrastructure", "infrastructure/networks", "service_category"},
		{"infrastructure", "infrastructure/segments", "condition_rating condition_assessed_on condition_method replacement_cost_year " +
			"replacement_cost_as_of deferred_maintenance_as_of out_of_use_on relined_year relined_useful_life_years " +
			"paved clearance_limit_m width_limit_m"},
		{"los", "los/service-areas", "properties_connected condition_approach condition_approach_fr"},
		{"workorders", "work-orders", "connections_affected"},
	} {
		found, err := mapping.FindCollection(describedBy(t, c.service), c.collection)
		if err != nil {
			t.Error(err)
			continue
		}
		for name := range strings.FieldsSeq(c.fields) {
			if !slices.Contains(found.Fields.Names(), name) {
				t.Errorf("%s cannot be set by the name %s", c.collection, name)
			}
			if !strings.Contains(string(document), "`"+name+"`") {
				t.Errorf("docs/import.md does not show %s of %s", name, c.collection)
			}
		}
	}
}
