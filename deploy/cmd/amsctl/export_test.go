package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestAnExportIsTheStreamOrAnError(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/openapi.json":
			fmt.Fprint(w, `{"paths":{"/v1/assets/bulk":{"post":{}},"/v1/projects/{project_id}/phases/bulk":{"post":{}},`+
				`"/v1/projects/{project_id}/phases":{"post":{}}}}`)
		case r.URL.Path == "/v1/projects" && r.URL.RawQuery == "fields=id":
			w.Header().Set("Content-Type", "application/x-ndjson")
			fmt.Fprint(w, "{\"id\":\"p1\"}\n{\"id\":\"p2\"}\n{\"id\":\"p3\"}\n")
		case strings.HasPrefix(r.URL.Path, "/v1/projects/") && r.Header.Get("Accept") == "text/csv":
			w.Header().Set("Content-Type", "text/csv; charset=utf-8")
			fmt.Fprintf(w, "project_id,name\n%s,Design\n", strings.Split(r.URL.Path, "/")[3])
		case r.URL.Path == "/v1/broken":
			w.Header().Set("Content-Type", "text/csv")
			fmt.Fprint(w, "id\n1\n")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler) // the service dies in the middle
		case r.URL.Path == "/v1/unlisted":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"data":[]}`)
		case r.URL.Query().Get("status") != "in_service" || r.Header.Get("Accept") != "application/x-ndjson" ||
			r.Header.Get("Authorization") != "Bearer ams_live_secret":
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"status: is not a filter","request_id":"r-1"}`)
		default:
			w.Header().Set("Content-Type", "application/x-ndjson; charset=utf-8")
			fmt.Fprint(w, "{\"id\":1}\n{\"id\":2}\n")
		}
	}))
	defer server.Close()
	t.Setenv("AMS_BASE_URL", server.URL)
	t.Setenv("AMS_API_KEY", "ams_live_secret")
	for name, c := range map[string]struct {
		args string
		code int
		out  string
		err  string
	}{
		"a whole collection, filtered":    {"--collection assets --format ndjson --filter status=in_service", 0, "{\"id\":1}\n{\"id\":2}\n", ""},
		"the parts of all":                {"--collection projects/phases", 0, "project_id,name\np1,Design\np2,Design\np3,Design\n", ""},
		"the parts of one":                {"--collection projects/p2/phases", 0, "project_id,name\np2,Design\n", ""},
		"a refusal":                       {"--collection assets --format ndjson", 1, "", "status: is not a filter (request r-1)"},
		"a stream that breaks off":        {"--collection broken", 1, "id\n1\n", "not complete"},
		"a format the collection has not": {"--collection unlisted", 1, "", "cannot be exported as text/csv"},
		"Parquet of the parts of all":     {"--collection projects/phases --format parquet", 1, "", "name it, as in projects/ID/"},
		"a filter that is none":           {"--collection assets --filter status", 1, "", "name=value"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errOut := amsctl(t.Context(), append([]string{"export"}, strings.Fields(c.args)...)...)
			if code != c.code || out != c.out || !strings.Contains(errOut, c.err) {
				t.Errorf("exit %d, %q, %q", code, out, errOut)
			}
		})
	}
}

func TestStatusFailsWhenSomethingIsNotReady(t *testing.T) {
	ready, projects := true, true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" && !ready {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"error":"PostgreSQL is away."}`)
			return
		}
		if r.URL.Path == "/v1/los/measures" {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"error":"Level of Service is not included in the organization's plan.","code":"feature_not_in_plan"}`)
			return
		}
		if r.URL.Path == "/v1/projects" && !projects {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"error":"The projects service is away."}`)
			return
		}
		fmt.Fprint(w, `{}`)
	}))
	defer server.Close()
	t.Setenv("AMS_BASE_URL", server.URL)
	t.Setenv("AMS_RUN_DIR", t.TempDir())
	for _, address := range []string{"", server.URL} { // without the operator's address, and without the operator's token
		t.Setenv("AMS_OPERATOR_URL", address)
		code, out, errOut := amsctl(t.Context(), "status")
		if code != 0 || strings.Count(out, "  ready ") != 2 || !strings.Contains(errOut, "it takes AMS_OPERATOR_URL and AMS_OPERATOR_TOKEN") ||
			!strings.Contains(errOut, "takes a key in AMS_API_KEY") {
			t.Errorf("with the operator's address %q: exit %d: %s%s", address, code, out, errOut)
		}
	}
	t.Setenv("AMS_OPERATOR_URL", "nowhere")
	if code, _, errOut := amsctl(t.Context(), "status"); code != 1 || !strings.Contains(errOut, "is not an address") {
		t.Errorf("with an address that is none: exit %d: %s", code, errOut)
	}
	t.Setenv("AMS_OPERATOR_URL", server.URL)
	t.Setenv("AMS_OPERATOR_TOKEN", "operator-token")
	if code, out, errOut := amsctl(t.Context(), "status"); code != 0 || strings.Count(out, "ready") < 3 {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
	t.Setenv("AMS_API_KEY", "ams_live_secret")
	if code, out, errOut := amsctl(t.Context(), "status"); code != 0 || strings.Count(out, "  ready ") != 13 ||
		!strings.Contains(out, "not for this key") {
		t.Errorf("with a key: exit %d: %s%s", code, out, errOut)
	}
	projects = false
	if code, _, errOut := amsctl(t.Context(), "status"); code != 1 ||
		!strings.Contains(errOut, "not ready: projects: The projects service is away.") {
		t.Errorf("without projects: exit %d: %s", code, errOut)
	}
	ready = false
	if code, out, errOut := amsctl(t.Context(), "status", "--output", "json"); code != 1 || !strings.Contains(out, `"PostgreSQL is away."`) ||
		!strings.Contains(errOut, "not ready") {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
}
