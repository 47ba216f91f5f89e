package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// get, export and import name a collection in the same place, by the same names.
func TestCommandsTakeACollectionAlike(t *testing.T) {
	const of = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e01"
	const other = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e02"
	var called []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/openapi.json":
			_, _ = w.Write(describedBy(t, "workorders"))
			return
		case r.URL.Path == "/v1/me":
			fmt.Fprint(w, `{"organization":{"id":"org-1"}}`)
			return
		}
		called = append(called, r.Method+" "+r.URL.Path)
		switch {
		case strings.HasSuffix(r.URL.Path, "/bulk"):
			fmt.Fprint(w, `{"results":[{"index":0,"status":"created"}]}`)
		case r.Header.Get("Accept") == "text/csv":
			w.Header().Set("Content-Type", "text/csv; charset=utf-8")
			fmt.Fprint(w, "id,kind\n1,labour\n")
		case strings.HasPrefix(r.Header.Get("Accept"), "application/x-ndjson"):
			w.Header().Set("Content-Type", "application/x-ndjson")
			fmt.Fprintf(w, `{"id":%q}`+"\n", other)
		default:
			fmt.Fprint(w, `{"data":[],"pagination":{"total":0}}`)
		}
	}))
	t.Cleanup(server.Close)
	t.Setenv("AMS_BASE_URL", server.URL)
	t.Setenv("AMS_API_KEY", "ams_live_secret")
	costs := file(t, "costs.csv", "kind,work_order_id\nlabour,"+other+"\n")
	ofOne := file(t, "of-one.csv", "kind\nlabour\n")
	vendors := file(t, "vendors.csv", "name\nDupont\n")
	named := file(t, "vendors.yaml", "collection: vendors\nfields: {name: \"{name}\"}\n")
	for _, c := range []struct{ args, want string }{
		{"get vendors", "GET /v1/vendors"},
		{"get --collection vendors", "GET /v1/vendors"},
		{"get /v1/vendors", "GET /v1/vendors"},
		{"get work-orders/costs", "GET /v1/work-orders/-/costs"},
		{"get --collection work-orders/costs", "GET /v1/work-orders/-/costs"},
		{"get work-orders/" + of + "/costs", "GET /v1/work-orders/" + of + "/costs"},
		{"get maintenance/pm-plans", "GET /v1/maintenance/pm-plans"},
		{"export vendors", "GET /v1/vendors"},
		{"export --collection vendors", "GET /v1/vendors"},
		{"export vendors --collection vendors", "GET /v1/vendors"},
		{"export work-orders/costs", "GET /v1/work-orders GET /v1/work-orders/" + other + "/costs"},
		{"export work-orders/" + of + "/costs", "GET /v1/work-orders/" + of + "/costs"},
		{"import vendors --file " + vendors, "POST /v1/vendors/bulk POST /v1/vendors/imports"},
		{"import --collection vendors --file " + vendors, "POST /v1/vendors/bulk POST /v1/vendors/imports"},
		{"import --file " + vendors + " --mapping " + named, "POST /v1/vendors/bulk POST /v1/vendors/imports"},
		{"import work-orders/costs --file " + costs, "POST /v1/work-orders/" + other + "/costs/bulk"},
		{"import work-orders/" + of + "/costs --file " + ofOne, "POST /v1/work-orders/" + of + "/costs/bulk"},
	} {
		called = nil
		code, out, errOut := amsctl(t.Context(), strings.Fields(c.args)...)
		if got := strings.Join(called, " "); code != 0 || got != c.want {
			rejects, _ := filepath.Glob(filepath.Dir(ofOne) + "/*.rejects.csv")
			for _, path := range rejects {
				text, _ := os.ReadFile(path)
				t.Logf("%s: %s", path, text)
			}
			t.Errorf("%s: exit %d, called %s, want %s: %s%s", c.args, code, got, c.want, out, errOut)
		}
	}
	for _, c := range []struct{ args, says string }{
		{"get", "which collection? Name it, as in amsctl get assets"},
		{"export", "which collection? Name it, as in amsctl export assets"},
		{"import --file " + vendors, "which collection? Name it, as in amsctl import assets"},
		{"export vendors --collection teams", "which collection, vendors or teams?"},
		{"import work-orders --file " + vendors + " --mapping " + named, "the mapping is for vendors, not for work-orders"},
		{"import vender --file " + vendors, `there is no collection "vender" (did you mean "vendors"?)`},
	} {
		if code, out, errOut := amsctl(t.Context(), strings.Fields(c.args)...); code != 1 || out != "" || !strings.Contains(errOut, c.says) {
			t.Errorf("%s: exit %d, %s, %q does not say %q", c.args, code, out, errOut, c.says)
		}
	}
}
