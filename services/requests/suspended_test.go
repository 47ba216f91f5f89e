package requests

import (
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
)

func TestAStrangerIsToldThatRequestsCannotBeTakenWhileTheOrganizationIsSuspended(t *testing.T) {
	database := postgrestest.New(t, "requests", migrations)
	db, err := postgres.Open(t.Context(), database.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	f := newFixtureOn(t, database, db, testLimits)
	f.service(t, fields{"attributes": []fields{}})
	token, _ := f.link(t, fields{"service_codes": []string{"PLAYGROUND"}})
	owner, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context())
	const mark = "INSERT INTO organization_move (organization, state) VALUES ($1, 'suspended')"
	if _, err := owner.Exec(t.Context(), mark, f.Principal.OrganizationID); err != nil {
		t.Fatal(err)
	}
	s := f.stranger(1)
	for _, c := range []struct{ path, says string }{
		{"/public/links/" + token, `"organization_suspended"`},
		{"/r/" + token, "Requests to this municipality cannot be taken here at the moment."},
		{"/r/" + token + "?lang=fr", "Les demandes à cette municipalité ne peuvent pas être reçues ici"},
	} {
		if a := s.do(t, "GET", c.path, nil); a.status != http.StatusForbidden || !strings.Contains(a.body, c.says) {
			t.Errorf("%s: %d %.600s", c.path, a.status, a.body)
		}
	}
}
