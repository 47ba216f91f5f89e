package requests

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
)

// A stranger who comes just after the organization has moved is served in its new cell, though the door remembers the former one; while the
// gateway still says that one, he is refused with 503.
func TestTheDoorFollowsAnOrganizationThatMoves(t *testing.T) {
	former, database := postgrestest.New(t, "requests", migrations), postgrestest.New(t, "requests", migrations)
	db, err := postgres.Open(t.Context(), former.URL, postgres.Cell{Name: "second", Address: database.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	f := newFixtureOn(t, database, db, testLimits)
	f.Principal.Cell = "second" // where its rows are already
	f.service(t, fields{"attributes": []fields{}})
	token, _ := f.link(t, fields{"service_codes": []string{"PLAYGROUND"}})
	owner, err := pgx.Connect(t.Context(), former.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context())
	if _, err := owner.Exec(t.Context(), "INSERT INTO organization_move (organization, state) VALUES ($1, 'absent')",
		f.Principal.OrganizationID); err != nil {
		t.Fatal(err)
	}
	s := f.stranger(1)
	path := "/internal/organizations/" + f.Principal.OrganizationID
	open311 := "/open311/v2/services.json?jurisdiction_id=" + f.Principal.OrganizationID
	f.organization(f.Client, fields{"cell": "second"})
	given := s.must(t, http.StatusCreated, "POST", "/public/links/"+token, fields{"description": "Broken", "stamp": s.stamp(t, token)}).json
	for _, c := range []struct {
		name, method, path string
		body               any
		status             int
	}{
		{"a link as JSON", "GET", "/public/links/" + token, nil, http.StatusOK},
		{"its page", "GET", "/r/" + token, nil, http.StatusOK},
		{"a receipt", "GET", "/r/status/" + given["receipt"].(string), nil, http.StatusOK},
		{"Open311 reads", "GET", open311, nil, http.StatusOK},
		{"Open311 writes", "POST", "/open311/v2/requests.json", url.Values{"jurisdiction_id": {f.Principal.OrganizationID}, "api_key": {token},
			"service_code": {"PLAYGROUND"}, "description": {"Swing"}}, http.StatusCreated},
		{"a request by a link", "POST", "/public/links/" + token, fields{"description": "Broken", "stamp": s.stamp(t, token)},
			http.StatusCreated},
	} {
		f.clock.pass(time.Minute) // what was known before is forgotten
		f.organization(f.Client, fields{"cell": principal.First})
		asked := f.peers.Requests(path)
		if a := s.do(t, c.method, c.path, c.body); a.status != http.StatusServiceUnavailable || f.peers.Requests(path) != asked+2 {
			t.Errorf("%s, while the gateway says the former cell: %d after %d questions: %.300s", c.name, a.status,
				f.peers.Requests(path)-asked, a.body)
		}
		if _, err := f.door.organizations.find(t.Context(), f.Principal.OrganizationID); err != nil { // the door remembers the former cell
			t.Fatal(err)
		}
		f.organization(f.Client, fields{"cell": "second"})
		if a := s.do(t, c.method, c.path, c.body); a.status != c.status {
			t.Errorf("%s, after the move: %d, not %d: %.300s", c.name, a.status, c.status, a.body)
		}
	}
}
