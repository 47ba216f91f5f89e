package cells

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/devstack"
	"ams.internal/deploy/devstack/apiclient"
	"ams.internal/deploy/move"
	"ams.internal/libs/testwait"
)

// leavingDesk is a desk with the addresses of the owner, and the commands of a runbook about an organization.
func leavingDesk(t *testing.T, runbook, until string, number int, m member, replace ...string) (d desk, steps []string) {
	t.Helper()
	d = newDesk(t)
	d.write(t, "secrets/owner", product.Description().Cells["first"].PostgresURL)
	d.write(t, "secrets/owner_cells", "second="+product.Description().Cells["second"].PostgresURL)
	steps, err := devstack.Runbook(runbook, "", until)
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) != number {
		t.Fatalf("%s has %d blocks of commands; this test knows %d", runbook, len(steps), number)
	}
	for i := range steps {
		steps[i] = strings.NewReplacer(append(replace, "Ville de Rivière-Claire", m.Name)...).Replace(steps[i])
	}
	return d, steps
}

// owner is a connection to the database of the member's cell as the owner of its tables.
func (m member) owner(t *testing.T) *pgx.Conn {
	t.Helper()
	owner, err := pgx.Connect(t.Context(), product.Description().Cells[m.cell].PostgresURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = owner.Close(t.Context()) })
	return owner
}

// link makes a link for strangers, and gives its token.
func (m member) link(t *testing.T) string {
	t.Helper()
	code := "LEAVES-" + strings.ToUpper(uuid.NewString()[:6])
	site := m.create(t, "/v1/sites", map[string]any{"name": "Park " + code})
	m.create(t, "/v1/request-services", map[string]any{"service_code": code, "name": "Playground", "public": true})
	return m.call(t, 201, "POST", "/v1/request-links", map[string]any{"name": "Playground", "site_id": site, "service_codes": []string{code},
		"notice": "Collected under the Municipal Act, 2001.", "notice_fr": "Recueillis en vertu de la Loi."}).Object["token"].(string)
}

// The runbook "suspend an organization" is carried out with its own commands: every door refuses, and what works by itself leaves the
// organization out, while its neighbour in the same cell works; resumed, it works, and what waited is done.
func TestTheRunbookSuspendsAnOrganizationAtEveryDoorAndResumesIt(t *testing.T) {
	m, neighbour := newMember(t, "harbour", "second"), inCell(t, "second")
	hook, other := newReceiver(t), newReceiver(t)
	m.create(t, "/v1/webhook-endpoints", map[string]any{"url": hook.url, "event_types": []string{"site.created"}})
	endpoint := neighbour.create(t, "/v1/webhook-endpoints", map[string]any{"url": other.url, "event_types": []string{"site.created"}})
	token := m.link(t)
	base, admin := product.Description().BaseURL, product.Description().AdminURL
	credentials := map[string]any{"email": m.Administrator.Email, "password": m.Administrator.Password}
	session, _ := send(t, "", "POST", admin+"/internal/sign-in", credentials).Object["session"].(string)
	initialize := map[string]any{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": map[string]any{"protocolVersion": "2025-06-18",
		"capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "cells", "version": "1"}}}
	key := m.Keys["full"]
	doors := map[string]func() apiclient.Response{
		"the API": func() apiclient.Response { return send(t, key, "GET", base+"/v1/sites", nil) },
		"a write": func() apiclient.Response {
			return send(t, key, "POST", base+"/v1/sites", map[string]any{"name": "Pier " + uuid.NewString()[:8]})
		},
		"OData":      func() apiclient.Response { return send(t, key, "GET", base+"/odata/v4/sites", nil) },
		"the search": func() apiclient.Response { return send(t, key, "GET", base+"/v1/search?q=park", nil) },
		"a sign-in":  func() apiclient.Response { return send(t, "", "POST", admin+"/internal/sign-in", credentials) },
		"a session": func() apiclient.Response {
			return send(t, session, "GET", admin+"/internal/organizations/"+m.ID+"/keys", nil)
		},
		"a link": func() apiclient.Response { return send(t, "", "GET", base+"/public/links/"+token, nil) },
		"an assistant": func() apiclient.Response {
			return send(t, key, "POST", product.Description().MCPURL, initialize, "Accept", "application/json, text/event-stream")
		},
		"a link's page": func() apiclient.Response { return send(t, "", "GET", base+"/r/"+token, nil) },
		"a jurisdiction": func() apiclient.Response {
			return send(t, "", "GET", base+"/open311/v2/services.xml?jurisdiction_id="+m.ID, nil)
		},
	}
	pages := []string{"a link's page", "a jurisdiction"} // which say it to people, or in the words of their own standard
	for door, open := range doors {
		if a := open(); a.Status >= 300 {
			t.Fatalf("%s, before: %d %.300s", door, a.Status, a.Body)
		}
	}

	d, steps := leavingDesk(t, "suspend-an-organization.md", "| what happens", 3, m)
	if said := d.run(t, steps[0], steps[1], "bin/amsctl organizations show "+m.ID); !strings.Contains(said, "suspended") {
		t.Errorf("suspending says: %s", said)
	}
	for door, open := range doors {
		if a := open(); a.Status != http.StatusForbidden || !slices.Contains(pages, door) && !strings.Contains(string(a.Body),
			"organization_suspended") {
			t.Errorf("%s: %d %.300s", door, a.Status, a.Body)
		}
	}
	// An event that waits is not handed on, while one that came after it is.
	waiting, owner := uuid.NewString(), m.owner(t)
	if _, err := owner.Exec(t.Context(), `INSERT INTO assets.outbox (organization_id, id, type, collection, record_id, version, payload)
		VALUES ($1, gen_random_uuid(), 'site.created', 'sites', $2::uuid, 1, json_build_object('data', json_build_object('object',
			json_build_object('id', $2::uuid), 'changed', json_build_array(), 'previous', json_build_object()), 'actor', json_build_object()))`,
		m.ID, waiting); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		site := neighbour.create(t, "/v1/sites", map[string]any{"name": "Next door " + uuid.NewString()[:8]})
		testwait.For(t, timeout, "the neighbour's delivery", func() bool { return other.has("site.created " + site) })
	}
	var events int
	if err := owner.QueryRow(t.Context(), "SELECT count(*) FROM assets.outbox WHERE organization_id = $1 AND record_id = $2", m.ID, waiting).
		Scan(&events); err != nil || events != 1 || hook.has("site.created "+waiting) {
		t.Errorf("of the events of the suspended organization %d wait, delivered: %t, %v", events, hook.has("site.created "+waiting), err)
	}

	d.run(t, steps[0], steps[2])
	for door, open := range doors {
		if a := open(); a.Status >= 300 {
			t.Errorf("%s, resumed: %d %.300s", door, a.Status, a.Body)
		}
	}
	testwait.For(t, timeout, "what waited is delivered", func() bool { return hook.has("site.created " + waiting) })
	neighbour.call(t, 204, "DELETE", "/v1/webhook-endpoints/"+endpoint, nil)
}

// The runbook "restore an organization" is carried out with its own commands, from a database of the moment.
func TestTheRunbookBringsAnOrganizationBackToAMoment(t *testing.T) {
	m, neighbour := newMember(t, "bridge", "second"), inCell(t, "second")
	destroyed := m.create(t, "/v1/sites", map[string]any{"name": "North span"})
	renamed := m.create(t, "/v1/sites", map[string]any{"name": "South span"})
	address, err := url.Parse(product.Description().Cells["second"].PostgresURL)
	if err != nil {
		t.Fatal(err)
	}
	restored := *address
	restored.Path = "/restored"
	owner := m.owner(t)
	if _, err := owner.Exec(t.Context(), "CREATE DATABASE restored OWNER ams_owner"); err != nil {
		t.Fatal(err)
	}
	dump := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", `pg_dump -Fc "$0" | pg_restore --exit-on-error -d "$1"`,
		address.String(), restored.String())
	if said, err := dump.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	m.call(t, 204, "DELETE", "/v1/sites/"+destroyed, nil)
	m.call(t, 200, "PATCH", "/v1/sites/"+renamed, map[string]any{"name": "Somewhere"})
	later := m.create(t, "/v1/sites", map[string]any{"name": "Since then"})
	stays := neighbour.create(t, "/v1/sites", map[string]any{"name": "Next door " + uuid.NewString()[:8]})

	d, steps := leavingDesk(t, "restore-an-organization.md", "| replaced", 3, m)
	d.write(t, "secrets/restored", restored.String())
	said := d.run(t, steps[0], "! "+strings.TrimSpace(steps[1])) // it ends with 1
	if !strings.Contains(said, "assets.site") || !strings.Contains(said, "nothing was changed") {
		t.Errorf("looking says: %s", said)
	}
	m.call(t, 200, "GET", "/v1/sites/"+later, nil)
	if said := d.run(t, steps[0], steps[2]); !strings.Contains(said, "Restored: ") {
		t.Errorf("restoring says: %s", said)
	}
	for id, name := range map[string]string{destroyed: "North span", renamed: "South span"} {
		if got := m.call(t, 200, "GET", "/v1/sites/"+id, nil).Object["name"]; got != name {
			t.Errorf("the site is called %v, not %s", got, name)
		}
	}
	m.call(t, 404, "GET", "/v1/sites/"+later, nil)
	neighbour.call(t, 200, "GET", "/v1/sites/"+stays, nil)
	m.create(t, "/v1/sites", map[string]any{"name": "Afterwards"})
	page := m.call(t, 200, "GET", "/v1/sites", nil).Object["pagination"].(map[string]any)
	if fmt.Sprint(page["total"]) != "3" {
		t.Errorf("the list has %v", page)
	}
}

// The runbook "delete an organization" is carried out with its own commands; its date is brought forward, as no test waits for a month.
func TestTheRunbookDeletesAnOrganizationEverywhere(t *testing.T) {
	m := newMember(t, "mine", "second")
	store := filepath.Join(product.Folder(), "documents")
	site := m.create(t, "/v1/sites", map[string]any{"name": "Shaft"})
	token := m.link(t)
	const boundary = "b0undary"
	form := "--" + boundary + "\r\nContent-Disposition: form-data; name=\"document\"\r\nContent-Type: application/json\r\n\r\n" +
		`{"collection":"sites","record_id":"` + site + `","kind":"other","title":"Closure"}` + "\r\n--" + boundary +
		"\r\nContent-Disposition: form-data; name=\"file\"; filename=\"closure.txt\"\r\nContent-Type: " +
		"text/plain\r\n\r\nclosed\r\n--" + boundary + "--\r\n"
	if a := send(t, m.Keys["full"], "POST", product.Description().BaseURL+"/v1/documents", []byte(form), "Content-Type",
		"multipart/form-data; boundary="+boundary); a.Status != 201 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	files := func() (n int) {
		err := filepath.WalkDir(store, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && strings.Contains(path, m.ID) {
				n++
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if files() == 0 {
		t.Fatal("the document is not in the store")
	}
	d, steps := leavingDesk(t, "delete-an-organization.md", "", 4, m, "s3://ams-documents", store)
	hold := strings.Split(strings.TrimSpace(steps[3]), "\n")
	d.run(t, hold[0])
	if said := d.run(t, steps[0], "! "+strings.TrimSpace(steps[1])); !strings.Contains(said, "is held (Smith v. Ville, claim of 2026-05-04)") {
		t.Errorf("an order against a hold says: %s", said)
	}
	m.call(t, 200, "GET", "/v1/sites/"+site, nil)
	d.run(t, hold[1])
	document := m.call(t, 200, "GET", "/v1/documents", nil).Object["data"].([]any)[0].(map[string]any)["id"].(string)
	legal := m.create(t, "/v1/legal-holds", map[string]any{"name": "Smith", "reason": "Claim", "document_ids": []string{document}})
	if said := d.run(t, steps[0], "! "+strings.TrimSpace(steps[1])); !strings.Contains(said, "has 1 active legal holds") {
		t.Errorf("an order against a legal hold says: %s", said)
	}
	m.call(t, 200, "PATCH", "/v1/legal-holds/"+legal, map[string]any{"status": "released"})

	said := d.run(t, steps[0], steps[1], steps[2], "bin/amsctl organizations list")
	if !strings.Contains(said, "Anne Roy, records manager") || !strings.Contains(said, "nothing is deleted before its date") || files() == 0 {
		t.Errorf("ordering says: %s", said)
	}
	if a := send(t, m.Keys["full"], "GET", product.Description().BaseURL+"/v1/sites", nil); a.Status != 403 {
		t.Errorf("it is not suspended: %d %s", a.Status, a.Body)
	}
	first := member{cell: "first"}.owner(t)
	if _, err := first.Exec(t.Context(), "UPDATE gateway.organization SET delete_after = now() - interval '1 second' WHERE organization_id "+
		"= $1", m.ID); err != nil {
		t.Fatal(err)
	}
	d.run(t, steps[0], steps[2])
	var record move.Destruction
	if err := json.Unmarshal([]byte(d.read(t, "destruction.json")), &record); err != nil {
		t.Fatal(err)
	}
	if record.OrderedBy != "Anne Roy, records manager" || record.Documents.Documents != 1 || record.Documents.Objects == 0 ||
		record.Rows == 0 {
		t.Errorf("the record of destruction: %+v", record)
	}
	for _, table := range record.Tables {
		if table.Left != 0 {
			t.Errorf("%+v", table)
		}
	}
	for _, table := range []string{"assets.site", "assets.history", "users.user_account", "webhooks.event", "documents.document"} {
		if left := m.rows(t, table); left["first"]+left["second"] != 0 {
			t.Errorf("%s: %v", table, left)
		}
	}
	if n := files(); n != 0 {
		t.Errorf("%d files are left", n)
	}
	for door, a := range map[string]apiclient.Response{
		"its key": send(t, m.Keys["full"], "GET", product.Description().BaseURL+"/v1/sites", nil),
		"a sign-in": send(t, "", "POST", product.Description().AdminURL+"/internal/sign-in", map[string]any{"email": m.Administrator.Email,
			"password": m.Administrator.Password}),
		"its link": send(t, "", "GET", product.Description().BaseURL+"/public/links/"+token, nil),
	} {
		if a.Status != 401 && a.Status != 404 {
			t.Errorf("%s: %d %s", door, a.Status, a.Body)
		}
	}
	if again := d.run(t, steps[0], "bin/amsctl organizations delete "+m.ID); !strings.Contains(again, m.ID) {
		t.Errorf("run again with the id it says: %s", again)
	}
	inCell(t, "second").call(t, 200, "GET", "/v1/sites", nil)
}
