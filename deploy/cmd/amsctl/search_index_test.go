package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// indexService responds as the operator's API does for the indexes of organization o-1: of three collections, of which sites has a problem.
func indexService(t *testing.T) (requested *[]string) {
	t.Helper()
	requested = &[]string{}
	pending := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Collection, Action string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		if r.Method+" "+r.URL.Path != "POST /internal/organizations/o-1/index" || r.Header.Get("Authorization") != "Bearer operator-token" {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":"There is no organization.","code":"not_found"}`)
			return
		}
		problem := ""
		switch in.Collection {
		case "assets", "work_orders":
		case "sites":
			problem = "a bitmap cannot be read"
		default:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":"collection: no index is kept of it.","code":"not_indexed"}`)
			return
		}
		*requested = append(*requested, in.Collection+" "+in.Action)
		switch {
		case in.Action == "rebuild":
			pending[in.Collection], problem = 120_000, ""
		case in.Action == "fold" && in.Collection == "work_orders": // others write all the time
			pending[in.Collection], problem = max(3, pending[in.Collection]-50_000), ""
		case in.Action == "fold":
			pending[in.Collection], problem = max(0, pending[in.Collection]-50_000), ""
		}
		fmt.Fprintf(w, `{"collection":%q,"records":120000,"pending":%d,"problem":%q}`, in.Collection, pending[in.Collection], problem)
	}))
	t.Cleanup(server.Close)
	t.Setenv("AMS_OPERATOR_URL", server.URL)
	t.Setenv("AMS_OPERATOR_TOKEN", "operator-token")
	return requested
}

func TestEveryIndexIsVerifiedAndAProblemIsAnError(t *testing.T) {
	requested := indexService(t)
	code, out, errOut := amsctl(t.Context(), "search", "verify", "o-1")
	var lines []string
	for line := range strings.Lines(out) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	const want = "COLLECTION RECORDS PENDING PROBLEM\nsites 120000 0 a bitmap cannot be read\nassets 120000 0\nwork_orders 120000 0"
	if code != 1 || strings.Join(lines, "\n") != want {
		t.Errorf("exit %d:\n%s%s", code, strings.Join(lines, "\n"), errOut)
	}
	for _, part := range []string{"sites: 120000 records, 0 pending: a bitmap cannot be read\n", "assets: 120000 records, 0 pending\n",
		"1 of 3 collections have a problem", "amsctl search rebuild"} {
		if !strings.Contains(errOut, part) {
			t.Errorf("standard error does not say %q: %s", part, errOut)
		}
	}
	if got := strings.Join(*requested, ", "); got != "sites verify, assets verify, work_orders verify" {
		t.Errorf("asked %s", got)
	}
	code, out, _ = amsctl(t.Context(), "search", "verify", "o-1", "--collection", "assets", "--output", "json")
	var answer struct{ Data []map[string]any }
	if err := json.Unmarshal([]byte(out), &answer); code != 0 || err != nil || len(answer.Data) != 1 || answer.Data[0]["records"] != 120000.0 {
		t.Errorf("exit %d, %v: %s", code, err, out)
	}
}

func TestAnIndexIsRebuiltUntilNothingIsPending(t *testing.T) {
	requested := indexService(t)
	code, out, errOut := amsctl(t.Context(), "search", "rebuild", "o-1", "--collection", "assets")
	if code != 0 || !strings.Contains(out, "120000   0") || !strings.Contains(errOut, "assets: 120000 records, 70000 pending\n") {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
	if got := strings.Join(*requested, ", "); got != "assets rebuild, assets fold, assets fold, assets fold" {
		t.Errorf("asked %s", got)
	}
	*requested = nil
	if code, out, errOut := amsctl(t.Context(), "search", "rebuild", "o-1"); code != 0 || !strings.Contains(out, "work_orders  120000   3") {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
	if got := strings.Join(*requested, ", "); !strings.HasPrefix(got, "sites rebuild, sites fold") ||
		!strings.HasSuffix(got, "work_orders rebuild"+strings.Repeat(", work_orders fold", 4)) {
		t.Errorf("asked %s", got)
	}
}

func TestWhatCannotBeVerifiedIsSaid(t *testing.T) {
	indexService(t)
	for _, c := range []struct{ args, want string }{
		{"search verify o-2", "There is no organization."},
		{"search verify o-1 --collection boats", `"boats" is not in the catalogue`},
		{"search verify o-1 --collection los_targets", "no index is kept"},
		{"search rebuild", "accepts 1 arg"},
	} {
		if code, out, errOut := amsctl(t.Context(), strings.Fields(c.args)...); code != 1 || out != "" || !strings.Contains(errOut, c.want) {
			t.Errorf("%s: exit %d, out %q, %q does not say %q", c.args, code, out, errOut, c.want)
		}
	}
}
