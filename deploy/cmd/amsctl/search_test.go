package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestASearchIsATableOrTheAnswer(t *testing.T) {
	const answer = `{"data":[{"kind":"asset","id":"019a","name":"Pompe","code":"A-000123","detail":"hvac","status":"in_service",
		"site":{"id":"019b","name":"Aréna"},"match":"similar","url":"/v1/assets/019a"}],
		"totals":{"asset":{"count":200,"exact":false},"site":{"count":0,"exact":true}},"more":{"asset":"/v1/assets?q=grunfos"},
		"corrected":{"grunfos":["grundfos"]},"hidden":["user"],"unavailable":["network","segment"]}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path != "/v1/search" || r.Header.Get("Authorization") != "Bearer ams_live_secret":
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"unexpected"}`)
		case r.URL.RawQuery == "limit=10&q=pompe+grunfos", r.URL.RawQuery == "kinds=asset%2Cuser&limit=5&q=x&site_id=019b",
			r.URL.RawQuery == "limit=10&q=verify+pompe":
			fmt.Fprint(w, answer)
		default:
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":"q: must have a letter or a digit (%s)","request_id":"r-1"}`, r.URL.RawQuery)
		}
	}))
	defer server.Close()
	t.Setenv("AMS_BASE_URL", server.URL)
	t.Setenv("AMS_API_KEY", "ams_live_secret")
	code, out, errOut := amsctl(t.Context(), "search", "pompe", "grunfos")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != 2 || strings.Join(strings.Fields(lines[0]), " ") != "KIND NAME CODE DETAIL STATUS SITE MATCH ID" ||
		strings.Join(strings.Fields(lines[1]), " ") != "asset Pompe A-000123 hvac in_service Aréna similar 019a" {
		t.Errorf("exit %d:\n%s%s", code, out, errOut)
	}
	for _, part := range []string{`Where nothing has "grunfos", it was taken for grundfos`,
		"asset: at least 200 in all, see /v1/assets?q=grunfos", "does not have them: user", "do not answer: network, segment"} {
		if !strings.Contains(errOut, part) {
			t.Errorf("standard error does not say %q: %s", part, errOut)
		}
	}
	code, out, _ = amsctl(t.Context(), "search", "x", "--kinds", "asset,user", "--limit", "5", "--site", "019b", "--output", "json")
	if code != 0 || !strings.Contains(out, `"corrected": {`) || strings.Contains(out, "KIND") {
		t.Errorf("exit %d: %s", code, out)
	}
	if code, _, errOut := amsctl(t.Context(), "search", "--", "verify", "pompe"); code != 0 {
		t.Errorf("a text like a subcommand: exit %d: %s", code, errOut)
	}
	if code, out, errOut := amsctl(t.Context(), "search", "%"); code != 1 || out != "" || !strings.Contains(errOut, "must have a letter") {
		t.Errorf("a refusal: exit %d, %q, %q", code, out, errOut)
	}
	if code, _, errOut := amsctl(t.Context(), "search"); code != 1 || !strings.Contains(errOut, "arg") {
		t.Errorf("without a text: exit %d, %q", code, errOut)
	}
}
