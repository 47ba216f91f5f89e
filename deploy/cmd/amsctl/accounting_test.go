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

// What a finance officer has as files can be imported under these names, with these fields.
func TestTheCollectionsOfAccountingCanBeImported(t *testing.T) {
	for collection, fields := range map[string]string{
		"accounting/classes":              "external_id code name category method useful_life_years convention capitalization_threshold accounts",
		"accounting/capital-assets":       "external_id number name class_id useful_life_years residual_value quantity",
		"accounting/capital-assets/links": "external_id target_type target_id capital_asset_id",
		"accounting/transactions": "external_id capital_asset_id type effective_on amount accumulated_amortization in_service_on " +
			"remaining_units",
	} {
		found, err := mapping.FindCollection(describedBy(t, "accounting"), collection)
		if err != nil {
			t.Error(err)
			continue
		}
		for field := range strings.FieldsSeq(fields) {
			if f, known := found.Fields[field]; !known || f.ReadOnly {
				t.Errorf("%s has no field %s", collection, field)
			}
		}
	}
}

// What stands in an object of a record has a column of its own: the accounts of a class, which are texts though they look like numbers.
func TestAColumnMaySetWhatStandsInAnObject(t *testing.T) {
	var rows []string
	mux := http.NewServeMux()
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(describedBy(t, "accounting")) })
	mux.HandleFunc("GET /v1/me", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"organization":{"id":"org-1"}}`) })
	mux.HandleFunc("POST /v1/accounting/classes/imports", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") })
	mux.HandleFunc("POST /v1/accounting/classes/bulk", func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Data []json.RawMessage `json:"data"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		results := []string{}
		for i, row := range body.Data {
			rows, results = append(rows, string(row)), append(results, fmt.Sprintf(`{"index":%d,"status":"created"}`, i))
		}
		fmt.Fprintf(w, `{"results":[%s]}`, strings.Join(results, ","))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	t.Setenv("AMS_BASE_URL", s.URL)
	t.Setenv("AMS_API_KEY", "ams_live_secret")
	classes := file(t, "classes.csv", "name,category,accounts.asset,accounts.clearing\nVéhicules,vehicles,1540,2900\nTerrains,land,,\n")
	if code, out, errOut := amsctl(t.Context(), "import", "--collection", "accounting/classes", "--file", classes); code != 0 {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
	if want := []string{`{"accounts":{"asset":"1540","clearing":"2900"},"category":"vehicles","name":"Véhicules"}`,
		`{"category":"land","name":"Terrains"}`}; !slices.Equal(rows, want) {
		t.Errorf("sent %s", rows)
	}
	wrong := file(t, "wrong.csv", "name,category,accounts.assets\nVéhicules,vehicles,1540\n")
	if code, _, errOut := amsctl(t.Context(), "import", "--collection", "accounting/classes", "--file", wrong); code != 1 ||
		!strings.Contains(errOut, `accounts.assets: the collection has no field "accounts.assets"`) {
		t.Errorf("exit %d: %s", code, errOut)
	}
}

// Who is wrong about the command's own files hears so before the service is asked.
func TestAnAdoptionSaysWhatIsWrongWithItsFiles(t *testing.T) {
	t.Setenv("AMS_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("AMS_API_KEY", "ams_live_secret")
	good := file(t, "map.csv", "category,class\nhvac,MECH\n")
	for want, args := range map[string][]string{
		`required flag(s) "class-map", "fiscal-year" not set`: {},
		"no such file":                         {"--class-map", good + "x", "--fiscal-year", "2025"},
		"no column class":                      {"--class-map", file(t, "other.csv", "category\nhvac\n"), "--fiscal-year", "2025"},
		"choose another place with --left-out": {"--class-map", good, "--fiscal-year", "2025", "--left-out", t.TempDir()},
	} {
		if code, out, errOut := amsctl(t.Context(), append([]string{"accounting", "adopt"}, args...)...); code != 1 || out != "" ||
			!strings.Contains(errOut, want) {
			t.Errorf("%v: exit %d, %q, %q, want %q", args, code, out, errOut, want)
		}
	}
}
