package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
)

// inside asks an internal operation with a signed principal.
func (e *entrance) inside(p principal.Principal, path string, in any) told {
	e.t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		e.t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, e.url+"/internal"+path, bytes.NewReader(body))
	if err != nil {
		e.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if p.OrganizationID != "" {
		request.Header.Set(principal.Header, e.signer.Sign(p))
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		e.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		e.t.Fatal(err)
	}
	return told{response.StatusCode, response.Header, string(content)}
}

// anne is an Administrator, as the settings screens sign for her.
func anne(organization string) principal.Principal {
	return principal.Principal{OrganizationID: organization, Actor: principal.Actor{Type: "user", ID: "0199a3c5-0000-7000-8000-00000000000a", Name: "Anne Tremblay"},
		Scopes: []string{"administrator", "users:read"}, Origin: "console", Address: "198.51.100.4", RequestID: "request-of-anne"}
}

func gatewayOf(organization string) principal.Principal {
	return principal.Principal{OrganizationID: organization, Actor: principal.Actor{Type: "service", ID: "gateway", Name: "gateway"}}
}

func (e *entrance) list(organization string) []connected {
	e.t.Helper()
	var list connectedList
	a := e.inside(anne(organization), "/grants/list", struct{}{})
	if err := json.Unmarshal([]byte(a.body), &list); err != nil || a.status != 200 {
		e.t.Fatalf("%d %s %v", a.status, a.body, err)
	}
	return list.Data
}

func TestConnectionsAreListedAndDisconnectedByAnAdministrator(t *testing.T) {
	e := newEntrance(t)
	key := e.key(town)
	app := e.register("https://claude.ai/api/mcp/auth_callback")
	app.code(key) // never redeemed: not a connection
	given := e.tokensFrom(app.redemption(app.code(key, "read_only", "yes")))
	_, elsewhere := e.connected(e.key(anotherTown))
	list := e.list(town)
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	one := list[0]
	if one.Client != "Claude" || one.Host != "claude.ai" || one.KeyName != "Assistant key" || one.KeyID != e.keys[key].checked.Key.ID || !one.ReadOnly || one.LastUsedAt == nil {
		t.Errorf("%+v", one)
	}
	if since, err := time.Parse(time.RFC3339, one.Since); err != nil || time.Since(since) > time.Minute {
		t.Errorf("since %s", one.Since)
	}
	if a := e.inside(anne(anotherTown), "/grants/end", connectionID{one.ID}); a.status != 404 {
		t.Errorf("another organization's Administrator: %d %s", a.status, a.body)
	}
	for name, p := range map[string]principal.Principal{
		"nobody":    {},
		"a manager": {OrganizationID: town, Actor: principal.Actor{Type: "user", ID: town, Name: "Marc"}, Scopes: []string{"member"}, Origin: "console"},
		"not from the screens": {OrganizationID: town, Actor: principal.Actor{Type: "user", ID: town, Name: "Marc"},
			Scopes: []string{"administrator"}, Origin: "api"},
		"a key":     {OrganizationID: town, Actor: principal.Actor{Type: "api_key", ID: town, Name: "Key"}, Scopes: []string{"*:*", "administrator"}, Origin: "console"},
		"a service": gatewayOf(town),
	} {
		for _, path := range []string{"/grants/list", "/grants/end"} {
			var in any = struct{}{}
			if path == "/grants/end" {
				in = connectionID{one.ID}
			}
			if a := e.inside(p, path, in); a.status != 403 && a.status != 401 {
				t.Errorf("%s, %s: %d %s", name, path, a.status, a.body)
			}
		}
	}
	if a := e.mcp(given.AccessToken); a.status != 200 {
		t.Fatalf("%d", a.status)
	}
	for range 2 { // a second time is as asked
		if a := e.inside(anne(town), "/grants/end", connectionID{one.ID}); a.status != 200 {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	if a := e.mcp(given.AccessToken); a.status != 401 {
		t.Errorf("the very next call: %d", a.status)
	}
	e.person().form(tokenPath, app.refreshing(given.RefreshToken)).refusedWith(t, 400, "invalid_grant")
	if list := e.list(town); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	if a := e.mcp(elsewhere.AccessToken); a.status != 200 || len(e.list(anotherTown)) != 1 {
		t.Errorf("another organization's connection: %d", a.status)
	}
	for _, id := range []string{"0199a3c5-0000-7000-8000-0000000000ff"} {
		if a := e.inside(anne(town), "/grants/end", connectionID{id}); a.status != 404 {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	if a := e.inside(anne(town), "/grants/end", connectionID{"x"}); a.status != 400 {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// Every connection and every end of one stands in the trail, with who did it and from where.
func TestTheTrailSaysWhoConnectedAndWhoDisconnected(t *testing.T) {
	e := newEntrance(t)
	key := e.key(town)
	id := e.keys[key].checked.Key.ID
	app, _ := e.connected(key)
	first := e.list(town)[0]
	e.inside(anne(town), "/grants/end", connectionID{first.ID})
	replayed := app.redemption(app.code(key))
	e.tokensFrom(replayed)
	e.person().form(tokenPath, replayed)
	_, given := e.connected(key)
	e.person().form(revokePath, url.Values{"token": {given.AccessToken}})
	e.connected(e.key(anotherTown))

	trail := func(question map[string]any) []string {
		t.Helper()
		question["limit"] = 100
		a := e.inside(gatewayOf(town), "/changes", question)
		var answer struct {
			Data []struct {
				At, Action, Address string
				Request             string `json:"request_id"`
				Actor               principal.Actor
				Subject             struct{ Type, ID, Name string }
				Changes             map[string]struct{ Old, New any }
			}
		}
		if err := json.Unmarshal([]byte(a.body), &answer); err != nil || a.status != 200 {
			t.Fatalf("%d %s %v", a.status, a.body, err)
		}
		var lines []string
		for _, entry := range answer.Data {
			if entry.Subject.Type != "assistant" || entry.Subject.Name != "Claude" || entry.Address == "" || entry.Request == "" || strings.Contains(a.body, "ams_") {
				t.Errorf("%+v", entry)
			}
			lines = append(lines, fmt.Sprint(entry.Action, " by ", entry.Actor.Type, " ", entry.Actor.Name, " ", entry.Changes["reason"].New, " ", entry.Changes["key"].New, entry.Changes["key"].Old))
		}
		return lines
	}
	want := []string{
		"assistant.disconnected by api_key Assistant key revoked_by_assistant <nil>Assistant key",
		"assistant.connected by api_key Assistant key <nil> Assistant key<nil>",
		"assistant.disconnected by service AI assistants code_replayed <nil>Assistant key",
		"assistant.connected by api_key Assistant key <nil> Assistant key<nil>",
		"assistant.disconnected by user Anne Tremblay disconnected <nil>Assistant key",
		"assistant.connected by api_key Assistant key <nil> Assistant key<nil>",
	}
	if got := trail(map[string]any{}); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	for name, test := range map[string]struct {
		question map[string]any
		entries  int
	}{
		"of the key":     {map[string]any{"actor_id": id}, 4},
		"of Anne":        {map[string]any{"actor_id": anne(town).Actor.ID}, 1},
		"of one":         {map[string]any{"record_id": first.ID}, 2},
		"of tomorrow":    {map[string]any{"from": time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)}, 0},
		"of yesterday":   {map[string]any{"to": time.Now().Add(-24 * time.Hour).UTC().Format(time.RFC3339)}, 0},
		"of today":       {map[string]any{"from": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339), "to": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)}, 6},
		"after the last": {map[string]any{"before": "2020-01-01T00:00:00.000000Z_" + first.ID}, 0},
	} {
		if got := trail(test.question); len(got) != test.entries {
			t.Errorf("%s: %v", name, got)
		}
	}
	if a := e.inside(anne(town), "/changes", struct{}{}); a.status != 403 {
		t.Errorf("a person: %d", a.status)
	}
	if a := e.inside(gatewayOf(town), "/changes", map[string]any{"before": "x"}); a.status != 400 {
		t.Errorf("a cursor that is none: %d %s", a.status, a.body)
	}
}

// The role of the service sees one organization's connections at a time, and no attempts at all.
func TestOrganizationsAreKeptApart(t *testing.T) {
	e := newEntrance(t)
	e.connected(e.key(town))
	e.connected(e.key(anotherTown))
	conn, err := pgx.Connect(t.Context(), e.database.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	count := func(organization string) (grants int) {
		t.Helper()
		tx, err := conn.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback(t.Context()) }()
		if _, err := tx.Exec(t.Context(), "SELECT set_config('search_path', 'mcp', true), set_config('ams.organization_id', $1, true)", organization); err != nil {
			t.Fatal(err)
		}
		if err := tx.QueryRow(t.Context(), "SELECT count(*) FROM mcp_grant").Scan(&grants); err != nil {
			t.Fatal(err)
		}
		if organization != town {
			tag, err := tx.Exec(t.Context(), "UPDATE mcp_grant SET salt = NULL WHERE organization_id = $1", town)
			if err != nil || tag.RowsAffected() != 0 {
				t.Errorf("%v %v", tag, err)
			}
		}
		return grants
	}
	if count(town) != 1 || count(anotherTown) != 1 || count("") != 0 || count("0199a3c5-0000-7000-8000-0000000000ff") != 0 {
		t.Errorf("%d %d %d", count(town), count(anotherTown), count(""))
	}
	if _, err := conn.Exec(t.Context(), "SELECT * FROM mcp.attempt"); err == nil {
		t.Error("the role reads attempts")
	}
	var open int
	if err := e.owner.QueryRow(t.Context(), `SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'mcp' AND c.relname = 'mcp_grant' AND c.relrowsecurity AND c.relforcerowsecurity`).Scan(&open); err != nil || open != 1 {
		t.Errorf("row-level security is not forced: %d %v", open, err)
	}
}

func TestUseIsWrittenInTheBackgroundAndOldThingsAreForgotten(t *testing.T) {
	e := newEntrance(t)
	app, given := e.connected(e.key(town))
	app.code(e.key(town))
	e.exec("UPDATE mcp_grant SET last_used_at = now() - interval '1 day' WHERE connected_at IS NOT NULL")
	if a := e.mcp(given.AccessToken); a.status != 200 {
		t.Fatal(a.status)
	}
	used := func() (at time.Time) {
		t.Helper()
		if err := e.owner.QueryRow(t.Context(), "SELECT last_used_at FROM mcp_grant WHERE connected_at IS NOT NULL").Scan(&at); err != nil {
			t.Fatal(err)
		}
		return at
	}
	if time.Since(used()) < time.Hour {
		t.Error("the request itself wrote its use")
	}
	e.door.uses.flush(t.Context())
	if time.Since(used()) > time.Minute {
		t.Errorf("used at %s", used())
	}
	e.door.uses.note(town, "0199a3c5-0000-7000-8000-0000000000ff", time.Now()) // one that is gone does no harm
	e.door.uses.flush(t.Context())

	left := func() (grants int) {
		t.Helper()
		if _, err := e.door.db.Pool().Exec(t.Context(), "SELECT sweep()"); err != nil {
			t.Fatal(err)
		}
		if err := e.owner.QueryRow(t.Context(), "SELECT count(*) FROM mcp_grant").Scan(&grants); err != nil {
			t.Fatal(err)
		}
		return grants
	}
	if left() != 2 {
		t.Error("something is gone too early")
	}
	e.exec("UPDATE mcp_grant SET good_until = now() - interval '61 minutes' WHERE connected_at IS NULL")
	if left() != 1 {
		t.Error("a code that was never redeemed stays")
	}
	e.exec("UPDATE mcp_grant SET good_until = now() - interval '1 minute'")
	if len(e.list(town)) != 0 || left() != 1 {
		t.Error("a connection that ran out is listed, or gone at once")
	}
	e.exec("UPDATE mcp_grant SET good_until = now() - interval '31 days'")
	if left() != 0 {
		t.Error("a connection that ran out stays for ever")
	}
}
