package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"ams.internal/deploy/devstack"
	"ams.internal/deploy/devstack/testtools"
)

// open311Client is testdata/open311/client.js, with the package open311 of npm (node-open311, by Code for America): a client that nobody
// here wrote, as it is. It names an XML parser by an address of GitHub and one that is to be compiled; it asks for JSON where it can, so
// package.json puts another parser in their place.
type open311Client struct {
	packages testtools.NodePackages
	script   string
	settings []string
}

func newOpen311Client(t testing.TB, settings ...string) open311Client {
	t.Helper()
	folder := filepath.Join("testdata", "open311")
	script, err := filepath.Abs(filepath.Join(folder, "client.js"))
	if err != nil {
		t.Fatal(err)
	}
	packages := testtools.NodePackagesOf(folder)(t)
	settings = append(settings, "NODE_PATH="+packages.Package("."),
		"DISCOVERY="+devstack.ForTest(t).Description().BaseURL+"/open311/v2/discovery.json")
	return open311Client{packages, script, settings}
}

// run gives what the script prints, or what it complains about.
func (c open311Client) run(t testing.TB, found any, arguments ...string) (complaint string) {
	t.Helper()
	command := c.packages.Command(t, append([]string{c.script}, arguments...)...)
	command.Env = append(command.Env, c.settings...)
	var errors strings.Builder
	command.Stderr = &errors
	out, err := command.Output()
	if err == nil {
		err = json.Unmarshal(out, found)
	}
	if err != nil {
		return err.Error() + ": " + errors.String()
	}
	return ""
}

// An Open311 app that nobody here wrote finds the endpoint, lists the services of a jurisdiction by its name, sends a request and
// sees it once it is published.
func TestAnAppForOpen311ListsServicesAndSendsARequest(t *testing.T) {
	const code, jurisdiction = "E2E-APP", "riviere-claire.ca"
	staff := fresh(t, city)
	d := devstack.ForTest(t).Description()
	if named := (caller{d.AdminURL, d.AdminToken}).do(t, "PATCH", "/internal/organizations/"+organization(t, city).ID+"/settings",
		map[string]any{"jurisdiction_id": jurisdiction}); named.status != 200 {
		t.Fatalf("%d %s", named.status, named.body)
	}
	site := staff.create(t, "/v1/sites", map[string]any{"name": "Mill Park for an app"})
	staff.create(t, "/v1/request-services", map[string]any{"service_code": code, "name": "Playground", "public": true, "group": "Parks",
		"attributes": []map[string]any{{"code": "KIND", "question": "Which?", "datatype": "singlevaluelist", "required": true,
			"values": []map[string]any{{"key": "swing", "name": "Swing"}}}}})
	link := staff.must(t, 201, "POST",
		"/v1/request-links", map[string]any{"name": "Playground", "site_id": site, "service_codes": []string{code},
			"notice": "Collected under the Municipal Act, 2001.", "notice_fr": "Recueillis en vertu de la Loi."}).object
	app := newOpen311Client(t, "JURISDICTION="+jurisdiction, "SERVICE="+code, "API_KEY="+link["token"].(string))

	var sent struct {
		Endpoint string
		Service  map[string]any
		Given    []struct {
			ID string `json:"service_request_id"`
		}
	}
	if complaint := app.run(t, &sent, "report"); complaint != "" {
		t.Fatal(complaint)
	}
	if sent.Endpoint != d.BaseURL+"/open311/v2/" || sent.Service["service_name"] != "Playground" || sent.Service["type"] != "realtime" ||
		len(sent.Given) != 1 {
		t.Fatalf("%+v", sent)
	}
	number := sent.Given[0].ID
	record := staff.must(t, 200, "GET", "/v1/requests?number="+number, nil).object["data"].([]any)[0].(map[string]any)
	for field, want := range map[string]any{"source": "open311",
		"site_id": site, "link_id": link["id"], "latitude": 43.6511, "longitude": -79.347,
		"description": "La chaîne <gauche> de la balançoire", "requester_name": "Anne Côté", "requester_email": "anne@example.ca"} {
		if record[field] != want {
			t.Errorf("%s is %v, want %v", field, record[field], want)
		}
	}
	if answers := record["attributes"].(map[string]any); answers["KIND"] != "swing" {
		t.Errorf("the answers are %v", answers)
	}

	if complaint := app.run(t, &struct{}{}, "look", number); !strings.Contains(complaint, "404") {
		t.Errorf("a request that is not published: %q", complaint)
	}
	staff.must(t, 200, "PATCH", "/v1/requests/"+record["id"].(string), map[string]any{"published": true})
	var seen map[string][]map[string]any
	if complaint := app.run(t, &seen, "look", number); complaint != "" {
		t.Fatal(complaint)
	}
	for name, list := range seen {
		if len(list) != 1 || list[0]["service_request_id"] != number || list[0]["status"] != "open" || list[0]["lat"] != 43.6511 ||
			list[0]["description"] != record["description"] {
			t.Errorf("%s: %v", name, list)
		}
		if text, _ := json.Marshal(list); strings.Contains(string(text), "nne") {
			t.Errorf("%s: contact data is public: %s", name, text)
		}
	}
	if len(seen) != 3 {
		t.Errorf("%v", seen)
	}
	stranger := newOpen311Client(t, "JURISDICTION="+jurisdiction, "SERVICE="+code, "API_KEY=guess")
	if complaint := stranger.run(t, &struct{}{}, "report"); !strings.Contains(complaint, "403") || !strings.Contains(complaint, "api_key") {
		t.Errorf("an api_key that is none: %q", complaint)
	}
}
