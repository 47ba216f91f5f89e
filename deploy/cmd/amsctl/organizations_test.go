package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// adminService responds as the operator's API does, and remembers the requests. stack.json says where it is.
func adminService(t *testing.T) (requested *[]string) {
	t.Helper()
	requested = &[]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body json.RawMessage
		_ = json.NewDecoder(r.Body).Decode(&body)
		*requested = append(*requested, strings.TrimSpace(r.Method+" "+r.URL.String()+" "+r.Header.Get("Authorization")+" "+string(body)))
		switch r.Method + " " + r.URL.Path {
		case "POST /internal/sign-in":
			if !strings.Contains(string(body), "right") {
				w.WriteHeader(http.StatusUnauthorized)
				fmt.Fprint(w, `{"error":"The e-mail address or the password is wrong.","code":"sign_in_failed"}`)
				return
			}
			fmt.Fprint(w, `{"session":"the-session","organization":{"id":"org-1"}}`)
		case "POST /internal/organizations":
			fmt.Fprint(w, `{"id":"org-1","name":"Ville","plan":"enterprise","administrator":{"email":"a@b.ca"}}`)
		case "GET /internal/organizations":
			if r.URL.Query().Get("page") == "2" {
				fmt.Fprint(w, `{"data":[{"id":"org-2","name":"Second\u001b[2J"}],"pagination":{"page":2,"per_page":1,"total":2,"total_pages":2}}`)
				return
			}
			fmt.Fprint(w, `{"data":[{"id":"org-1","name":"First"}],"pagination":{"page":1,"per_page":1,"total":2,"total_pages":2}}`)
		case "PATCH /internal/organizations/org-1":
			fmt.Fprint(w, `{"id":"org-1","name":"Ville","limits":{"streams":8,"long_polls":20},"own_limits":["streams"]}`)
		case "PATCH /internal/organizations/org-1/settings":
			fmt.Fprint(w, `{"time_zone":"America/Halifax","fiscal_year_end_month":3,"land_area_km2":120.5,"currency":"CAD"}`)
		case "GET /internal/organizations/org-1/sandbox", "POST /internal/organizations/org-1/sandbox",
			"POST /internal/organizations/org-1/sandbox/empty":
			fmt.Fprint(w, `{"id":"org-1-sandbox","sandbox_of":"org-1","name":"Ville (test)","emptying":null}`)
		default:
			fmt.Fprint(w, `{"id":"key-1","name":"BI","scopes":["assets:read"],"value":"ams_live_once"}`)
		}
	}))
	t.Cleanup(server.Close)
	folder := t.TempDir()
	t.Setenv("AMS_RUN_DIR", folder)
	text := fmt.Sprintf(`{"base_url":%q,"operator_url":%q,"operator_token":"operator-token"}`, server.URL, server.URL)
	if err := os.WriteFile(filepath.Join(folder, "stack.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return requested
}

func TestKeysAreMadeByAnAdministratorWhoSignsIn(t *testing.T) {
	requested := adminService(t)
	t.Setenv("AMS_PASSWORD", "right")
	code, out, errOut := amsctl(t.Context(), "keys", "create", "--email", "a@b.ca", "--name", "BI", "--scopes", "assets:read,sites:read",
		"--rate-limit", "90", "--expires-at", "2027-01-01T00:00:00Z")
	if code != 0 || errOut != "" {
		t.Fatalf("exit %d: %s", code, errOut)
	}
	var key map[string]any
	if err := json.Unmarshal([]byte(out), &key); err != nil || key["value"] != "ams_live_once" {
		t.Errorf("%s, %v", out, err)
	}
	want := []string{
		`POST /internal/sign-in  {"email":"a@b.ca","password":"right"}`,
		`POST /internal/organizations/org-1/keys Bearer the-session {"confirm_privacy":false,"expires_at":"2027-01-01T00:00:00Z","name":"BI",` +
			`"rate_limit":90,"scopes":["assets:read","sites:read"]}`,
	}
	if strings.Join(*requested, "\n") != strings.Join(want, "\n") {
		t.Errorf("asked\n%s", strings.Join(*requested, "\n"))
	}
	for _, action := range []string{"revoke", "suspend", "resume", "list"} {
		args := []string{"keys", action, "key-1", "--email", "a@b.ca"}
		if action == "list" {
			args = []string{"keys", action, "--email", "a@b.ca"}
		}
		if code, out, errOut := amsctl(t.Context(), args...); code != 0 || strings.Contains(out, "ams_live_once") {
			t.Errorf("%s: exit %d: %s%s", action, code, out, errOut)
		}
	}
	if _, out, _ := amsctl(t.Context(), "keys", "replace", "key-1", "--email", "a@b.ca", "--overlap", "1d"); !strings.Contains(out,
		"ams_live_once") {
		t.Errorf("replace: %s", out)
	}
	if last := (*requested)[len(*requested)-1]; !strings.HasSuffix(last, `keys/key-1/replace Bearer the-session {"overlap_seconds":86400}`) {
		t.Errorf("asked %s", last)
	}
}

func TestWhatIsMissingOrWrongIsSaidOnStandardError(t *testing.T) {
	adminService(t)
	for _, c := range []struct {
		password string
		args     string
		want     string
	}{
		{"wrong", "keys list --email a@b.ca --output json", "sign in as a@b.ca: The e-mail address or the password is wrong."},
		{"", "keys list --email a@b.ca", "set AMS_PASSWORD"},
		{"right", "keys list", "--email"},
		{"right", "keys create --email a@b.ca --name x", "scopes"},
		{"right", "keys create --email a@b.ca --name x --scopes a:read --expires-in soon", "not a length of time"},
		{"right", "organizations show", "accepts 1 arg"},
		{"right", "organizations set-limits org-1", "give at least one limit"},
		{"right", "organizations set-limits org-1 --streams many", "--streams many: give a whole number"},
		{"right", "organizations set org-1", "give at least one setting"},
		{"right", "organizations set org-1 --fiscal-year-end-month March", "--fiscal-year-end-month March: give a whole number"},
		{"right", "organizations set org-1 --land-area-km2 large", "--land-area-km2 large: give square kilometres, or none"},
		{"right", "organizations set org-1 --land-area-km2 NaN", "--land-area-km2 NaN: give square kilometres, or none"},
		{"right", "import --collection assets --file x", "AMS_API_KEY"},
		{"right", "export --collection assets --format xml", "csv, excel, ndjson, parquet or geojson"},
	} {
		t.Setenv("AMS_PASSWORD", c.password)
		t.Setenv("AMS_API_KEY", "")
		code, out, errOut := amsctl(t.Context(), strings.Fields(c.args)...)
		if code != 1 || out != "" || !strings.Contains(errOut, c.want) {
			t.Errorf("%s: exit %d, out %q, %q does not say %q", c.args, code, out, errOut, c.want)
		}
	}
}

func TestOrganizationsAreListedToTheLastPage(t *testing.T) {
	requested := adminService(t)
	code, out, _ := amsctl(t.Context(), "organizations", "list")
	if code != 0 || !strings.Contains(out, "First") || !strings.Contains(out, "Second") || strings.Contains(out, "\x1b") {
		t.Errorf("exit %d: %q", code, out)
	}
	if first := (*requested)[0]; first != "GET /internal/organizations Bearer operator-token null" &&
		first != "GET /internal/organizations Bearer operator-token" {
		t.Errorf("asked %q", first)
	}
	code, out, _ = amsctl(t.Context(), "organizations", "list", "--output", "json")
	var list struct{ Data []map[string]any }
	if err := json.Unmarshal([]byte(out), &list); code != 0 || err != nil || len(list.Data) != 2 {
		t.Errorf("exit %d: %s", code, out)
	}
}

func TestAPasswordThatWasMadeIsShownOnce(t *testing.T) {
	requested := adminService(t)
	t.Setenv("AMS_PASSWORD", "")
	code, out, errOut := amsctl(t.Context(), "organizations", "create", "--name", "Ville", "--plan", "enterprise", "--administrator-email",
		"a@b.ca", "--administrator-name", "A", "--output", "json")
	var created struct {
		ID       string `json:"id"`
		Password string `json:"administrator_password"`
	}
	if err := json.Unmarshal([]byte(out), &created); code != 0 || err != nil || len(created.Password) < 20 {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
	if !strings.Contains((*requested)[0], created.Password) {
		t.Error("another password was sent than was shown")
	}
}

func TestLimitsAreSetAndPutBack(t *testing.T) {
	requested := adminService(t)
	code, out, errOut := amsctl(t.Context(), "organizations", "set-limits", "org-1", "--requests-per-minute", "8000", "--in-flight", "100",
		"--streams", "8", "--long-polls", "plan", "--active-keys", "200", "--output", "table")
	if code != 0 || errOut != "" {
		t.Fatalf("exit %d: %s", code, errOut)
	}
	want := `PATCH /internal/organizations/org-1 Bearer operator-token {"limits":{"active_keys":200,"long_polls":null,` +
		`"requests_in_flight":100,"requests_per_minute":8000,"streams":8}}`
	if (*requested)[0] != want {
		t.Errorf("asked %s", (*requested)[0])
	}
	for _, line := range []string{"streams +8", "long polls +20", "limits apart from the plan +streams"} {
		if !regexp.MustCompile(`(?m)^` + line + `$`).MatchString(out) {
			t.Errorf("%q is not in\n%s", line, out)
		}
	}
	if code, _, _ := amsctl(t.Context(), "organizations", "set-limits", "org-1", "--streams", "9"); code != 0 ||
		!strings.HasSuffix((*requested)[1], `{"limits":{"streams":9}}`) {
		t.Errorf("exit %d: asked %s", code, (*requested)[1])
	}
}
