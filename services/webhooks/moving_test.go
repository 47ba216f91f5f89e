package webhooks

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Events of an organization that takes no writes because it is being moved are not taken, and not acknowledged: they wait in their outbox,
// and are taken where it arrives. Those of others in the same batch are.
func TestEventsOfAnOrganizationThatMovesWaitInTheirOutbox(t *testing.T) {
	f := newFixture(t)
	other := f.otherOrganization()
	owner, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(context.Background())
	state := func(state string) {
		t.Helper()
		if _, err := owner.Exec(t.Context(), `INSERT INTO organization_move (organization, state) VALUES ($1, $2)
			ON CONFLICT (organization) DO UPDATE SET state = excluded.state`, f.Principal.OrganizationID, state); err != nil {
			t.Fatal(err)
		}
	}
	events := func() (stored, last int64) {
		t.Helper()
		if err := owner.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM event WHERE organization_id = $1),
			coalesce((SELECT last_sequence FROM feed WHERE organization_id = $1), 0)`, f.Principal.OrganizationID).Scan(&stored, &last); err != nil {
			t.Fatal(err)
		}
		return stored, last
	}
	mine := f.event(newID(), 1)
	for n, each := range []string{"leaving", "reading", "absent"} {
		state(each)
		theirs := other.event(newID(), 1)
		if received := f.relay(t, mine, theirs); len(received) != 1 || received[0] != theirs["id"] {
			t.Errorf("%s: %v was acknowledged, of the other organization is %v", each, received, theirs["id"])
		}
		if stored, last := events(); stored != 0 || last != 0 {
			t.Errorf("%s, %d: %d events are stored, the last has number %d", each, n, stored, last)
		}
	}
	state("moving")
	if received := f.relay(t, mine); len(received) != 1 {
		t.Errorf("while it is copied its events are taken: %v", received)
	}
	if _, err := owner.Exec(t.Context(), "DELETE FROM organization_move"); err != nil {
		t.Fatal(err)
	}
	if received := f.relay(t, mine); len(received) != 1 { // sent once more, and known
		t.Errorf("after the move: %v", received)
	}
	if stored, last := events(); stored != 1 || last != 1 {
		t.Errorf("%d events are stored, the last has number %d", stored, last)
	}
}
