package gateway

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ams.internal/libs/principal"
)

// stores stand for all services that have something about Max: he is removed, and his name is erased where the gateway has it erased.
type stores struct {
	mu      sync.Mutex
	status  string
	erased  bool              // his own record
	calls   []string          // "service path organization"
	failing map[string]bool   // services that are unavailable
	emails  []string          // whose contact data was erased
	before  map[string]string // by organization: until when somebody must have been removed to be forgotten
	actors  map[string]bool   // who called
}

// ofStores are the services that are called about a person, the gateway itself apart.
var ofStores = []string{"accounting", "assets", "documents", "forms", "infrastructure", "los", "mcp", "meters", "planning", "projects",
	"requests", "workorders", "console", "users", "webhooks"}

func newStores(t *testing.T) (*peopleFixture, *stores) {
	t.Helper()
	w := newFixture(t)
	s := &stores{status: "removed", before: map[string]string{}, failing: map[string]bool{}, actors: map[string]bool{}}
	signer, err := principal.NewSigner(testSecret)
	if err != nil {
		t.Fatal(err)
	}
	handler := func(service string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { s.serve(t, service, signer, w, r) }
	}
	o := &peopleFixture{fixture: w, people: w.people()}
	o.people.persons = handler("users")
	for _, service := range ofStores {
		if service != "users" {
			w.serve(service, handler(service))
		}
	}
	o.running = w.start()
	o.ada, o.eva = w.signIn(o.running, "ada@example.ca"), w.signIn(o.running, "eva@example.ca")
	return o, s
}

func (s *stores) serve(t *testing.T, service string, signer *principal.Signer, w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	p, err := signer.Verify(r.Header.Get(principal.Header))
	if r.Method == http.MethodGet || err != nil { // its part of the documentation
		w.WriteHeader(http.StatusNotFound)
		return
	}
	s.actors[p.Actor.Type+" "+p.Actor.ID] = true
	var in struct{ ID, After, Email, Before string }
	body, _ := io.ReadAll(r.Body)
	if err := json.Unmarshal(body, &in); err != nil || strings.Contains(string(body), `"after":""`) { // which services refuse
		t.Errorf("%s %s: %s", service, r.URL.Path, body)
	}
	if s.failing[service] {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"error":"The service is unavailable.","code":"service_unavailable"}`)
		return
	}
	s.calls = append(s.calls, service+" "+r.URL.Path+" "+p.OrganizationID)
	switch r.URL.Path {
	case "/internal/users/person":
		if in.Email == "stranger@example.ca" {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"error":"There is no such user.","code":"not_found"}`)
			return
		}
		fmt.Fprintf(w, `{"id":"%s","email":"max@example.ca","status":"%s","erased":%t,"record":{"name":"Max"}}`, people.max, s.status, s.erased)
	case "/internal/users/forgettable":
		s.before[p.OrganizationID] = in.Before
		if s.erased || p.OrganizationID != people.organization {
			_, _ = io.WriteString(w, `{"ids":[]}`)
			return
		}
		fmt.Fprintf(w, `{"ids":["%s"]}`, people.max)
	case "/internal/users/forget":
		s.erased = true
		_, _ = io.WriteString(w, `{"rows":1}`)
	case "/internal/contacts/erase", "/internal/contacts/export":
		s.emails = append(s.emails, in.Email)
		_, _ = io.WriteString(w, `{"rows":{"request":1},"records":{"request":[{"requester_email":"max@example.ca"}]},"next":""}`)
	default:
		if service == "assets" && in.After == "" {
			_, _ = io.WriteString(w, `{"rows":{"history":2},"records":{"history":[{"actor":{"name":"Max"}}]},"next":"more"}`)
			return
		}
		_, _ = io.WriteString(w, `{"rows":{},"next":""}`)
	}
}

// called gives the calls since it was called last.
func (s *stores) called() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := s.calls
	s.calls = nil
	return calls
}

func (s *stores) set(change func(s *stores)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

// fill writes what the gateway itself has about Max, and about somebody of another organization with the same id.
func (o *peopleFixture) fill(t *testing.T) (other string) {
	t.Helper()
	other = newID()
	o.exec(`INSERT INTO organization (organization_id, name, plan, currency) VALUES ($1, 'Somebody else', 'enterprise', 'CAD')`, other)
	for _, organization := range []string{people.organization, other} {
		o.exec(`INSERT INTO audit (organization_id, id, at, actor, action, subject, address, request_id)
			SELECT $1, gen_random_uuid(), now(), a, 'key.created', s, '', ''
			FROM (VALUES (jsonb_build_object('type', 'user', 'id', $2::text, 'name', 'Max Power'), '{"type":"key","id":"k","name":"BI"}'::jsonb),
				('{"type":"user","id":"e","name":"Eva"}', jsonb_build_object('type', 'user', 'id', $2::text, 'name', 'Max Power'))) AS e (a, s)`,
			organization, people.max)
	}
	return other
}

func (o *peopleFixture) names(t *testing.T, organization string) (names string) {
	t.Helper()
	if err := o.owner.QueryRow(t.Context(), `SELECT string_agg((actor ->> 'name') || '/' || (subject ->> 'name'), ' '
			ORDER BY actor ->> 'name')
		FROM audit WHERE organization_id = $1 AND action = 'key.created'`, organization).Scan(&names); err != nil {
		t.Fatal(err)
	}
	return names
}

func TestAPersonIsForgottenInEveryServiceAndItsRecordLast(t *testing.T) {
	o, s := newStores(t)
	other := o.fill(t)
	if a := send(t, "POST", o.internal+sandboxPath, o.ada, `{}`); a.StatusCode != 201 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	s.called()
	a := send(t, "POST", o.internal+organizationPath+"/persons/forget", testToken, `{"user_id":"`+people.max+`"}`)
	if a.StatusCode != 200 || a.json(t)["next"] != "" {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	calls := s.called()
	for _, service := range ofStores {
		for _, organization := range []string{people.organization, sandboxID} {
			if !slices.Contains(calls, service+" /internal/persons/erase "+organization) {
				t.Errorf("%s was not called about %s", service, organization)
			}
		}
	}
	if last := calls[len(calls)-1]; last != "users /internal/users/forget "+people.organization {
		t.Errorf("the last was %s", last)
	}
	if !slices.Equal(s.emails, []string{"max@example.ca", "max@example.ca", "max@example.ca", "max@example.ca"}) {
		t.Errorf("contact data of %v was erased", s.emails)
	}
	if !s.actors["service gateway"] || s.actors["service operator"] {
		t.Errorf("called by %v", s.actors)
	}
	if got := o.names(t, people.organization); got != "Eva/private private/BI" {
		t.Errorf("the trail has %s", got)
	}
	if got := o.names(t, other); got != "Eva/Max Power Max Power/BI" {
		t.Errorf("the trail of another organization has %s", got)
	}
	entries, _, _ := o.trailOf(t, "person="+people.max)
	text, _ := json.Marshal(entries)
	if strings.Contains(string(text), "Max") || strings.Contains(string(text), "max@") || entries[0]["action"] != "person.forgotten" ||
		entries[0]["subject"].(map[string]any)["id"] != people.max {
		t.Errorf("%s", text)
	}
}

func TestWhoIsNotRemovedIsNotForgotten(t *testing.T) {
	o, s := newStores(t)
	o.fill(t)
	s.set(func(s *stores) { s.status = "active" })
	path := o.internal + organizationPath + "/persons/forget"
	for _, c := range []struct {
		what, path, token, body string
		status                  int
		says                    string
	}{
		{"an active user", path, testToken, `{"user_id":"` + people.max + `"}`, 409, "remove the user first (DELETE /v1/users/"},
		{"by address", path, testToken, `{"email":"max@example.ca"}`, 409, "user_not_removed"},
		{"nobody named", path, testToken, `{}`, 400, "name the person by one of user_id and email"},
		{"named twice", path, testToken, `{"email":"max@example.ca","user_id":"` + people.max + `"}`, 400, "name the person by one of"},
		{"a cursor that is none", path, testToken, `{"email":"stranger@example.ca","after":"x"}`, 400, "must be the next of the call before"},
		{"an Administrator", path, o.ada, `{"user_id":"` + people.max + `"}`, 403, "not_allowed"},
		{"an Administrator who wants to see", o.internal + organizationPath + "/persons/export", o.ada,
			`{"user_id":"` + people.max + `"}`, 403, "not_allowed"},
		{"an organization that is not there", o.internal + "/internal/organizations/" + newID() + "/persons/forget", testToken,
			`{"user_id":"` + people.max + `"}`, 404, "not_found"},
	} {
		if a := send(t, "POST", c.path, c.token, c.body); a.StatusCode != c.status || !strings.Contains(string(a.body), c.says) {
			t.Errorf("%s: %d %s", c.what, a.StatusCode, a.body)
		}
	}
	for _, call := range s.called() {
		if strings.Contains(call, "erase") || strings.Contains(call, "forget ") {
			t.Errorf("what was refused has called %s", call)
		}
	}
	if got := o.names(t, people.organization); got != "Eva/Max Power Max Power/BI" {
		t.Errorf("the trail has %s", got)
	}
}

func TestAStrangerIsForgottenByAddress(t *testing.T) {
	o, s := newStores(t)
	a := send(t, "POST", o.internal+organizationPath+"/persons/forget", testToken, `{"email":"stranger@example.ca"}`)
	if a.StatusCode != 200 || a.json(t)["user_id"] != nil || strings.Count(string(a.body), `"request":1`) != 2 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	if slices.ContainsFunc(s.called(), func(call string) bool { return strings.Contains(call, "/internal/persons/") }) {
		t.Error("a stranger is looked for as a user")
	}
	entries, _, _ := o.trailOf(t, "limit=1")
	if text, _ := json.Marshal(entries); !strings.Contains(string(text), "person.forgotten") || strings.Contains(string(text), "stranger@") {
		t.Errorf("%s", text)
	}
}

func TestWhatIsStoredAboutAPersonIsShownToTheOperator(t *testing.T) {
	o, _ := newStores(t)
	o.fill(t)
	a := send(t, "POST", o.internal+organizationPath+"/persons/export", testToken, `{"email":"max@example.ca"}`)
	if a.StatusCode != 200 || a.json(t)["record"].(map[string]any)["name"] != "Max" {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	found := map[string]int{}
	for _, part := range a.json(t)["data"].([]any) {
		of := part.(map[string]any)
		for table, records := range of["records"].(map[string]any) {
			found[fmt.Sprint(of["service"], ".", table)] += len(records.([]any))
		}
	}
	if fmt.Sprint(found) != "map[assets.history:1 gateway.audit:2 requests.request:1 workorders.request:1]" {
		t.Errorf("%v", found)
	}
	if got := o.names(t, people.organization); got != "Eva/Max Power Max Power/BI" {
		t.Errorf("what is shown was erased: %s", got)
	}
	if entries, _, _ := o.trailOf(t, "limit=1"); entries[0]["action"] != "person.exported" {
		t.Errorf("%v", entries)
	}
}

// A removed user is forgotten by himself when the time of his organization is over; a service that is away has it tried again, and whoever
// was killed in between has left the record as it was, so that the next one begins anew.
func TestRemovedUsersAreForgottenWhenTheirTimeIsOver(t *testing.T) {
	o, s := newStores(t)
	other := o.fill(t)
	o.exec(`UPDATE organization SET contact_retention_days = 30 WHERE organization_id = $1`, people.organization)
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	s.set(func(s *stores) { s.failing["los"] = true })
	if err := o.accounts.ForgetRemoved(t.Context(), now); err == nil || s.erased {
		t.Fatalf("with a service that cannot be reached: %v, erased %t", err, s.erased)
	}
	if !slices.Contains(s.called(), "assets /internal/persons/erase "+people.organization) {
		t.Error("nothing was begun")
	}
	s.set(func(s *stores) { s.failing["los"] = false })
	if err := o.accounts.ForgetRemoved(t.Context(), now); err != nil || !s.erased {
		t.Fatalf("%v, erased %t", err, s.erased)
	}
	if s.before[people.organization] != "2026-10-31T12:00:00Z" || s.before[other] != "2025-11-30T12:00:00Z" {
		t.Errorf("removed before %v", s.before)
	}
	if got := o.names(t, people.organization); got != "Eva/private private/BI" {
		t.Errorf("the trail has %s", got)
	}
	s.called()
	if err := o.accounts.ForgetRemoved(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	for _, call := range s.called() {
		if !strings.Contains(call, "forgettable") {
			t.Errorf("done once, it goes on: %s", call)
		}
	}
	entries, _, _ := o.trailOf(t, "limit=50")
	if n := strings.Count(actions(entries), "person.forgotten"); n != 1 {
		t.Errorf("%d entries say so: %s", n, actions(entries))
	}
}
