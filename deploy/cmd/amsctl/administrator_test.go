package main

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// administratorService responds to what an Administrator requests, and remembers the requests after the sign-in.
func administratorService(t *testing.T, responses map[string]string) (requested *[]string) {
	t.Helper()
	requested = &[]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/internal/sign-in" {
			fmt.Fprint(w, `{"session":"the-session","organization":{"id":"org-1"}}`)
			return
		}
		body := make([]byte, 1000)
		n, _ := r.Body.Read(body)
		line := strings.TrimSpace(r.Method + " " + strings.TrimPrefix(r.URL.String(), "/internal/organizations/org-1") + " " + string(body[:n]))
		*requested = append(*requested, line)
		if r.Header.Get("Authorization") != "Bearer the-session" {
			t.Errorf("%s without the session", line)
		}
		response, known := responses[line]
		if !known {
			t.Errorf("asked %s", line)
		}
		fmt.Fprint(w, response)
	}))
	t.Cleanup(server.Close)
	folder := t.TempDir()
	t.Setenv("AMS_RUN_DIR", folder)
	t.Setenv("AMS_PASSWORD", "right")
	if err := os.WriteFile(filepath.Join(folder, "stack.json"),
		[]byte(fmt.Sprintf(`{"base_url":%q,"operator_url":%q}`, server.URL, server.URL)), 0o600); err != nil {
		t.Fatal(err)
	}
	return requested
}

func TestKeysAreShownAsOnTheScreen(t *testing.T) {
	requested := administratorService(t, map[string]string{
		"GET /keys?created_by=u1&state=active": `{"data":[{"id":"k1","name":"BI","state":"active"}],"pagination":{"page":1,"per_page":1,` +
			`"total":2,"total_pages":2}}`,
		"GET /keys?created_by=u1&page=2&state=active": `{"data":[{"id":"k2","name":"ERP","state":"active"}],"pagination":{"page":2,` +
			`"per_page":1,"total":2,"total_pages":2}}`,
		"GET /keys/k1":                      `{"id":"k1","name":"BI","last_address":"203.0.113.7","privacy_confirmed_by":{"name":"Ada"}}`,
		"GET /usage?from=2026-05-01&key=k1": `{"data":[{"day":"2026-05-01","key_id":"k1","key_name":"BI","requests":12,"errors":3,"limited":2}]}`,
	})
	for args, want := range map[string]string{
		"keys list --email a@b.ca --state active --created-by u1": "ERP",
		"keys show k1 --email a@b.ca":                             "203.0.113.7",
		"keys usage --email a@b.ca --key k1 --from 2026-05-01":    "2026-05-01  BI   12        3       2",
	} {
		if code, out, errOut := amsctl(t.Context(), strings.Fields(args)...); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d: %s%s", args, code, out, errOut)
		}
	}
	if len(*requested) != 4 {
		t.Errorf("asked %v", *requested)
	}
}

func TestUsersAreInvited(t *testing.T) {
	const link = `{"user_id":"u1","name":"Bao","email":"bao@example.ca","link":"https://ams.example.ca/settings/welcome#token","expires_at":"2026-05-08T00:00:00Z"}`
	administratorService(t, map[string]string{
		`POST /users/invite {"email":"bao@example.ca","locale":"fr-CA","name":"Bao","role":"administrator"}`: link,
		`POST /users/link {"email":"bao@example.ca"}`:                                                        link,
		`POST /users/link {"user_id":"u1"}`:                                                                  link,
	})
	for _, args := range []string{
		"users invite bao@example.ca --name Bao --role administrator --locale fr-CA --email a@b.ca", "users link bao@example.ca --email a@b.ca",
		"users link u1 --email a@b.ca --output json",
	} {
		if code, out, errOut := amsctl(t.Context(), strings.Fields(args)...); code != 0 ||
			!strings.Contains(out, "https://ams.example.ca/settings/welcome#token") {
			t.Errorf("%s: exit %d: %s%s", args, code, out, errOut)
		}
	}
	if code, _, errOut := amsctl(t.Context(), "users", "invite", "bao@example.ca", "--email", "a@b.ca"); code != 1 ||
		!strings.Contains(errOut, "name") {
		t.Errorf("without a name: exit %d: %s", code, errOut)
	}
}

func TestTheAuditTrailIsWrittenToItsEnd(t *testing.T) {
	const entry = `{"id":"%s","at":"2026-05-01T08:00:00.000000Z","actor":{"type":"user","id":"u1","name":"=HYPERLINK(1)"},` +
		`"action":"asset.updated","subject":{"type":"asset","id":"a1","name":"Roof, \"north\""},"changes":{"name":{"old":"a","new":"b"}},` +
		`"address":"203.0.113.7","request_id":"r1"}`
	first, second := fmt.Sprintf(entry, "1"), fmt.Sprintf(entry, "2")
	responses := map[string]string{
		"GET /audit?from=2026-05-01&limit=1000&person=u1":          `{"data":[` + first + `],"next":"c1","missing":[]}`,
		"GET /audit?after=c1&from=2026-05-01&limit=1000&person=u1": `{"data":[` + second + `],"next":null,"missing":[]}`,
		"GET /audit?limit=1000":                                    `{"data":[` + first + `],"next":null,"missing":["projects","los"]}`,
	}
	administratorService(t, responses)
	code, out, errOut := amsctl(t.Context(), strings.Fields("audit --email a@b.ca --person u1 --from 2026-05-01")...)
	lines, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if code != 0 || err != nil || len(lines) != 3 || lines[0][0] != "at" || lines[1][3] != "'=HYPERLINK(1)" ||
		lines[2][7] != `Roof, "north"` || lines[2][8] != `{"name":{"new":"b","old":"a"}}` {
		t.Errorf("exit %d, %v: %s%s", code, err, out, errOut)
	}
	if code, out, _ = amsctl(t.Context(),
		strings.Fields("audit --email a@b.ca --person u1 --from 2026-05-01 --format ndjson")...); code != 0 || out != first+"\n"+second+"\n" {
		t.Errorf("exit %d: %s", code, out)
	}
	code, out, errOut = amsctl(t.Context(), strings.Fields("audit --email a@b.ca --format ndjson")...)
	if code != 1 || out != first+"\n" || !strings.Contains(errOut, "los, projects did not answer") {
		t.Errorf("of a trail that is not whole: exit %d: %s%s", code, out, errOut)
	}
	if code, _, errOut := amsctl(t.Context(), "audit", "--email", "a@b.ca", "--format", "xml"); code != 1 ||
		!strings.Contains(errOut, "csv or ndjson") {
		t.Errorf("exit %d: %s", code, errOut)
	}
}
