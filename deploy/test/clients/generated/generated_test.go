//go:build night

// Package generated tests the OpenAPI document with other people's generators: each makes a client from /openapi.json as it is, and
// the same program, written with each client, compiles without a cast and does its work on the running product.
package generated

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ams.internal/deploy/devstack"
	"ams.internal/deploy/devstack/apiclient"
	"ams.internal/libs/domain/catalogue"
)

func TestMain(m *testing.M) { os.Exit(devstack.RunTests(m, 1)) }

// atOnce is how many clients are generated and compiled at a time: compilers take memory.
var atOnce = make(chan struct{}, 2)

func TestGeneratedClientsDoTheirWork(t *testing.T) {
	description := document(t, "/openapi.json")
	through := prism(t)
	t.Run("Prism finds what violates the description", func(t *testing.T) {
		t.Parallel()
		refusesAName(t, through(t))
	})
	for _, g := range generators {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			built := build(t, g, description)
			t.Run("on the product", func(t *testing.T) { mirror(t, built, base(t)) })
			t.Run("through Prism", func(t *testing.T) { mirror(t, built, through(t)) })
		})
	}
}

// TestAPatchOfAValidatingClientHasOneField holds that schemas of patches have no defaults: with them, a client that sends what its
// schema made of a body with one field put a decommissioned asset back into service.
func TestAPatchOfAValidatingClientHasOneField(t *testing.T) {
	built := build(t, generator{"decommissioned", typeScript("decommissioned", orval)}, document(t, "/openapi.json"))
	o := newOrganization(t)
	id, _ := o.call(t, 201, "POST", "/v1/assets", row{"name": "Pump", "status": "decommissioned"})["id"].(string)
	command := built(t)
	command.Env = append(command.Env, "AMS_BASE_URL="+base(t), "AMS_API_KEY="+o.key, "ASSET="+id)
	output, err := command.CombinedOutput()
	if want := "sent {\"location\":\"Depot\"}\n200: decommissioned in Depot\n"; err != nil || string(output) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, output, want)
	}
	var changes struct {
		Data []struct {
			Changes map[string]any `json:"changes"`
		} `json:"data"`
	}
	history := o.send(t, "GET", "/v1/assets/"+id+"/history", nil)
	if err := json.Unmarshal(history.Body, &changes); err != nil || len(changes.Data) != 2 || len(changes.Data[1].Changes) != 1 ||
		changes.Data[1].Changes["location"] == nil {
		t.Errorf("history %s (%v): want a second entry with the location alone", history.Body, err)
	}
}

func base(t testing.TB) string { return devstack.ForTest(t).Description().BaseURL }

var client = &http.Client{Timeout: time.Minute}

// document is the description, which a gateway gives when it has it all.
func document(t testing.TB, path string) []byte {
	t.Helper()
	answer, err := apiclient.Send(client, "", http.MethodGet, base(t)+path, nil)
	if err != nil || answer.Status != http.StatusOK {
		t.Fatalf("%s: %d, %v", path, answer.Status, err)
	}
	for collection := range catalogue.Product().Collections() {
		if paths, _ := answer.Object["paths"].(row); paths[collection.Path] == nil {
			t.Fatalf("%s has no %s", path, collection.Path)
		}
	}
	return answer.Body
}

// mirror runs the program as a new customer, whose key is used to its limit when it begins, and looks at what it says.
func mirror(t *testing.T, built program, url string) {
	o := newOrganization(t)
	o.call(t, 201, "POST", "/v1/sites", row{"name": "Depot", "external_id": "S-1"})
	var assets []row
	for range seeded {
		assets = append(assets, row{"name": "Luminaire", "tags": []string{"led"}, "replacement_cost": 1250.5, "site_external_id": "S-1"})
	}
	o.call(t, 200, "POST", "/v1/assets/bulk", row{"data": assets})
	command := built(t)
	command.Dir = t.TempDir()
	command.Env = append(command.Env, "AMS_BASE_URL="+url, "AMS_API_KEY="+o.key, "PORT="+freePort(t))
	output := runBehind(t, command, o.occupy(t))
	for _, want := range said {
		if !strings.Contains(output, want+"\n") {
			t.Errorf("it does not say %q:\n%s", want, output)
		}
	}
	file, err := os.ReadFile(filepath.Join(command.Dir, "assets.ndjson"))
	if lines := strings.Count(string(file), "\n"); err != nil || lines != seeded+3 {
		t.Errorf("%d records in the file (%v), want %d", lines, err, seeded+3)
	}
}

const seeded = 250

var said = []string{
	"refused with 429", "read 250 of 250", "Boiler: Room 103, then 409 version_mismatch", "asset.updated: location of Boiler",
	"upserted: 2 created, 0 updated", "upserted: 0 created, 2 updated",
}
