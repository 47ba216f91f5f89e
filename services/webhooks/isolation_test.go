package webhooks

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/testwait"
)

// The service's database role sees nothing without an organization, and one organization only with it.
func TestAForgottenWhereShowsNobodyElse(t *testing.T) {
	f := newFixture(t)
	f.service.startDispatcher(t)
	r := newReceiver(t, nil)
	id := f.subscribe(t, r, nil)
	f.relay(t, f.event(newID(), 1))
	r.waitForCalls(t, 1)
	testwait.For(t, testTimeout, "it is written down", func() bool { return queryOne[int](t, f, `SELECT count(*) FROM attempt`) == 1 })
	f.Must(t, 200, "POST", "/v1/webhook-endpoints/"+id+"/pause", nil)
	f.relay(t, f.event(newID(), 1))
	f.Must(t, 201, "POST", "/v1/webhook-endpoints/"+id+"/replay", map[string]any{"since": "2026-11-01T00:00:00Z"})
	ctx := context.Background()
	db, err := pgx.Connect(ctx, f.database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(ctx)
	other := uuid.NewString()
	tables := []string{"feed", "event", "delivery", "lane", "dispatch", "attempt", "replay", "webhook_endpoint", "webhook_endpoint_secret",
		"history", "outbox"}
	for _, table := range tables {
		for organization, want := range map[string]bool{"": false, other: false, f.Client.Principal.OrganizationID: true} {
			if _, err := db.Exec(ctx, "SELECT set_config('ams.organization_id', $1, false)", organization); err != nil {
				t.Fatal(err)
			}
			var count int
			if err := db.QueryRow(ctx, "SELECT count(*) FROM "+table).Scan(&count); err != nil {
				t.Fatalf("%s: %v", table, err)
			}
			if (count > 0) != want {
				t.Errorf("%s shows %d rows to organization %q", table, count, organization)
			}
		}
		if _, err := db.Exec(ctx, "SELECT set_config('ams.organization_id', $1, false)", other); err != nil {
			t.Fatal(err)
		}
		if done, err := db.Exec(ctx, "DELETE FROM "+table); err == nil && done.RowsAffected() != 0 {
			t.Errorf("%d rows of %s deleted from another organization", done.RowsAffected(), table)
		}
	}
}
