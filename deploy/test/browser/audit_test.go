package browser

import (
	"encoding/csv"
	"net/url"
	"strings"
	"testing"
	"time"
)

// entries are the lines of the trail that a filter finds.
func (p *person) entries(filter url.Values) [][]string {
	p.t.Helper()
	lines, err := csv.NewReader(strings.NewReader(p.get("/settings/audit.csv?" + filter.Encode()).body)).ReadAll()
	if err != nil || len(lines) == 0 {
		p.t.Fatalf("the export with %v: %v", filter, err)
	}
	return lines[1:]
}

func TestTheTrailIsFilteredByKeyPersonRecordAndTime(t *testing.T) {
	p := signedIn(t, city)
	made := p.post("/settings/keys", url.Values{
		"form_token": {p.token("/settings/keys/new")}, "sent": {between(t, p.get("/settings/keys/new").body, `name="sent" value="`, `"`)},
		"name": {"Filtered"}, "scopes": {"sites:read", "sites:write"},
	})
	value := between(t, made.body, `id="key-value">`, "<")
	key := p.keyIDs()[0]
	if status, _ := call(t, "POST", "/v1/sites", value, map[string]any{"name": "Parc des Érables"}); status != 201 {
		t.Fatalf("the site was not made: %d", status)
	}
	var site, anybody string
	for _, e := range p.entries(url.Values{"key": {key}}) {
		if e[2] != key && e[6] != key {
			t.Errorf("the filter by key finds %q", e)
		}
		switch e[4] {
		case "site.created":
			site = e[6]
		case "key.created":
			anybody = e[2]
		}
	}
	if site == "" || anybody == "" {
		t.Fatalf("the filter by key finds neither the write nor the creation: %q", p.entries(url.Values{"key": {key}}))
	}
	for _, e := range p.entries(url.Values{"record": {site}}) {
		if e[6] != site || e[3] != "Filtered" || e[7] != "Parc des Érables" || e[8] == "" || e[9] == "" {
			t.Errorf("the filter by record finds %q", e)
		}
	}
	if found := p.entries(url.Values{"record": {site}}); len(found) != 1 {
		t.Errorf("the filter by record finds %d entries", len(found))
	}
	found := p.entries(url.Values{"person": {anybody}})
	for _, e := range found {
		if e[2] != anybody && e[6] != anybody {
			t.Errorf("the filter by person finds %q", e)
		}
	}
	if len(found) == 0 {
		t.Error("the filter by person finds nothing")
	}
	day := func(n int) string { return time.Now().AddDate(0, 0, n).Format(time.DateOnly) }
	if found := p.entries(url.Values{"from": {day(2)}}); len(found) != 0 {
		t.Errorf("the future has %d entries", len(found))
	}
	if found := p.entries(url.Values{"to": {day(-2)}}); len(found) != 0 {
		t.Errorf("the past has %d entries", len(found))
	}
	if found := p.entries(url.Values{"from": {day(-1)}, "to": {day(1)}, "record": {site}}); len(found) != 1 {
		t.Errorf("these days have %d entries of the record", len(found))
	}
	for _, wrong := range []string{"record=none", "from=yesterday", "from=2026-11-21&to=2026-11-01"} {
		if a := p.get("/settings/audit?" + wrong); a.status != 400 || !strings.Contains(a.body, `class="problem"`) {
			t.Errorf("%s: %d", wrong, a.status)
		}
	}
}
