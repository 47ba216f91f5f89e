package main

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// The service's database role sees nothing without an organization, and one organization only with it.
func TestAForgottenWhereShowsNobodyElse(t *testing.T) {
	w := newWorld(t)
	w.here.deliver(t)
	r := newSubscriber(t, nil)
	id := w.subscribe(t, r, nil)
	w.relay(t, w.event(newID(), 1))
	r.awaits(t, 1)
	eventually(t, "it is written down", func() bool { return one[int](t, w, `SELECT count(*) FROM attempt`) == 1 })
	w.Must(t, 200, "POST", "/v1/webhook-endpoints/"+id+"/pause", nil)
	w.relay(t, w.event(newID(), 1))
	w.Must(t, 201, "POST", "/v1/webhook-endpoints/"+id+"/replay", map[string]any{"since": "2026-11-01T00:00:00Z"})
	ctx := context.Background()
	db, err := pgx.Connect(ctx, w.database.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(ctx)
	other := uuid.NewString()
	tables := []string{"feed", "event", "delivery", "lane", "dispatch", "attempt", "replay", "webhook_endpoint", "webhook_endpoint_secret", "history", "outbox"}
	for _, table := range tables {
		for organization, want := range map[string]bool{"": false, other: false, w.Client.Principal.OrganizationID: true} {
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

// Deliveries that wait for an endpoint whose breaker is open cost nothing, however many: nobody looks at them, neither where
// work is looked for nor for another endpoint; and when the breaker lets one through, it is found by an index.
func TestManyWaitingDeliveriesCostNothing(t *testing.T) {
	w := newWorld(t)
	r := newSubscriber(t, nil)
	dead, well := w.subscribe(t, r, map[string]any{"url": r.URL + "/dead"}), w.subscribe(t, r, nil)
	w.relay(t, w.event(newID(), 1))
	conn := w.owner(t)
	for _, statement := range []string{
		"SET statement_timeout = 0",
		`INSERT INTO delivery (organization_id, id, endpoint_id, event_id, event_type, record_id, lane, next_attempt_at, created_at)
			SELECT e.organization_id, d.id, '` + dead + `', e.id, e.type, e.record_id, d.id, now(), now() FROM event e, (SELECT lpad(to_hex(n), 32, '0')::uuid AS id FROM generate_series(1, 100000) n) d`,
		`INSERT INTO lane SELECT organization_id, endpoint_id, lane, now() FROM delivery WHERE endpoint_id = '` + dead + `' ON CONFLICT DO NOTHING`,
		`UPDATE dispatch SET blocked_until = now() + interval '10 minutes', blocked_step = 3, wake_at = now() + interval '10 minutes' WHERE endpoint_id = '` + dead + `'`,
		"ANALYZE",
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	w.here.deliver(t)
	r.awaits(t, 1)
	for range 20 {
		w.relay(t, w.event(newID(), 1))
	}
	for _, c := range r.awaits(t, 21) {
		if c.header.Get("Webhook-Event-Type") == "" {
			t.Error("a call without a type")
		}
	}
	if got := one[int](t, w, `SELECT count(*) FROM attempt a JOIN delivery d ON d.id = a.delivery_id WHERE d.endpoint_id = $1`, dead); got != 0 {
		t.Errorf("%d attempts at an endpoint whose breaker is open", got)
	}

	// The plans, with all those lanes and as the service's role.
	service, err := pgx.Connect(t.Context(), w.database.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close(context.Background())
	if _, err := service.Exec(t.Context(), "SELECT set_config('ams.organization_id', $1, false)", w.Client.Principal.OrganizationID); err != nil {
		t.Fatal(err)
	}
	for name, sql := range map[string]string{"due": dueKeys, "next": nextDueKey, "advance": advanceKeys} {
		for _, endpoint := range []string{dead, well} {
			args := []any{w.Client.Principal.OrganizationID, endpoint, w.now(), []string{}, 16}
			switch name {
			case "next":
				args = args[:3]
			case "advance":
				args = []any{args[0], endpoint, lanesOf(t, conn, endpoint), w.now()}
			}
			if pages, plan := explain(t, service, sql, args); pages > 500 {
				t.Errorf("%s touches %d pages:\n%s", name, pages, plan)
			}
		}
	}
}

func lanesOf(t testing.TB, conn *pgx.Conn, endpoint string) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), `SELECT lane::text FROM lane WHERE endpoint_id = $1 LIMIT 16`, endpoint)
	if err != nil {
		t.Fatal(err)
	}
	lanes, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return lanes
}

// explain runs a statement without effect and gives how many pages it touched, and how.
func explain(t testing.TB, conn *pgx.Conn, sql string, args []any) (pages int, plan string) {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	for range 7 { // the later ones with the plan that is kept for all arguments
		if err := tx.QueryRow(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+sql, args...).Scan(&plan); err != nil {
			t.Fatal(err)
		}
	}
	var explained []struct {
		Plan struct {
			Hit  int `json:"Shared Hit Blocks"`
			Read int `json:"Shared Read Blocks"`
		}
	}
	if err := json.Unmarshal([]byte(plan), &explained); err != nil {
		t.Fatal(err)
	}
	return explained[0].Plan.Hit + explained[0].Plan.Read, plan
}
