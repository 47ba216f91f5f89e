package console

import (
	"encoding/csv"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// goSources are the Go files of this program without its tests.
func goSources(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]string{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources[file] = string(content)
	}
	return sources
}

func TestNoTemplateHasInlineScriptOrStyle(t *testing.T) {
	inline := regexp.MustCompile(`(?i)<script(?:[^>]*)>[^<]|<style|\sstyle=|\son[a-z]+=|javascript:`)
	files, err := filepath.Glob("templates/*.html")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := inline.FindString(string(content)); found != "" {
			t.Errorf("%s has %q", file, found)
		}
		for form := range strings.SplitSeq(string(content), "<form ") {
			if strings.HasPrefix(form, `method="post"`) && !strings.Contains(form[:min(len(form), 400)], `{{template "token"`) {
				t.Errorf("%s has a form without the token: %.80s", file, form)
			}
		}
	}
}

func TestAKeyThatExpiresWithin14DaysIsPointedOut(t *testing.T) {
	f := newFixture(t)
	for name, days := range map[string]int{"soon": 3, "later": 20} {
		f.keys = append(f.keys, map[string]any{"id": newFormID(), "name": name, "state": "active",
			"scopes": []string{"sites:read"}, "rate_limit": 60,
			"expires_at": time.Now().Add(time.Duration(days)*24*time.Hour +
				time.Hour).UTC().Format(time.RFC3339), "created_at": "2026-11-01T00:00:00Z", "display": "ams_live_3fGk…"})
	}
	f.keys = append(f.keys, map[string]any{"id": newFormID(), "name": "over", "state": "expired",
		"scopes": []string{"sites:read"}, "rate_limit": 60,
		"expires_at": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339), "created_at": "2026-11-01T00:00:00Z", "display": "ams_live_4fGk…"})
	body := f.signedIn().get("/settings/keys").body
	if strings.Count(body, "Expires in") != 1 || !strings.Contains(body, "Expires in 3 days.") {
		t.Error("the warning is not at the one key that expires soon")
	}
	open, ended, found := strings.Cut(body, "Expired and revoked keys")
	if !found || strings.Contains(open, ">over<") || !strings.Contains(ended, ">over<") {
		t.Error("the expired key is not among the ended ones")
	}
}

func TestTheLastDayOfAKeyIsMeantToItsEnd(t *testing.T) {
	zone, err := time.LoadLocation("America/Toronto")
	if err != nil {
		t.Fatal(err)
	}
	req := &pageRequest{zone: zone}
	today := time.Now().In(zone)
	for _, test := range []struct {
		days    int
		problem string
	}{{-1, "problem.key.expiry.past"}, {0, ""}, {90, ""}, {365, ""}, {366, "problem.key.expiry.far"}} {
		day := today.AddDate(0, 0, test.days)
		at, problem := req.readExpiry(day.Format(time.DateOnly))
		if problem != test.problem {
			t.Errorf("%d days: %q", test.days, problem)
		}
		if problem == "" && (at.Before(time.Now()) || time.Until(at) > 365*24*time.Hour) {
			t.Errorf("%d days: %s", test.days, at)
		}
		if test.days == 90 && at.In(zone).Format("2006-01-02 15:04:05") != day.Format("2006-01-02")+" 23:59:59" {
			t.Errorf("90 days end at %s", at.In(zone))
		}
	}
	if _, problem := req.readExpiry("31/12/2027"); problem != "problem.key.expiry.unreadable" {
		t.Errorf("no date: %q", problem)
	}
}

func TestTheChartStacksWhatWasCounted(t *testing.T) {
	all, err := loadLanguages()
	if err != nil {
		t.Fatal(err)
	}
	today := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	uses := []keyUsage{
		{Day: "2026-11-21", KeyID: "a", KeyName: "A", Requests: 100, Errors: 20, Limited: 30}, {Day: "2026-11-21",
			KeyID: "b", KeyName: "B", Requests: 60},
		{Day: "2026-11-15", KeyID: "a", KeyName: "A", Requests: 7}, {Day: "2026-11-14", KeyID: "a", KeyName: "A", Requests: 999},
	}
	table := byDay(uses, "", today, 7)
	if len(table) != 7 || table[0].Requests != 7 || table[6].Requests != 160 || table[6].Limited != 30 {
		t.Fatalf("the days are %+v", table)
	}
	c := drawChart(table, all[0])
	last := c.Bars[6]
	if len(last.Parts) != 3 || last.Parts[0].Kind != "answered" || last.Title != "21\u00a0Nov\u00a02026: 160 requests, 20 errors, 30 over "+
		"the limit" {
		t.Errorf("the last bar is %+v", last)
	}
	tall := last.Parts[0].Height + last.Parts[1].Height + last.Parts[2].Height
	if ratio := last.Parts[0].Height / tall; ratio < 0.68 || ratio > 0.70 { // 110 of 160
		t.Errorf("the answered part is %v of the bar", ratio)
	}
	if only := byDay(uses, "b", today, 7); only[6].Requests != 60 || only[0].Requests != 0 {
		t.Errorf("one key's days are %+v", only)
	}
	if totals := totals(uses); totals[0].Name != "A" || totals[0].Requests != 1106 || totals[1].Requests != 60 {
		t.Errorf("the totals are %+v", totals)
	}
	if empty := drawChart(byDay(nil, "", today, 90), all[1]); !empty.Empty || len(empty.Bars) != 90 {
		t.Errorf("nothing is drawn as %+v", empty)
	}
}

func TestTheUsagePageShowsWhatTheOrganizationMayDo(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	page := b.get("/settings/usage").body
	for _, words := range []string{"Requests in this minute so far: 1,234.", "<dt>Requests in a minute</dt><dd>5,000</dd>",
		"<dt>Requests in progress at once</dt><dd>60</dd>", "<dt>Active API keys</dt><dd>100</dd>"} {
		if !strings.Contains(page, words) {
			t.Errorf("the page does not say %q", words)
		}
	}
}

func TestThePlanPageShowsTheStorageForDocuments(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	says := func(words ...string) {
		t.Helper()
		page := b.get("/settings/plan").body
		for _, word := range words {
			if !strings.Contains(page, word) {
				t.Errorf("the page does not say %q", word)
			}
		}
	}
	says("<dt>Storage for documents</dt><dd>1\u00a0TiB<br>", "The add-on Storage adds 500\u00a0GiB.")
	b.post("/settings/language", url.Values{"language": {"fr"}, "path": {"/settings/plan"}})
	says("<dt>Stockage des documents</dt><dd>1\u00a0Tio<br>", "L’option Storage ajoute 500\u00a0Gio.")
}

func TestTheAxisHasRoundSteps(t *testing.T) {
	for maximum, want := range map[int][2]int{0: {2, 1}, 1: {2, 1}, 4: {4, 1}, 5: {6, 2}, 44: {60, 20}, 160: {200, 50},
		1000: {1000, 500}, 123456: {150000, 50000}} {
		top, step := axisScale(maximum)
		if top < maximum || top%step != 0 || top/step > 5 {
			t.Errorf("%d: top %d, step %d", maximum, top, step)
		}
		if maximum == 44 && [2]int{top, step} != want {
			t.Errorf("%d: top %d, step %d, want %v", maximum, top, step, want)
		}
	}
}

func TestTheExportIsWholeAndSafeInASpreadsheet(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	f.mu.Lock()
	f.trail = nil
	for _, name := range []string{"=1+1", "+x", "-x", "@x", "plain, with a comma", "\"quoted\""} {
		f.trail = append(f.trail, auditEntry{ID: newFormID(), At: "2026-11-21T15:04:05Z", Action: "site.created",
			Actor:   actor{"api_key", adminID, "Power BI"},
			Subject: subject{"site", managerID, name}, Address: "203.0.113.9", RequestID: "r1", Changes: json.RawMessage(`{"name":[null,"x"]}`)})
	}
	f.mu.Unlock()
	zone, err := time.LoadLocation("America/Toronto") // of the person
	if err != nil {
		t.Fatal(err)
	}
	before := time.Now().In(zone).Format(time.DateOnly)
	resp := b.get("/settings/audit.csv")
	lines, err := csv.NewReader(strings.NewReader(resp.body)).ReadAll()
	if err != nil || len(lines) != 7 {
		t.Fatalf("%d lines: %v", len(lines), err)
	}
	for i, want := range []string{"'=1+1", "'+x", "'-x", "'@x", "plain, with a comma", "\"quoted\""} {
		if lines[i+1][7] != want {
			t.Errorf("%q, want %q", lines[i+1][7], want)
		}
	}
	if !strings.HasPrefix(resp.header.Get("Content-Type"), "text/csv") ||
		resp.header.Get("Content-Disposition") != `attachment; filename="audit-`+before+`.csv"` &&
			before == time.Now().In(zone).Format(time.DateOnly) {
		t.Errorf("%v", resp.header)
	}
	page := b.get("/settings/audit").body
	if !strings.Contains(page, "The CSV is for spreadsheets") {
		t.Error("the page does not say what the CSV is for")
	}
	for _, want := range []string{"these services did not answer: los", "Power BI", "203.0.113.9", "r1", "after=second"} {
		if !strings.Contains(page, want) {
			t.Errorf("the trail does not say %q", want)
		}
	}
}

func TestChangesAreToldFieldByField(t *testing.T) {
	got := changed(json.RawMessage(
		`{"status":["active","retired"],"name":"x","tags":{"from":[],"to":["a"]},"count":[1,2],"site_id":{"old":null,"new":"s"}}`,
	))
	want := []changedField{{"count", "1", "2"}, {"name", "", "x"}, {"site_id", "", "s"},
		{"status", "active", "retired"}, {"tags", "[]", `["a"]`}}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
}

func TestAssetsMayBeKeptForEver(t *testing.T) {
	f := newFixture(t)
	for _, name := range []string{"console.css", "console.js", "public-sans.woff2", "mark.svg"} {
		resp := f.browser().get(assets.Path(name))
		if resp.status != 200 || !strings.Contains(resp.header.Get("Cache-Control"), "immutable") || resp.header.Get("Content-Type") == "" {
			t.Errorf("%s: %d %v", name, resp.status, resp.header)
		}
	}
	for _, name := range []string{"", "../main.go", "nothing.css", "%2e%2e/main.go"} {
		if resp := f.browser().get(assets.Path(name)); resp.status == 200 {
			t.Errorf("%q is served", name)
		}
	}
}
