package webhooks

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Deliveries that wait for an endpoint whose breaker is open cost nothing, however many: no query reads them, and when the breaker
// is half open, one is found by an index.
func TestManyWaitingDeliveriesCostNothing(t *testing.T) {
	f := newFixture(t)
	r := newReceiver(t, nil)
	dead, well := f.subscribe(t, r, map[string]any{"url": r.URL + "/dead"}), f.subscribe(t, r, nil)
	f.relay(t, f.event(newID(), 1))
	conn := f.ownerConn(t)
	for _, statement := range []string{
		"SET statement_timeout = 0",
		`INSERT INTO delivery (organization_id, id, endpoint_id, event_id, event_type, record_id, lane, next_attempt_at, created_at)
			SELECT e.organization_id, d.id, '` + dead + `', e.id, e.type, e.record_id, d.id, now(), now()
			FROM event e, (SELECT lpad(to_hex(n), 32, '0')::uuid AS id FROM generate_series(1, 100000) n) d`,
		`INSERT INTO lane SELECT organization_id, endpoint_id, lane, now() FROM delivery WHERE endpoint_id = '` +
			dead + `' ON CONFLICT DO NOTHING`,
		`UPDATE dispatch SET blocked_until = now() + interval '10 minutes', blocked_step = 3, wake_at = now() + interval '10 minutes'
			WHERE endpoint_id = '` + dead + `'`,
		"ANALYZE",
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	f.service.startDispatcher(t)
	r.waitForCalls(t, 1)
	for range 20 {
		f.relay(t, f.event(newID(), 1))
	}
	for _, c := range r.waitForCalls(t, 21) {
		if c.header.Get("Webhook-Event-Type") == "" {
			t.Error("a call without a type")
		}
	}
	if got := queryOne[int](t, f, `SELECT count(*) FROM attempt a JOIN delivery d ON d.id = a.delivery_id WHERE d.endpoint_id = $1`,
		dead); got != 0 {
		t.Errorf("%d attempts at an endpoint whose breaker is open", got)
	}

	// The query plans, with all those ordering keys and as the service's role.
	service, err := pgx.Connect(t.Context(), f.database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close(context.Background())
	if _, err := service.Exec(t.Context(), "SELECT set_config('ams.organization_id', $1, false)",
		f.Client.Principal.OrganizationID); err != nil {
		t.Fatal(err)
	}
	for name, sql := range map[string]string{"due": dueKeys, "next": nextDueKey, "advance": advanceKeys} {
		for _, endpoint := range []string{dead, well} {
			args := []any{f.Client.Principal.OrganizationID, endpoint, f.now(), []string{}, 16}
			switch name {
			case "next":
				args = args[:3]
			case "advance":
				args = []any{args[0], endpoint, orderingKeysOf(t, conn, endpoint), f.now()}
			}
			if pages, plan := explain(t, service, sql, args); pages > 500 {
				t.Errorf("%s touches %d pages:\n%s", name, pages, plan)
			}
		}
	}
}

func orderingKeysOf(t testing.TB, conn *pgx.Conn, endpoint string) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), `SELECT lane::text FROM lane WHERE endpoint_id = $1 LIMIT 16`, endpoint)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// explain runs a statement, rolls it back, and gives how many pages it touched and its plan.
func explain(t testing.TB, conn *pgx.Conn, sql string, args []any) (pages int, plan string) {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	for range 7 { // the later ones with the cached plan for all arguments
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
