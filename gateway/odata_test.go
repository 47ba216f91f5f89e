package gateway

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"strings"
	"testing"

	"ams.internal/gateway/edge"
	"ams.internal/gateway/edm"
	"ams.internal/gateway/openapi/golden"
	"ams.internal/libs/odata"
)

// withSets starts a gateway in front of services that describe themselves as ours do, and say what they were sent.
func withSets(t *testing.T) (*fixture, *running, *holding) {
	t.Helper()
	return withSetsOf(t, "accounting", "assets", "los")
}

func withSetsOf(t *testing.T, services ...string) (*fixture, *running, *holding) {
	t.Helper()
	w := newFixture(t)
	h := w.holding()
	for _, service := range services {
		part, err := os.ReadFile("../services/" + service + "/testdata/openapi.json")
		if err != nil {
			t.Fatal(err)
		}
		w.serve(service, func(out http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/internal/openapi.json" {
				_, _ = out.Write(part)
				return
			}
			h.echo(out, r)
		})
	}
	w.serveOthers()
	g := w.start(func(c *Config) { c.BaseURL = "https://api.example.ca" })
	g.document(t, "")
	return w, g, h
}

func asPassword(key string) []string {
	return []string{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte("anybody:"+key))}
}

func TestARequestInODataTakesTheRouteOfItsList(t *testing.T) {
	w, g, _ := withSets(t)
	key, _ := w.key(newKey{organization: newID(), scopes: []string{"accounting:read", "assets:read", "los:read"}})
	id := newID()
	for _, test := range []struct{ asked, path, query, header string }{
		{"assets?$filter=name%20eq%20'x'", "/v1/assets", "$filter=name%20eq%20'x'", "assets"},
		{"assets/$count", "/v1/assets", "", "assets/$count"},
		{"assets(" + id + ")", "/v1/assets/" + id, "", "assets(" + id + ")"},
		{"assets(id=" + id + ")", "/v1/assets/" + id, "", "assets(" + id + ")"},
		{"assets('" + strings.ToUpper(id) + "')", "/v1/assets/" + id, "", "assets(" + id + ")"},
		{"assets()", "/v1/assets", "", "assets"},
		{"assets(" + id + ")/site?$select=name", "/v1/assets/" + id, "$select=name", "assets(" + id + ")/site"},
		{"assets?$expand=site($select=id;$select=name)", "/v1/assets", "$expand=site($select=id%3B$select=name)", "assets"},
		{"los_scorecard(" + id + ")/$count", "/v1/los/service-areas/" + id + "/scorecard", "", "los_scorecard(id=" + id + ")/$count"},
		{"condition_assessments", "/v1/assets/-/condition-assessments", "", "condition_assessments"},
		{"state_of_assets?group_by=site", "/v1/reports/state-of-assets", "group_by=site", "state_of_assets"},
		{"los_scorecard(id=" + id + ")", "/v1/los/service-areas/" + id + "/scorecard", "", "los_scorecard(id=" + id + ")"},
		{"capital_asset_journal(fiscal_year=2025)?$top=1", "/v1/accounting/journal", "$top=1&fiscal_year=2025",
			"capital_asset_journal(fiscal_year=2025)"},
		{"capital_asset_journal(fiscal_year=2025)?%24skiptoken=1000&fiscal_year=2025", "/v1/accounting/journal",
			"%24skiptoken=1000&fiscal_year=2025",
			"capital_asset_journal(fiscal_year=2025)"}, // as the link to the next page has it
		{"assets?$format=application/json;odata.metadata=minimal&$filter=name%20eq%20'a;b'", "/v1/assets",
			"$format=application/json%3Bodata.metadata=minimal&$filter=name%20eq%20'a%3Bb'", "assets"},
		{"assets?forceFunctionRegion=ca-central-1&$top=1", "/v1/assets", "$top=1", "assets?forceFunctionRegion=ca-central-1"},
	} {
		a := call(t, "GET", g.url+"/odata/v4/"+test.asked, "", append(asPassword(key), "X-Ams-Odata", "https://evil.example/odata/v4/assets")...)
		if a.StatusCode != 200 || a.Header.Get("OData-Version") != "4.0" {
			t.Errorf("%s: %d %v %s", test.asked, a.StatusCode, a.Header, a.body)
			continue
		}
		seen := a.json(t)
		header := http.Header{}
		for name, values := range seen["header"].(map[string]any) {
			for _, value := range values.([]any) {
				header.Add(name, value.(string))
			}
		}
		if seen["path"] != test.path || seen["query"] != test.query || header.Get(odata.Header) != "https://api.example.ca/odata/v4/"+test.header {
			t.Errorf("%s went to %s?%s as %s", test.asked, seen["path"], seen["query"], header[odata.Header])
		}
		if len(header["Authorization"]) > 0 || strings.Contains(string(a.body), key) {
			t.Errorf("%s: the service saw the key", test.asked)
		}
	}
	plain := call(t, "GET", g.url+"/v1/assets", key, "X-Ams-Odata", "https://evil.example/odata/v4/assets").json(t)
	if _, sent := plain["header"].(map[string]any)["X-Ams-Odata"]; sent ||
		len(call(t, "GET", g.url+"/v1/assets", key).Header["Odata-Version"]) > 0 {
		t.Error("a caller can say of himself what only the gateway says")
	}
	if a := call(t, "GET", g.url+"/v1/assets", "", asPassword(key)...); a.StatusCode != 401 {
		t.Errorf("a key as password outside of OData: %d", a.StatusCode)
	}
}

// A value of every type that a function needs can be given: none is in $metadata that cannot be called.
func TestEachFunctionIsReached(t *testing.T) {
	views, err := golden.Views("..")
	if err != nil {
		t.Fatal(err)
	}
	model, err := edm.NewModel(views.Full)
	if err != nil {
		t.Fatal(err)
	}
	w, g, _ := withSetsOf(t, edge.Documented()...)
	key, _ := w.key(newKey{organization: newID(), scopes: []string{"*:*"}})
	values := map[string]string{"Edm.Guid": newID(), "Edm.Int32": "2025", "Edm.Int64": "2025", "Edm.Date": "2025-12-31"}
	reached := 0
	for _, set := range model.Sets {
		if !set.Function() {
			continue
		}
		path, arguments, query := set.Path, []string{}, url.Values{}
		for _, p := range set.Needs {
			arguments = append(arguments, p.Name+"="+values[p.Kind])
			if path = strings.ReplaceAll(path, "{"+p.Name+"}", values[p.Kind]); !p.InPath {
				query.Set(p.Name, values[p.Kind])
			}
		}
		a := call(t, "GET", g.url+"/odata/v4/"+set.Name+"("+strings.Join(arguments, ",")+")", key)
		if a.StatusCode != 200 {
			t.Errorf("%s(%s): %d %s", set.Name, strings.Join(arguments, ","), a.StatusCode, a.body)
			continue
		}
		seen := a.json(t)
		if got, err := url.ParseQuery(seen["query"].(string)); err != nil || seen["path"] != path || !reflect.DeepEqual(got, query) {
			t.Errorf("%s went to %s?%s, %v", set.Name, seen["path"], seen["query"], err)
		}
		reached++
	}
	if reached < 15 {
		t.Errorf("%d functions were reached", reached)
	}
}

// A report that is a stream is one in OData too, whatever media type its caller accepts.
func TestAReportThatIsAStreamCountsAsOne(t *testing.T) {
	w, g, h := withSets(t)
	organization := newID()
	key, _ := w.key(newKey{organization: organization, scopes: []string{"accounting:read", "assets:read"}})
	w.ceilings(organization, "streams = 1")
	h.hold(t, g.url+"/v1/assets?slow", key, "Accept", "text/csv")
	defer h.letGo()
	for asked, status := range map[string]int{"schedule_by_capital_asset(fiscal_year=2025)": 429,
		"schedule_by_capital_asset(fiscal_year=2025)/$count": 429,
		"capital_asset_reconciliation":                       429, "capital_asset_journal(fiscal_year=2025)": 200, "assets": 200} {
		a := call(t, "GET", g.url+"/odata/v4/"+asked, key, "Accept", "application/json")
		if a.StatusCode != status || status == 429 && !strings.Contains(string(a.body), "too_many_streams") {
			t.Errorf("%s: %d %s", asked, a.StatusCode, a.body)
		}
	}
}

func TestODataIsRefusedInItsOwnForm(t *testing.T) {
	w, g, _ := withSets(t)
	key, _ := w.key(newKey{organization: newID(), scopes: []string{"accounting:read", "assets:read", "los:read"}})
	for _, test := range []struct {
		method, asked string
		status        int
		message       string
	}{
		{"GET", "asets", 404, "did you mean assets?"},
		{"GET", "assets(12)", 400, "must be given in parentheses, as an id"},
		{"GET", "assets(number=" + newID() + ")", 400, "is not a parameter of assets"},
		{"GET", "assets/name", 404, "$count"},
		{"GET", "assets/site", 404, "the id of a record in parentheses"},
		{"GET", "assets(" + newID() + ")/sit", 404, "there is only what it refers to: building, parent_asset, site, system."},
		{"GET", "assets(" + newID() + ")/$count", 404, "Behind a record of assets"},
		{"GET", "los_scorecard(" + newID() + ")/site", 404, "$count"},
		{"GET", "state_of_assets(" + newID() + ")", 404, "not one by one"},
		{"GET", "los_scorecard", 400, "must be given in parentheses, as an id: los_scorecard(id=…)"},
		{"GET", "capital_asset_journal(fiscal_year=" + newID() + ")", 400, "as a whole number: capital_asset_journal(fiscal_year=…)"},
		{"GET", "sites", 403, "sites:read"},
		{"POST", "assets", 400, "does not take"},
		{"GET", "?$format=atom", 400, "must be json"},
		{"GET", "?$format=application/atom%2Bxml;type=feed", 400, "must be json"},
		{"GET", "$metadata?$format=application/json;odata.metadata=full", 400, "must be xml"},
	} {
		a := call(t, test.method, g.url+"/odata/v4/"+test.asked, key)
		var failure struct {
			Error struct{ Code, Message string } `json:"error"`
		}
		if err := json.Unmarshal(a.body, &failure); err != nil || a.StatusCode != test.status ||
			!strings.Contains(failure.Error.Message, test.message) {
			t.Errorf("%s %s: %d %s, %v", test.method, test.asked, a.StatusCode, a.body, err)
		}
	}
	for _, headers := range [][]string{nil, asPassword("wrong"), {"Authorization", "Basic %%%"}} {
		a := call(t, "GET", g.url+"/odata/v4/", "", headers...)
		if a.StatusCode != 401 || !strings.HasPrefix(a.Header.Get("WWW-Authenticate"), "Basic ") {
			t.Errorf("%v: %d %v", headers, a.StatusCode, a.Header["Www-Authenticate"])
		}
	}
}

// What the gateway answers itself it gives to nobody who accepts something else, as the services do.
func TestTheGatewaysOwnPathsRefuseAFormThatThereIsNot(t *testing.T) {
	w, g, _ := withSets(t)
	key, _ := w.key(newKey{organization: newID(), scopes: []string{"*:*"}})
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	const ofPowerBI = "application/json;odata.metadata=minimal;q=1.0,application/json;odata=minimalmetadata;q=0.9," +
		"application/atomsvc+xml;q=0.8,application/atom+xml;q=0.8,application/xml;q=0.7,text/plain;q=0.7"
	for _, test := range []struct {
		path, has string
		accepted  []string
	}{
		{"/v1/me", "application/json", []string{"application/json", "application/problem+json", "application/*;q=0.1"}},
		{"/openapi.json", "application/json", []string{"application/json"}},
		{"/odata/v4/ams.pbids", "application/json", []string{"application/json"}},
		{"/odata/v4/", "application/json", []string{ofPowerBI, "application/json;odata.metadata=none"}},
		{"/odata/v4/$metadata", "application/xml", []string{ofPowerBI, "application/xml;charset=utf-8", "application/*"}},
	} {
		for _, accept := range append(test.accepted, browser, "*/*", "image/png, */*;q=0.1", "") {
			if a := call(t, "GET", g.url+test.path, key, "Accept", accept); a.StatusCode != 200 {
				t.Errorf("%s for who accepts %q: %d %s", test.path, accept, a.StatusCode, a.body)
			}
		}
		for _, accept := range []string{"text/csv", "image/png", "text/*", "text/html", test.has + ";q=0"} {
			a := call(t, "GET", g.url+test.path, key, "Accept", accept)
			if a.StatusCode != 400 || !strings.Contains(string(a.body), "Accept: must name ") || !strings.Contains(string(a.body), test.has) {
				t.Errorf("%s for who accepts %q: %d %s", test.path, accept, a.StatusCode, a.body)
			}
		}
	}
	if a := call(t, "GET", g.url+"/odata/v4/$metadata", key, "Accept", "application/json"); a.StatusCode != 400 {
		t.Errorf("$metadata in JSON: %d", a.StatusCode)
	}
	if a := call(t, "GET", g.url+"/odata/v4/$metadata?$format=xml", key, "Accept", "application/json"); a.StatusCode != 200 {
		t.Errorf("$format is in the place of Accept: %d %s", a.StatusCode, a.body)
	}
	if a := call(t, "GET", g.url+"/odata/v4/", key, "Accept", "application/json;odata.metadata=full"); a.StatusCode != 400 ||
		!strings.Contains(string(a.body), "odata.metadata=full is not had; ask for minimal") {
		t.Errorf("full metadata: %d %s", a.StatusCode, a.body)
	}
	bare := call(t, "GET", g.url+"/odata/v4/", key, "Accept", "application/json;odata.metadata=none;IEEE754Compatible=true")
	const bareJSON = "application/json;odata.metadata=none;odata.streaming=true;IEEE754Compatible=true;charset=utf-8"
	if _, has := bare.json(t)["@odata.context"]; has || bare.Header.Get("Content-Type") != bareJSON {
		t.Errorf("without metadata: %s %.200s", bare.Header.Get("Content-Type"), bare.body)
	}
}

func TestOnlySetsThatAKeyMayReadAreShown(t *testing.T) {
	w, g, _ := withSets(t)
	sets := func(key string) string {
		var names []string
		for _, entry := range call(t, "GET", g.url+"/odata/v4", key).json(t)["value"].([]any) {
			names = append(names, entry.(map[string]any)["name"].(string))
		}
		return " " + strings.Join(names, " ") + " "
	}
	narrow, _ := w.key(newKey{organization: newID(), scopes: []string{"assets:read", "los:read"}})
	whole, _ := w.key(newKey{organization: newID(), scopes: []string{"*:*"}})
	essentials, _ := w.key(newKey{organization: newID(), plan: "essentials", addOns: []string{"api_keys"}, scopes: []string{"*:*"}})
	if shown := sets(narrow); !strings.Contains(shown, " assets ") || !strings.Contains(shown, " state_of_assets ") ||
		strings.Contains(shown, " sites ") {
		t.Errorf("a narrow key is shown%s", shown)
	}
	if shown := sets(whole); !strings.Contains(shown, " sites ") || !strings.Contains(shown, " los_targets ") {
		t.Errorf("a key for everything is shown%s", shown)
	}
	if shown := sets(essentials); strings.Contains(shown, " los_targets ") || !strings.Contains(shown, " sites ") {
		t.Errorf("a plan without levels of service is shown%s", shown)
	}
	for _, asked := range []string{"?$format=json", "?$format=application/json;odata.metadata=minimal",
		"?$format=application/json%3Bodata.metadata%3Dminimal", "$metadata?$format=application/xml;charset=utf-8"} {
		if a := call(t, "GET", g.url+"/odata/v4/"+asked, narrow); a.StatusCode != 200 {
			t.Errorf("%s: %d %s", asked, a.StatusCode, a.body)
		}
	}
	metadata := call(t, "GET", g.url+"/odata/v4/$metadata", narrow)
	if text := string(metadata.body); strings.Contains(text, `NavigationProperty Name="site"`) ||
		!strings.Contains(text, `NavigationProperty Name="parent_asset"`) {
		t.Error("$metadata leads where the key may not read, or nowhere")
	}
	if text := string(metadata.body); metadata.Header.Get("Content-Type") != "application/xml" ||
		strings.Contains(text, `EntitySet Name="sites"`) || !strings.Contains(text, `EntitySet Name="assets"`) {
		t.Errorf("$metadata is %s %.300s", metadata.Header.Get("Content-Type"), text)
	}
	file := call(t, "GET", g.url+"/odata/v4/ams.pbids", "")
	if want := `{"connections":[{"details":{"address":{"url":"https://api.example.ca/odata/v4/"},"protocol":"odata"},"options":{},"mode":"Import"}],` +
		`"version":"0.1"}`; string(file.body) != want {
		t.Errorf("the file for Power BI is %s", file.body)
	}
}
