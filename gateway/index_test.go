package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"ams.internal/libs/principal"
)

// The platform's admin reaches the owner of a collection, for one organization; only a rebuild is in the audit trail.
func TestTheIndexIsLookedAfterByTheOwnerOfTheCollection(t *testing.T) {
	w := newFixture(t)
	asked := make(chan string, 10)
	signer, err := principal.NewSigner(testSecret)
	if err != nil {
		t.Fatal(err)
	}
	w.serve("workorders", func(response http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // its part of the documentation
			response.WriteHeader(http.StatusNotFound)
			return
		}
		p, err := signer.Verify(r.Header.Get(principal.Header))
		if err != nil {
			t.Error(err)
		}
		var in struct{ Collection, Action string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		response.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/internal/changes" {
			fmt.Fprint(response, `{"data":[]}`)
			return
		}
		asked <- strings.Join([]string{r.URL.Path, p.OrganizationID, p.Actor.Type, in.Collection, in.Action}, " ")
		if in.Collection == "work_order_tasks" {
			response.WriteHeader(http.StatusNotFound)
			fmt.Fprint(response, `{"error":"collection: no index","code":"not_indexed"}`)
			return
		}
		fmt.Fprint(response, `{"collection":"work_orders","records":7,"pending":2,"problem":"a bitmap cannot be read"}`)
	})
	o := &peopleFixture{fixture: w, people: w.people()}
	o.running = w.start()
	path := o.internal + "/internal/organizations/" + people.organization + "/index"
	for _, action := range []string{"verify", "rebuild", "fold"} {
		answer := send(t, "POST", path, testToken, fmt.Sprintf(`{"collection":"work_orders","action":%q}`, action))
		if state := answer.json(t); answer.StatusCode != 200 || state["collection"] != "work_orders" || state["records"] != 7.0 ||
			state["pending"] != 2.0 || state["problem"] != "a bitmap cannot be read" {
			t.Errorf("%s: %d %s", action, answer.StatusCode, answer.body)
		}
	}
	for collection, want := range map[string]string{"work_order_tasks": "404 not_indexed", "assets": "503 service_unavailable"} {
		answer := send(t, "POST", path, testToken, fmt.Sprintf(`{"collection":%q,"action":"verify"}`, collection))
		if got := fmt.Sprint(answer.StatusCode, " ", answer.json(t)["code"]); got != want {
			t.Errorf("%s: %s, want %s", collection, got, want)
		}
	}
	for _, want := range []string{"work_orders verify", "work_orders rebuild", "work_orders fold", "work_order_tasks verify"} {
		if got := <-asked; got != "/internal/index "+people.organization+" service "+want {
			t.Errorf("asked %s, want %s", got, want)
		}
	}
	o.eva = w.signIn(o.running, "eva@example.ca")
	entries, _, _ := o.trailOf(t, "limit=100")
	if got := actions(entries); got != "user.signed_in organization.index_rebuilt" {
		t.Fatalf("the trail is %s", got)
	}
	if e := entries[1]; e["actor"].(map[string]any)["id"] != "operator" || fmt.Sprint(e["changes"]) != "map[collection:[<nil> work_orders]]" {
		t.Errorf("%v", e)
	}
}
