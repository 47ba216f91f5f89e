package oauth

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

	contract "ams.internal/libs/domain/contracts/mcp"
	"ams.internal/libs/principal"
)

// callInternal calls an internal operation with a signed principal.
func (f *authFixture) callInternal(p principal.Principal, path string, in any) httpResponse {
	f.t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		f.t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, f.url+"/internal"+path, bytes.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if p.OrganizationID != "" {
		request.Header.Set(principal.Header, f.signer.Sign(p))
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return httpResponse{response.StatusCode, response.Header, string(content)}
}

// administratorOf is an Administrator as the settings screens sign for her.
func administratorOf(organization string) principal.Principal {
	return principal.Principal{OrganizationID: organization,
		Actor:  principal.Actor{Type: "user", ID: "0199a3c5-0000-7000-8000-00000000000a", Name: "Anne Tremblay"},
		Scopes: []string{"administrator", "users:read"}, Origin: "console", Address: "198.51.100.4", RequestID: "request-of-anne"}
}

func gatewayPrincipal(organization string) principal.Principal {
	return principal.Principal{OrganizationID: organization, Actor: principal.Actor{Type: "service", ID: "gateway", Name: "gateway"}}
}

func (f *authFixture) listConnections(organization string) []contract.Connection {
	f.t.Helper()
	var list contract.ConnectionList
	resp := f.callInternal(administratorOf(organization), "/grants/list", struct{}{})
	if err := json.Unmarshal([]byte(resp.body), &list); err != nil || resp.status != 200 {
		f.t.Fatalf("%d %s %v", resp.status, resp.body, err)
	}
	return list.Data
}

func TestConnectionsAreListedAndDisconnectedByAnAdministrator(t *testing.T) {
	f := newAuthFixture(t)
	key := f.newKey(orgID)
	app := f.register("https://claude.ai/api/mcp/auth_callback")
	app.code(key) // never redeemed: not a connection
	issued := f.requestTokens(app.codeRequest(app.code(key, "read_only", "yes")))
	_, elsewhere := f.connectApp(f.newKey(otherOrgID))
	list := f.listConnections(orgID)
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	one := list[0]
	if one.Client != "Claude" || one.Host != "claude.ai" || one.KeyName != "Assistant key" || one.KeyID != f.keys[key].checked.Key.ID ||
		!one.ReadOnly || one.LastUsedAt == nil {
		t.Errorf("%+v", one)
	}
	if since, err := time.Parse(time.RFC3339, one.ConnectedAt); err != nil || time.Since(since) > time.Minute {
		t.Errorf("since %s", one.ConnectedAt)
	}
	if resp := f.callInternal(administratorOf(otherOrgID), "/grants/end", contract.ConnectionID{ID: one.ID}); resp.status != 404 {
		t.Errorf("another organization's Administrator: %d %s", resp.status, resp.body)
	}
	for name, p := range map[string]principal.Principal{
		"nobody": {},
		"a manager": {OrganizationID: orgID, Actor: principal.Actor{Type: "user", ID: orgID, Name: "Marc"},
			Scopes: []string{"member"}, Origin: "console"},
		"not from the screens": {OrganizationID: orgID, Actor: principal.Actor{Type: "user", ID: orgID, Name: "Marc"},
			Scopes: []string{"administrator"}, Origin: "api"},
		"a key": {OrganizationID: orgID, Actor: principal.Actor{Type: "api_key", ID: orgID, Name: "Key"},
			Scopes: []string{"*:*", "administrator"}, Origin: "console"},
		"a service": gatewayPrincipal(orgID),
	} {
		for _, path := range []string{"/grants/list", "/grants/end"} {
			var in any = struct{}{}
			if path == "/grants/end" {
				in = contract.ConnectionID{ID: one.ID}
			}
			if resp := f.callInternal(p, path, in); resp.status != 403 && resp.status != 401 {
				t.Errorf("%s, %s: %d %s", name, path, resp.status, resp.body)
			}
		}
	}
	if resp := f.mcp(issued.AccessToken); resp.status != 200 {
		t.Fatalf("%d", resp.status)
	}
	for range 2 { // ending it again is no error
		if resp := f.callInternal(administratorOf(orgID), "/grants/end", contract.ConnectionID{ID: one.ID}); resp.status != 200 {
			t.Errorf("%d %s", resp.status, resp.body)
		}
	}
	if resp := f.mcp(issued.AccessToken); resp.status != 401 {
		t.Errorf("the very next call: %d", resp.status)
	}
	f.newBrowser().form(tokenPath, app.refreshRequest(issued.RefreshToken)).checkOAuthError(t, 400, "invalid_grant")
	if list := f.listConnections(orgID); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	if resp := f.mcp(elsewhere.AccessToken); resp.status != 200 || len(f.listConnections(otherOrgID)) != 1 {
		t.Errorf("another organization's connection: %d", resp.status)
	}
	for _, id := range []string{"0199a3c5-0000-7000-8000-0000000000ff"} {
		if resp := f.callInternal(administratorOf(orgID), "/grants/end", contract.ConnectionID{ID: id}); resp.status != 404 {
			t.Errorf("%d %s", resp.status, resp.body)
		}
	}
	if resp := f.callInternal(administratorOf(orgID), "/grants/end", contract.ConnectionID{ID: "x"}); resp.status != 400 {
		t.Errorf("%d %s", resp.status, resp.body)
	}
}

// The audit trail has every connection and every end of one, with the actor and the address.
func TestTheTrailSaysWhoConnectedAndWhoDisconnected(t *testing.T) {
	f := newAuthFixture(t)
	key := f.newKey(orgID)
	id := f.keys[key].checked.Key.ID
	app, _ := f.connectApp(key)
	first := f.listConnections(orgID)[0]
	f.callInternal(administratorOf(orgID), "/grants/end", contract.ConnectionID{ID: first.ID})
	replayed := app.codeRequest(app.code(key))
	f.requestTokens(replayed)
	f.newBrowser().form(tokenPath, replayed)
	_, issued := f.connectApp(key)
	f.newBrowser().form(revokePath, url.Values{"token": {issued.AccessToken}})
	f.connectApp(f.newKey(otherOrgID))

	trail := func(query map[string]any) []string {
		t.Helper()
		query["limit"] = 100
		resp := f.callInternal(gatewayPrincipal(orgID), "/changes", query)
		var page struct {
			Data []struct {
				At, Action, Address string
				Request             string `json:"request_id"`
				Actor               principal.Actor
				Subject             struct{ Type, ID, Name string }
				Changes             map[string]struct{ Old, New any }
			}
		}
		if err := json.Unmarshal([]byte(resp.body), &page); err != nil || resp.status != 200 {
			t.Fatalf("%d %s %v", resp.status, resp.body, err)
		}
		var lines []string
		for _, entry := range page.Data {
			if entry.Subject.Type != "assistant" || entry.Subject.Name != "Claude" || entry.Address == "" || entry.Request == "" ||
				strings.Contains(resp.body, "ams_") {
				t.Errorf("%+v", entry)
			}
			lines = append(lines, fmt.Sprint(entry.Action, " by ", entry.Actor.Type, " ", entry.Actor.Name, " ", entry.Changes["reason"].New, " ",
				entry.Changes["key"].New, entry.Changes["key"].Old))
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
		query   map[string]any
		entries int
	}{
		"of the key":   {map[string]any{"actor_id": id}, 4},
		"of Anne":      {map[string]any{"actor_id": administratorOf(orgID).Actor.ID}, 1},
		"of one":       {map[string]any{"record_id": first.ID}, 2},
		"of tomorrow":  {map[string]any{"from": time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)}, 0},
		"of yesterday": {map[string]any{"to": time.Now().Add(-24 * time.Hour).UTC().Format(time.RFC3339)}, 0},
		"of today": {map[string]any{"from": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339),
			"to": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)}, 6},
		"after the last": {map[string]any{"before": "2020-01-01T00:00:00.000000Z_" + first.ID}, 0},
	} {
		if got := trail(test.query); len(got) != test.entries {
			t.Errorf("%s: %v", name, got)
		}
	}
	if resp := f.callInternal(administratorOf(orgID), "/changes", struct{}{}); resp.status != 403 {
		t.Errorf("a person: %d", resp.status)
	}
	if resp := f.callInternal(gatewayPrincipal(orgID), "/changes", map[string]any{"before": "x"}); resp.status != 400 {
		t.Errorf("a cursor that is none: %d %s", resp.status, resp.body)
	}
}

// The role of the service can read the connections of one organization at a time, and no attempts.
func TestOrganizationsAreKeptApart(t *testing.T) {
	f := newAuthFixture(t)
	f.connectApp(f.newKey(orgID))
	f.connectApp(f.newKey(otherOrgID))
	conn, err := pgx.Connect(t.Context(), f.database.Session)
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
		if _, err := tx.Exec(t.Context(), "SELECT set_config('search_path', 'mcp', true), set_config('ams.organization_id', $1, true)",
			organization); err != nil {
			t.Fatal(err)
		}
		if err := tx.QueryRow(t.Context(), "SELECT count(*) FROM mcp_grant").Scan(&grants); err != nil {
			t.Fatal(err)
		}
		if organization != orgID {
			tag, err := tx.Exec(t.Context(), "UPDATE mcp_grant SET salt = NULL WHERE organization_id = $1", orgID)
			if err != nil || tag.RowsAffected() != 0 {
				t.Errorf("%v %v", tag, err)
			}
		}
		return grants
	}
	if count(orgID) != 1 || count(otherOrgID) != 1 || count("") != 0 || count("0199a3c5-0000-7000-8000-0000000000ff") != 0 {
		t.Errorf("%d %d %d", count(orgID), count(otherOrgID), count(""))
	}
	if _, err := conn.Exec(t.Context(), "SELECT * FROM mcp.attempt"); err == nil {
		t.Error("the role reads attempts")
	}
	var open int
	if err := f.owner.QueryRow(t.Context(), `SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'mcp' AND c.relname = 'mcp_grant' AND c.relrowsecurity AND c.relforcerowsecurity`).
		Scan(&open); err != nil || open != 1 {
		t.Errorf("row-level security is not forced: %d %v", open, err)
	}
}

func TestUseIsWrittenInTheBackgroundAndOldThingsAreForgotten(t *testing.T) {
	f := newAuthFixture(t)
	app, issued := f.connectApp(f.newKey(orgID))
	app.code(f.newKey(orgID))
	f.exec("UPDATE mcp_grant SET last_used_at = now() - interval '1 day' WHERE connected_at IS NOT NULL")
	if resp := f.mcp(issued.AccessToken); resp.status != 200 {
		t.Fatal(resp.status)
	}
	used := func() (at time.Time) {
		t.Helper()
		if err := f.owner.QueryRow(t.Context(), "SELECT last_used_at FROM mcp_grant WHERE connected_at IS NOT NULL").Scan(&at); err != nil {
			t.Fatal(err)
		}
		return at
	}
	if time.Since(used()) < time.Hour {
		t.Error("the request itself wrote its use")
	}
	f.authorizer.lastUses.flush(t.Context())
	if time.Since(used()) > time.Minute {
		t.Errorf("used at %s", used())
	}
	f.authorizer.lastUses.record(orgID, "0199a3c5-0000-7000-8000-0000000000ff", time.Now()) // a connection that does not exist does no harm
	f.authorizer.lastUses.flush(t.Context())

	left := func() (grants int) {
		t.Helper()
		for _, table := range []string{"mcp_grant", "attempt"} {
			if err := f.authorizer.db.Sweep(t.Context(), "mcp", table); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.owner.QueryRow(t.Context(), "SELECT count(*) FROM mcp_grant").Scan(&grants); err != nil {
			t.Fatal(err)
		}
		return grants
	}
	if left() != 2 {
		t.Error("something is gone too early")
	}
	f.exec("UPDATE mcp_grant SET good_until = now() - interval '61 minutes' WHERE connected_at IS NULL")
	if left() != 1 {
		t.Error("a code that was never redeemed stays")
	}
	f.exec("UPDATE mcp_grant SET good_until = now() - interval '1 minute'")
	if len(f.listConnections(orgID)) != 0 || left() != 1 {
		t.Error("a connection that ran out is listed, or gone at once")
	}
	f.exec("UPDATE mcp_grant SET good_until = now() - interval '31 days'")
	if left() != 0 {
		t.Error("a connection that ran out stays for ever")
	}
}
