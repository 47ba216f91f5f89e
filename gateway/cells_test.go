package gateway

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/principal"
)

// addCell adds a cell as the operator's API does, without asking the services.
func (w *fixture) addCell(name string) { w.exec(`INSERT INTO cell (name) VALUES ($1)`, name) }

func TestEveryCallIsSignedWithTheCellOfItsOrganization(t *testing.T) {
	o := newPeopleFixture(t)
	o.addCell("second")
	move := func(cell string) {
		o.exec(`UPDATE organization SET cell = $2 WHERE organization_id = $1`, people.organization, cell)
	}
	move("second")
	live, _ := o.key(newKey{organization: people.organization})
	if a := send(t, "POST", o.internal+"/internal/organizations/"+people.organization+"/sandbox",
		o.ada, `{}`); a.StatusCode != http.StatusCreated {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	sandbox := send(t, "POST", o.internal+"/internal/organizations/"+principal.SandboxOf(people.organization)+"/keys", o.ada,
		`{"name":"BI","scopes":["assets:read"]}`)
	test, _ := sandbox.json(t)["value"].(string)
	other, _ := o.key(newKey{})
	cellOf := func(key string) string {
		t.Helper()
		var sent struct{ Header http.Header }
		if err := json.Unmarshal(call(t, "GET", o.url+"/v1/assets", key).body, &sent); err != nil {
			t.Fatal(err)
		}
		p, err := o.signer.Verify(sent.Header.Get(principal.Header))
		if err != nil {
			t.Fatal(err)
		}
		return p.Cell
	}
	for name, c := range map[string]struct{ key, want string }{"its key": {live, "second"}, "its sandbox's": {test, "second"},
		"another's": {other, principal.First}} {
		if got := cellOf(c.key); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	o.created(t, `{"name":"BI","scopes":["assets:read"]}`) // has the session and the maker looked up
	send(t, "POST", o.internal+"/internal/organizations/"+people.organization+"/users/invite", o.ada, `{"email":"n@example.ca","name":"N"}`)
	send(t, "GET", o.internal+"/internal/organizations/"+people.organization+"/audit", o.ada, "")
	o.people.mu.Lock()
	for _, path := range []string{"/internal/users/session", "/internal/users/standing", "/v1/users", "/internal/users/invitations",
		"/internal/changes"} {
		if p, asked := o.people.asked[path]; !asked || p.Cell != "second" {
			t.Errorf("%s: %v %q", path, asked, p.Cell)
		}
	}
	if p := o.people.asked["/internal/users/sign-in"]; p.Cell != "" {
		t.Errorf("who signs in has said no organization, and is looked for in %q alone", p.Cell)
	}
	o.people.mu.Unlock()
	move(principal.First)
	if got := cellOf(live); got != principal.First {
		t.Errorf("after it has moved: %q", got)
	}
	// A session that is older than the move is followed too, and a service that works in one cell asks about an organization of another.
	send(t, "GET", o.keys, o.ada, "")
	o.people.mu.Lock()
	if p := o.people.asked["/internal/users/session"]; p.Cell != principal.First {
		t.Errorf("a session goes to %q", p.Cell)
	}
	o.people.mu.Unlock()
}

func TestNewOrganizationsGoToTheEmptiestCellThatTakesThem(t *testing.T) {
	w := newFixture(t)
	w.people()
	g := w.start()
	create := func(more string) *fullResponse {
		return send(t, "POST", g.internal+"/internal/organizations", testToken, `{"name":"Ville","plan":"essentials",
			"administrator":{"email":"ada@example.ca","name":"Ada","password":"correct horse battery staple"}`+more+`}`)
	}
	made := func(more string) string {
		t.Helper()
		a := create(more)
		if a.StatusCode != http.StatusCreated {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
		return a.json(t)["cell"].(string)
	}
	if got := made(""); got != principal.First {
		t.Errorf("with one cell: %q", got)
	}
	w.addCell("second")
	w.addCell("third")
	var creating sync.WaitGroup
	for range 7 { // with the two that are in the first, three for each
		creating.Go(func() { create("") })
	}
	creating.Wait()
	if got := cells(t, g); got != "first 3, second 3, third 3" {
		t.Errorf("made side by side: %s", got)
	}
	if got := made(`,"cell":"third"`); got != "third" {
		t.Errorf("asked for the third: %q", got)
	}
	for _, path := range []string{"first/close", "second/close", "third/close", "second/open"} {
		if a := send(t, "POST", g.internal+"/internal/cells/"+path, testToken, `{}`); a.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s", path, a.StatusCode, a.body)
		}
	}
	if got := made(""); got != "second" {
		t.Errorf("only the second takes any: %q", got)
	}
	send(t, "POST", g.internal+"/internal/cells/second/close", testToken, `{}`)
	if a := create(""); a.StatusCode != http.StatusConflict || a.json(t)["code"] != "no_open_cell" {
		t.Errorf("none takes any: %d %s", a.StatusCode, a.body)
	}
	if a := create(`,"cell":"fourth"`); a.StatusCode != http.StatusBadRequest || !strings.Contains(string(a.body), "amsctl cells list") {
		t.Errorf("a cell that is not there: %d %s", a.StatusCode, a.body)
	}
	if a := send(t, "POST", g.internal+"/internal/cells/fourth/open", testToken, `{}`); a.StatusCode != http.StatusNotFound {
		t.Errorf("a cell that is not there is opened: %d %s", a.StatusCode, a.body)
	}
}

// cells are the cells as the operator sees them, with how many organizations each has.
func cells(t *testing.T, g *running) string {
	t.Helper()
	var list struct {
		Data []struct {
			Name          string
			Organizations int
		}
	}
	if err := json.Unmarshal(send(t, "GET", g.internal+"/internal/cells", testToken, "").body, &list); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, each := range list.Data {
		all = append(all, fmt.Sprint(each.Name, " ", each.Organizations))
	}
	return strings.Join(all, ", ")
}

func TestACellIsAddedOnlyWhenEveryServiceCanUseIt(t *testing.T) {
	w := newFixture(t)
	var mu sync.Mutex
	states := map[string]string{} // of a service in the cell second, by the service
	for _, name := range catalogue.Product().Services() {
		w.serve(name, func(out http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/internal/openapi.json" {
				_, _ = io.WriteString(out, `{"openapi":"3.1.0","paths":{}}`)
				return
			}
			p, _ := principal.NewSigner(testSecret)
			caller, err := p.Verify(r.Header.Get(principal.Header))
			if err != nil || r.URL.Path != "/internal/cell" || caller.Actor.Type != "service" {
				t.Errorf("%s %v", r.URL.Path, err)
			}
			mu.Lock()
			state := states[name]
			mu.Unlock()
			if caller.Cell == principal.First || state == "" {
				state = `{"base_version":8,"version":3,"rows":40,"bytes":9000}`
			}
			if strings.Contains(state, `"code"`) {
				out.WriteHeader(http.StatusServiceUnavailable)
			}
			_, _ = io.WriteString(out, state)
		})
	}
	g := w.start()
	add := func(body string) *fullResponse { return send(t, "POST", g.internal+"/internal/cells", testToken, body) }
	for name, c := range map[string]struct{ service, state, says string }{
		"unknown to one": {"assets", `{"error":"no","code":"cell_unknown"}`, "assets does not have it in AMS_CELLS"},
		"away for one": {"meters", `{"error":"The database cannot be reached.","code":"database_unavailable"}`,
			"meters does not answer"},
		"without a migration of one": {"webhooks", `{"base_version":8,"version":2}`,
			"webhooks has the migrations 8 and 2 there, and 8 and 3 in the first"},
	} {
		mu.Lock()
		clear(states)
		states[c.service] = c.state
		mu.Unlock()
		a := add(`{"name":"second"}`)
		if a.StatusCode != http.StatusConflict || a.json(t)["code"] != "cell_not_ready" || !strings.Contains(string(a.body), c.says) {
			t.Errorf("%s: %d %s", name, a.StatusCode, a.body)
		}
	}
	mu.Lock()
	clear(states)
	mu.Unlock()
	for body, status := range map[string]int{`{"name":"Second"}`: 400, `{"name":"a b"}`: 400, `{}`: 400, `{"name":"first"}`: 409} {
		if a := add(body); a.StatusCode != status {
			t.Errorf("%s: %d %s", body, a.StatusCode, a.body)
		}
	}
	if a := add(`{"name":"second","takes_new":false}`); a.StatusCode != http.StatusCreated || a.json(t)["takes_new"] != false {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	list := string(send(t, "GET", g.internal+"/internal/cells", testToken, "").body)
	if rows := fmt.Sprintf(`"rows":%d`, 40*len(catalogue.Product().Services())); strings.Count(list, rows) != 2 ||
		strings.Count(list, `"bytes":9000`) != 2 {
		t.Errorf("%s", list)
	}
	for _, caller := range []string{"", "somebody"} {
		if a := send(t, "GET", g.internal+"/internal/cells", caller, ""); a.StatusCode != http.StatusUnauthorized {
			t.Errorf("%q lists the cells: %d", caller, a.StatusCode)
		}
	}
}
