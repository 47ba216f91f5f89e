package mcp

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestTheScheduleIsShortForAssistants(t *testing.T) {
	f := newToolFixture(t)
	row := func(name string, closing string) string {
		return fmt.Sprintf(`{"id":%q,"code":"CLS-01","name":%q,"cost":{"opening":0,"additions":120000.50,"transfers":0.00,"closing":%s},`+
			`"work_in_progress":{"opening":0,"closing":0},`+`"accumulated_amortization":{"opening":0,"amortization":2400,"closing":2400},`+
			`"net_book_value":{"opening":0,"closing":117600.5},"proceeds":0,"gain_loss":-0.01,"not_amortized":0}`, testID, name, closing)
	}
	rows := 0
	f.upstream.respond = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/v1/accounting/schedule" {
			return false
		}
		var all []string
		for n := range rows {
			all = append(all, row(fmt.Sprintf("Classe %03d", n), "120000.50"))
		}
		fmt.Fprintf(w, `{"fiscal_year":2026,"fiscal_year_label":"2026-27","provisional":true,"group_by":"class","currency":"CAD",`+
			`"data":[%s],"total":%s}`, strings.Join(all, ","), strings.Replace(row("", "120000.50"), `"name":""`, `"name":null`, 1))
		return true
	}
	rows = 1
	text, failed := f.call("tca_schedule", map[string]any{"fiscal_year": 2026, "group_by": "class"})
	want := `"accumulated_amortization":{"amortization":2400,"closing":2400},"code":"CLS-01","cost":{"additions":120000.50,` +
		`"closing":120000.50},"gain_loss":-0.01,"id":"` + testID + `","name":"Classe 000","net_book_value":{"closing":117600.5}`
	if failed || text != `{"data":[{`+want+`}],"page":1,"limit":25,"total":1,"fiscal_year":2026,"fiscal_year_label":"2026-27",`+
		`"provisional":true,"group_by":"class","currency":"CAD","sum":{`+strings.Replace(want, `"name":"Classe 000",`, "", 1)+`}}` {
		t.Errorf("%s", text)
	}
	requests, _ := f.upstream.takeRequests()
	if query := requests[0].URL.Query(); len(requests) != 1 || query.Encode() != "fiscal_year=2026&group_by=class" {
		t.Errorf("%d requests, %s", len(requests), query.Encode())
	}
	rows = 260
	for page, says := range map[int]string{1: "of 260 are shown", 3: "Classe 200"} { // a result has 20,000 characters
		text, failed = f.call("tca_schedule", map[string]any{"fiscal_year": 2026, "limit": 100, "page": page})
		if failed || len(text) > maxResult || !strings.Contains(text, says) || !strings.Contains(text, `"provisional":true`) {
			t.Errorf("page %d: %d characters, %s", page, len(text), text[max(0, len(text)-400):])
		}
	}
	if text, failed = f.call("tca_schedule", map[string]any{}); !failed || !strings.Contains(text, "fiscal_year") {
		t.Errorf("without a year: %s", text)
	}
	f.upstream.respond = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":"There is no fiscal year 1990.","code":"not_found"}`)
		return true
	}
	if text, failed = f.call("tca_schedule", map[string]any{"fiscal_year": 1990}); !failed || !strings.Contains(text, "no fiscal year 1990") {
		t.Errorf("a year that is not there: %s", text)
	}
}

// An asset has the book values of its capital assets, where the key may read them; it is shown all the same when they cannot be read.
func TestAnAssetHasItsBookValues(t *testing.T) {
	f := newToolFixture(t)
	away := false
	f.upstream.respond = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasPrefix(r.URL.Path, "/v1/assets") && !strings.HasPrefix(r.URL.Path, "/v1/buildings") {
			return false
		}
		expands := slices.Contains(strings.Split(r.URL.Query().Get("expand"), ","), "capital_assets")
		if expands && away {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"error":"The accounting service does not answer; nothing was written.","code":"service_unavailable"}`)
			return true
		}
		list := ""
		if expands {
			list = fmt.Sprintf(
				`,"capital_assets":[{"id":%q,"number":"TCA-000001","cost":120000.00,"net_book_value":74400.10,"balances_as_of":null}]`, testID,
			)
		}
		record := fmt.Sprintf(`{"id":%q,"name":"Pompe","asset_tag":"A-1","net_book_value":null%s}`, testID, list)
		if r.URL.Path == "/v1/assets" {
			record = `{"data":[` + record + `],"pagination":{"page":1,"per_page":5,"total":1,"total_pages":1}}`
		}
		fmt.Fprint(w, record)
		return true
	}
	const shown = `"capital_assets":[{"cost":120000.00,"id":"` + testID + `","net_book_value":74400.10,"number":"TCA-000001"}]`
	const missing = `"capital_assets":"They could not be read: The accounting service does not answer`
	for _, c := range []struct {
		name      string
		arguments map[string]any
		scopes    []string
		away      bool
		want      string // "" for nothing of them
		requests  int    // with that for documents
	}{
		{"by id", map[string]any{"id": testID}, []string{"*:*"}, false, shown, 2},
		{"by tag", map[string]any{"asset_tag": "A-1"}, []string{"*:*"}, false, shown, 2},
		{"named as a field", map[string]any{"id": testID, "fields": []string{"name", "capital_assets"}}, []string{"*:*"}, false, shown, 2},
		{"not named", map[string]any{"id": testID, "fields": []string{"name"}}, []string{"*:*"}, false, "", 2},
		{"without the scope", map[string]any{"id": testID}, []string{"assets:read"}, false, "", 1},
		{"accounting is away", map[string]any{"id": testID}, []string{"*:*"}, true, missing, 3},
		{"accounting is away, by tag", map[string]any{"asset_tag": "A-1"}, []string{"*:*"}, true, missing, 3},
		{"accounting is away, without the scope", map[string]any{"id": testID}, []string{"assets:read"}, true, "", 1},
	} {
		f.caller.Scopes, away = c.scopes, c.away
		f.upstream.takeRequests()
		text, failed := f.call("get_asset", c.arguments)
		if failed || !strings.Contains(text, c.want) || strings.Contains(text, "capital_assets") != (c.want != "") ||
			!strings.Contains(text, "Pompe") {
			t.Errorf("%s: %s", c.name, text)
		}
		requests, _ := f.upstream.takeRequests()
		if len(requests) != c.requests {
			t.Errorf("%s: %d requests", c.name, len(requests))
		}
		if fields := requests[0].URL.Query().Get("fields"); strings.Contains(fields, "capital_assets") {
			t.Errorf("%s: asked for the fields %s", c.name, fields)
		}
	}
	f.caller, away = fullCaller, false
	f.caller.Features = slices.DeleteFunc(slices.Clone(fullCaller.Features), func(feature string) bool { return feature == "accounting" })
	if text, failed := f.call("get_asset", map[string]any{"id": testID}); failed || strings.Contains(text, "capital_assets") {
		t.Errorf("without the feature: %s", text)
	}
}
