package e2e

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/devstack"
	"ams.internal/libs/testwait"
)

// sandboxOf makes the sandbox of an organization, and a caller with a test key for everything in it. It gives the sandbox's id, and its
// path below the organization.
func sandboxOf(t *testing.T, name string) (test caller, id, path string) {
	t.Helper()
	admin, path := administrator(t, name)
	path += "/sandbox"
	if made := admin.do(t, "POST", path, map[string]any{}); made.status != 201 && made.object["code"] != "sandbox_exists" {
		t.Fatalf("%d %s", made.status, made.body)
	}
	id = admin.do(t, "GET", path, nil).object["id"].(string)
	key := admin.do(t, "POST", "/internal/organizations/"+id+"/keys", map[string]any{
		"name": t.Name(), "scopes": []string{"*:*"}, "rate_limit": 1000, "confirm_privacy": true,
	})
	value, _ := key.object["value"].(string)
	if !strings.HasPrefix(value, "ams_test_") {
		t.Fatalf("%d %s", key.status, key.body)
	}
	return caller{devstack.ForTest(t).Description().BaseURL, value}, id, path
}

// rowsOf counts the rows of an organization in every table of every service: table → rows, where there are any.
func rowsOf(t testing.TB, organization string) map[string]int {
	t.Helper()
	return countRows(t, organization, "true")
}

// leftOf is rowsOf without the months of an organization that has nothing, which are kept in the background at any time.
func leftOf(t testing.TB, organization string) map[string]int {
	t.Helper()
	return countRows(t, organization, "(0 <> ANY (counts) OR replacement_cost <> 0 OR subject_of <> '')")
}

// countRows is rowsOf with those months alone for which a condition holds.
func countRows(t testing.TB, organization, ofMonths string) map[string]int {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, devstack.ForTest(t).Description().PostgresURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	found, err := conn.Query(ctx, `SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relrowsecurity AND NOT c.relispartition AND n.nspname NOT IN ('gateway', 'console', 'mcp')`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(found, pgx.RowTo[string])
	if err != nil || len(tables) < 50 {
		t.Fatalf("%d tables: %v", len(tables), err)
	}
	rows := map[string]int{}
	for _, table := range tables {
		var count int
		condition := "true"
		if strings.HasSuffix(table, ".figures_month") {
			condition = ofMonths
		}
		if err := conn.QueryRow(ctx, `SELECT count(*) FROM `+table+` WHERE organization_id = $1 AND `+condition,
			organization).Scan(&count); err != nil {
			t.Fatal(err)
		}
		if count > 0 {
			rows[table] = count
		}
	}
	return rows
}

// empty has a sandbox emptied, does something while it is, and waits until it is done.
func empty(t *testing.T, name, path string, meanwhile func()) {
	t.Helper()
	admin, _ := administrator(t, name)
	if asked := admin.do(t, "POST", path+"/empty", map[string]any{}); asked.status != 202 {
		t.Fatalf("%d %s", asked.status, asked.body)
	}
	meanwhile()
	operator := devstack.ForTest(t).Description()
	testwait.For(t, 90*time.Second, "the sandbox is empty", func() bool {
		state, err := caller{operator.AdminURL, operator.AdminToken}.try("GET", path, nil)
		last, _ := state.object["emptying"].(map[string]any)
		return err == nil && last != nil && last["finished_at"] != nil
	})
}

func TestASandboxIsApartFromItsOrganization(t *testing.T) {
	live := fresh(t, board)
	test, id, path := sandboxOf(t, board)
	ours, theirs := newFixture(t, live, "Sandbox live"), newFixture(t, test, "Sandbox test")
	for mode, c := range map[string]caller{"live": live, "test": test} {
		if me := c.must(t, 200, "GET", "/v1/me", nil).object; me["mode"] != mode {
			t.Errorf("the %s key is of mode %v", mode, me["mode"])
		}
	}
	for _, k := range kinds {
		live.must(t, 404, "GET", theirs.at(k.path)+"/"+theirs[k.name], nil)
		test.must(t, 404, "GET", ours.at(k.path)+"/"+ours[k.name], nil)
	}
	for from, to := range map[*caller]string{&live: "Sandbox test", &test: "Sandbox live"} {
		if found := from.must(t, 200, "GET", "/v1/search?q="+strings.ReplaceAll(to, " ", "%20"), nil); strings.Contains(string(found.body), to) {
			t.Errorf("a search finds %s", found.body)
		}
		for _, path := range []string{"/v1/sites?per_page=1000", "/v1/users?per_page=1000", "/v1/events"} {
			if list := from.must(t, 200, "GET", path, nil); strings.Contains(string(list.body), to) {
				t.Errorf("%s shows %q", path, to)
			}
		}
	}
	// Records of one are nothing that those of the other could refer to.
	test.must(t, 404, "POST", "/v1/buildings", map[string]any{"name": "X", "site_id": ours["site"]})
	live.must(t, 404, "POST", "/v1/work-orders", map[string]any{"title": "X", "asset_id": theirs["asset"]})

	before := rowsOf(t, organization(t, board).ID)
	if rows := rowsOf(t, id); len(rows) < 30 {
		t.Errorf("the sandbox has rows in %d tables: %v", len(rows), rows)
	}
	empty(t, board, path, func() {})
	if rows := leftOf(t, id); !maps.Equal(rows, map[string]int{"webhooks.feed": 1}) {
		t.Errorf("after it was emptied, the sandbox has %v", rows)
	}
	after := rowsOf(t, organization(t, board).ID)
	for _, table := range []string{"assets.asset", "assets.history", "users.user_account", "workorders.work_order", "projects.project",
		"los.measure", "infrastructure.segment", "webhooks.webhook_endpoint"} {
		if before[table] == 0 || before[table] != after[table] {
			t.Errorf("the organization had %d rows of %s, and has %d", before[table], table, after[table])
		}
	}
	for _, k := range kinds {
		live.must(t, 200, "GET", ours.at(k.path)+"/"+ours[k.name], nil)
	}
	// The keys stay, and the feed goes on with the next number.
	site := test.create(t, "/v1/sites", map[string]any{"name": "Afterwards"})
	testwait.For(t, 20*time.Second, "the event of the new site", func() bool {
		events := test.must(t, 200, "GET", "/v1/events", nil)
		return strings.Contains(string(events.body), site) && !strings.Contains(string(events.body), "Sandbox test")
	})
}

// Gateways and services are killed while a sandbox is emptied. It is emptied nevertheless.
func TestASandboxIsEmptiedThroughKills(t *testing.T) {
	test, id, path := sandboxOf(t, city)
	var rows []map[string]any
	for i := range 1000 {
		rows = append(rows, map[string]any{"name": fmt.Sprint("Pump ", i)})
	}
	for range 5 {
		test.must(t, 200, "POST", "/v1/assets/bulk", map[string]any{"data": rows})
	}
	newFixture(t, test, "Killed")
	empty(t, city, path, func() {
		s := devstack.ForTest(t)
		for _, name := range []string{"assets-1", "gateway-1", "gateway-2", "assets-2"} {
			if err := syscall.Kill(s.Description().PIDs[name], syscall.SIGKILL); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			time.Sleep(200 * time.Millisecond)
		}
	})
	if rows := leftOf(t, id); !maps.Equal(rows, map[string]int{"webhooks.feed": 1}) {
		t.Errorf("the sandbox has %v", rows)
	}
	testwait.For(t, 30*time.Second, "the gateways are back", func() bool {
		a, err := test.try("GET", "/v1/assets", nil)
		return err == nil && a.status == 200
	})
}
