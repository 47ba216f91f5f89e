package cells

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ams.internal/deploy/devstack/apiclient"
	"ams.internal/libs/testwait"
)

// bothCells runs a test for an organization of each cell, with the organization of the other.
func bothCells(t *testing.T, test func(t *testing.T, m, other member)) {
	first, second := inCell(t, "first"), inCell(t, "second")
	t.Run("first", func(t *testing.T) { test(t, first, second) })
	t.Run("second", func(t *testing.T) { test(t, second, first) })
}

// receiver is an endpoint of webhooks: the records that events told of, by the organization's own url.
type receiver struct {
	url string
	mu  sync.Mutex
	got map[string]bool // type and record
}

func newReceiver(t testing.TB) *receiver {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &receiver{url: "http://" + listener.Addr().String(), got: map[string]bool{}}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		var event struct {
			Type string
			Data struct{ Object struct{ ID string } }
		}
		body, _ := io.ReadAll(request.Body)
		_ = json.Unmarshal(body, &event)
		r.mu.Lock()
		r.got[event.Type+" "+event.Data.Object.ID] = true
		r.mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return r
}

func (r *receiver) has(event string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got[event]
}

// A record, its event, its delivery, what finds it, and its line in the trail: all in the organization's cell, and in no other.
func TestARecordIsInTheCellOfItsOrganizationWithAllThatFollows(t *testing.T) {
	bothCells(t, func(t *testing.T, m, other member) {
		hook := newReceiver(t)
		endpoint := m.create(t, "/v1/webhook-endpoints", map[string]any{"url": hook.url, "event_types": []string{"site.created"}})
		name := "Quarry " + uuid.NewString()[:8]
		site := m.create(t, "/v1/sites", map[string]any{"name": name})
		testwait.For(t, timeout, "the delivery", func() bool { return hook.has("site.created " + site) })
		testwait.For(t, timeout, "the search finds it", func() bool { return strings.Contains(string(m.search(t, name)), site) })
		if strings.Contains(string(other.search(t, name)), site) {
			t.Errorf("%s finds the site of %s", other.Name, m.Name)
		}
		other.call(t, 404, "GET", "/v1/sites/"+site, nil)
		if a := m.call(t, 200, "GET", "/v1/events?limit=1000", nil); !strings.Contains(string(a.Body), site) {
			t.Errorf("the feed does not have it: %.300s", a.Body)
		}
		if a := operator(t, "GET", "/internal/organizations/"+m.ID+"/audit?record="+site, nil); !strings.Contains(string(a.Body), "created") ||
			!strings.Contains(string(a.Body), `"missing":[]`) {
			t.Errorf("the trail does not have it: %.600s", a.Body)
		}
		// A reference to another service's record, and work that has an effect on it, go to the same cell.
		asset := m.create(t, "/v1/assets", map[string]any{"name": "Pump", "site_id": site})
		order := m.create(t, "/v1/work-orders", map[string]any{"title": "Look at the pump", "asset_id": asset})
		m.call(t, 204, "DELETE", "/v1/work-orders/"+order, nil)
		m.call(t, 204, "DELETE", "/v1/assets/"+asset, nil)
		m.call(t, 204, "DELETE", "/v1/webhook-endpoints/"+endpoint, nil)
		for _, table := range []string{"assets.site", "assets.history", "webhooks.event", "users.user_account", "workorders.work_order"} {
			for cell, count := range m.rows(t, table) {
				if here := cell == m.cell; table != "workorders.work_order" && here != (count > 0) || !here && count > 0 {
					t.Errorf("%s: %d rows of %s in the cell %s", table, count, m.Name, cell)
				}
			}
		}
	})
}

// Who signs in says an e-mail address and nothing of a cell; neither does an assistant, which has a key.
func TestPeopleAndAssistantsComeInWithoutSayingACell(t *testing.T) {
	bothCells(t, func(t *testing.T, m, _ member) {
		for name, more := range map[string]map[string]any{"by address": {}, "by address and organization": {"organization_id": m.ID}} {
			body := map[string]any{"email": m.Administrator.Email, "password": m.Administrator.Password}
			for field, value := range more {
				body[field] = value
			}
			in := send(t, "", "POST", product.Description().AdminURL+"/internal/sign-in", body)
			session, _ := in.Object["session"].(string)
			if in.Status != 200 || session == "" {
				t.Fatalf("%s: %d %s", name, in.Status, in.Body)
			}
			if a := send(t, session, "GET", product.Description().AdminURL+"/internal/organizations/"+m.ID+"/keys", nil); a.Status != 200 {
				t.Errorf("the session: %d %s", a.Status, a.Body)
			}
		}
		if a := send(t, "", "POST", product.Description().AdminURL+"/internal/sign-in", map[string]any{"email": m.Administrator.Email,
			"password": "something else entirely"}); a.Status != 401 {
			t.Errorf("a wrong password: %d %s", a.Status, a.Body)
		}
		screens(t, m)
		assistant := connect(t, m)
		asset := m.create(t, "/v1/assets", map[string]any{"name": "Seen by an assistant " + uuid.NewString()[:8]})
		result, err := assistant.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_asset", Arguments: map[string]any{"id": asset}})
		if err != nil || result.IsError {
			t.Errorf("the assistant: %v %+v", err, result)
		}
	})
}

type bearing struct{ key string }

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.key)
	return http.DefaultTransport.RoundTrip(r)
}

func connect(t testing.TB, m member) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "cells", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: product.Description().MCPURL, HTTPClient: &http.Client{Transport: bearing{m.Keys["full"]}}, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// screens signs in to the settings screens with a browser's cookies, and opens pages that several services answer.
func screens(t *testing.T, m member) {
	t.Helper()
	jar := map[string]string{}
	visit := func(method, path string, form url.Values) (int, string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, product.Description().BaseURL+path, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for name, value := range jar {
			request.AddCookie(&http.Cookie{Name: name, Value: value})
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		for _, cookie := range response.Cookies() {
			jar[cookie.Name] = cookie.Value
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(body)
	}
	_, page := visit("GET", "/settings/sign-in", nil)
	_, rest, _ := strings.Cut(page, `name="form_token" value="`)
	token, _, _ := strings.Cut(rest, `"`)
	if status, body := visit("POST", "/settings/sign-in", url.Values{"form_token": {token}, "email": {m.Administrator.Email},
		"password": {m.Administrator.Password}}); status != http.StatusSeeOther {
		t.Fatalf("signing in to the screens: %d %.600s", status, body)
	}
	for path, says := range map[string]string{"/settings/members": m.Administrator.Email, "/settings/webhooks": "", "/settings/storage": "",
		"/settings/audit": "", "/settings/organization": m.Name} {
		if status, body := visit("GET", path, nil); status != http.StatusOK || !strings.Contains(body, says) {
			_, said, _ := strings.Cut(body, "<main")
			t.Errorf("%s: %d %.600s", path, status, said)
		}
	}
}

// A stranger comes with the token of a link, or with a jurisdiction.
func TestAStrangersLinkLeadsToItsCell(t *testing.T) {
	bothCells(t, func(t *testing.T, m, _ member) {
		code := "DOOR-" + strings.ToUpper(uuid.NewString()[:6])
		site := m.create(t, "/v1/sites", map[string]any{"name": "Mill Park " + code})
		m.create(t, "/v1/request-services", map[string]any{"service_code": code, "name": "Playground", "public": true})
		token := m.call(t, 201, "POST",
			"/v1/request-links", map[string]any{"name": "Playground", "site_id": site, "service_codes": []string{code},
				"notice": "Collected under the Municipal Act, 2001.", "notice_fr": "Recueillis en vertu de la Loi."}).Object["token"].(string)
		base := product.Description().BaseURL
		shown := send(t, "", "GET", base+"/public/links/"+token, nil)
		if shown.Status != 200 {
			t.Fatalf("the link: %d %s", shown.Status, shown.Body)
		}
		time.Sleep(3100 * time.Millisecond) // what comes sooner was not written by a person
		given := send(t, "", "POST", base+"/public/links/"+token,
			map[string]any{"description": "The chain is broken", "stamp": shown.Object["stamp"]})
		if given.Status != 201 {
			t.Fatalf("the request: %d %s", given.Status, given.Body)
		}
		if a := send(t, "", "GET", base+"/r/status/"+given.Object["receipt"].(string), nil, "Accept", "application/json"); a.Status != 200 {
			t.Errorf("the receipt: %d %s", a.Status, a.Body)
		}
		if a := send(t, "", "GET", base+"/open311/v2/services.xml?jurisdiction_id="+m.ID, nil); a.Status != 200 ||
			!strings.Contains(string(a.Body), code) {
			t.Errorf("the jurisdiction: %d %.300s", a.Status, a.Body)
		}
		if a := send(t, "", "GET", base+"/public/links/"+strings.Repeat("0", len(token)), nil); a.Status != 404 {
			t.Errorf("a link that nobody has: %d %s", a.Status, a.Body)
		}
	})
}

// The sandbox of an organization is in the organization's cell, and is emptied there.
func TestASandboxIsInTheCellOfItsOrganization(t *testing.T) {
	bothCells(t, func(t *testing.T, m, _ member) {
		operator(t, "POST", "/internal/organizations/"+m.ID+"/sandbox", map[string]any{})
		found := operator(t, "GET", "/internal/organizations/"+m.ID+"/sandbox", nil)
		sandbox := member{m.Organization, m.cell}
		sandbox.ID, _ = found.Object["id"].(string)
		in := send(t, "", "POST", product.Description().AdminURL+"/internal/sign-in", map[string]any{"email": m.Administrator.Email,
			"password": m.Administrator.Password})
		made := send(t, in.Object["session"].(string), "POST", product.Description().AdminURL+"/internal/organizations/"+sandbox.ID+"/keys",
			map[string]any{"name": "test", "scopes": []string{"*:*"}, "confirm_privacy": true})
		key, _ := made.Object["value"].(string)
		if key == "" {
			t.Fatalf("%s %s", found.Body, made.Body)
		}
		sandbox.Keys = map[string]string{"full": key}
		sandbox.create(t, "/v1/sites", map[string]any{"name": "A trial"})
		if counts := sandbox.rows(t, "assets.site"); counts[m.cell] != 1 || len(counts) != 2 || counts["first"]+counts["second"] != 1 {
			t.Errorf("its sites are in %v", counts)
		}
		operator(t, "POST", "/internal/organizations/"+m.ID+"/sandbox/empty", map[string]any{})
		testwait.For(t, timeout, "it is empty", func() bool {
			emptying, _ := operator(t, "GET", "/internal/organizations/"+m.ID+"/sandbox", nil).Object["emptying"].(map[string]any)
			return emptying["finished_at"] != nil
		})
		if counts := sandbox.rows(t, "assets.site"); counts[m.cell] != 0 {
			t.Errorf("after it was emptied: %v", counts)
		}
	})
}

// What was made of one cell is nothing to a program of another: a key whose organization another cell has shows nothing of this one.
func TestAnOrganizationReadsItsCellAndNoOther(t *testing.T) {
	m := inCell(t, "second")
	here := m.call(t, 200, "GET", "/v1/sites?per_page=1", nil).Object["pagination"].(map[string]any)["total"]
	m.create(t, "/v1/sites", map[string]any{"name": "One more " + uuid.NewString()[:8]})
	gateway, err := pgx.Connect(t.Context(), product.Description().PostgresURL)
	if err != nil {
		t.Fatal(err)
	}
	defer gateway.Close(context.Background()) //nolint:errcheck // the end of the test
	set := func(cell string) {
		if _, err := gateway.Exec(context.Background(), "UPDATE gateway.organization SET cell = $2 WHERE organization_id = $1",
			m.ID, cell); err != nil {
			t.Fatal(err)
		}
	}
	total := func() string {
		return fmt.Sprint(m.call(t, 200, "GET", "/v1/sites?per_page=1", nil).Object["pagination"].(map[string]any)["total"])
	}
	set("first")
	elsewhere := total()
	set("second")
	if elsewhere != "0" {
		t.Errorf("the first cell shows %s sites of an organization of the second", elsewhere)
	}
	if got, want := total(), fmt.Sprint(here.(float64)+1); got != want {
		t.Errorf("its own cell shows %s sites, not %s", got, want)
	}
}

// refused says whether an answer is the refusal of somebody whose cell is away.
func refused(a apiclient.Response) bool {
	return a.Status == http.StatusServiceUnavailable && a.Object["code"] != nil && a.Object["request_id"] != nil
}
