package users

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"
)

func TestAKeyCannotMakeAnAdministrator(t *testing.T) {
	f := newFixture(t)
	createAdministrator(t, f.person, "first@example.ca")
	admin := "/v1/users/" + createAdministrator(t, f.person, "second@example.ca")
	viewer := f.person.Create(t, "/v1/users", map[string]any{"email": "viewer@example.ca", "name": "Viewer", "external_id": "v"})
	refused := func(method, path string, body any) {
		t.Helper()
		if answer := f.key.Must(t, 403, method, path, body).JSON; answer["code"] != "administrator_by_key" {
			t.Errorf("%s %s: %v", method, path, answer)
		}
	}
	role := map[string]any{"role": "administrator"}
	refused("POST", "/v1/users", map[string]any{"email": "x@example.ca", "name": "x", "role": "administrator"})
	refused("PATCH", "/v1/users/"+viewer["id"].(string), role)
	refused("POST", "/v1/users/bulk", map[string]any{"data": []any{map[string]any{"email": "x@example.ca", "name": "x",
		"role": "administrator"}}})
	refused("POST", "/v1/users/bulk?on_conflict=update", map[string]any{"data": []any{map[string]any{"email": "viewer@example.ca", "name": "x",
		"role": "administrator"}}})
	refused("PATCH", "/v1/users/bulk", map[string]any{"data": []any{map[string]any{"external_id": "v", "role": "administrator"}}})

	f.key.Must(t, 200, "PATCH", admin, map[string]any{"department": "Finance"}) // what else an administrator has may be changed
	f.key.Must(t, 200, "PATCH", admin, map[string]any{"status": "suspended"})
	refused("PATCH", admin, map[string]any{"status": "active"}) // nor lets one back in
	f.person.Must(t, 200, "PATCH", admin, map[string]any{"status": "active"})
	if found, _ := f.key.List(t, "/v1/users?role=administrator"); len(found) != 2 {
		t.Errorf("there are %d administrators, want the 2 made by a person", len(found))
	}
}

func TestTheLastActiveAdministratorStays(t *testing.T) {
	f := newFixture(t)
	other := f.otherOrganization()
	createAdministrator(t, other.person, "there@example.ca") // another organization's does not count
	f.person.Create(t, "/v1/users", map[string]any{"email": "s@example.ca", "name": "S", "role": "administrator", "status": "suspended"})
	id := createAdministrator(t, f.person, "last@example.ca")
	path := "/v1/users/" + id
	for _, attempt := range []struct {
		method, path string
		body         any
		field        string
	}{
		{"PATCH", path, map[string]any{"role": "manager"}, "role"},
		{"PATCH", path, map[string]any{"status": "suspended"}, "status"},
		{"PATCH", path, map[string]any{"status": "removed"}, "status"},
		{"DELETE", path, nil, "status"},
		{"PATCH", "/v1/users/bulk", map[string]any{"data": []any{map[string]any{"id": id, "role": "viewer"}}}, ""},
		{"DELETE", "/v1/users/bulk", map[string]any{"data": []any{map[string]any{"id": id}}}, ""},
	} {
		answer := f.person.Must(t, 409, attempt.method, attempt.path, attempt.body).JSON
		if attempt.field != "" && (answer["code"] != "last_administrator" || answer["field"] != attempt.field) {
			t.Errorf("%s %s %v: %v", attempt.method, attempt.path, attempt.body, answer)
		}
	}
	if calls := f.gateway.calls(); len(calls) != 0 {
		t.Errorf("refused changes reached the gateway: %v", calls)
	}
	second := createAdministrator(t, f.person, "second@example.ca")
	both := map[string]any{"data": []any{map[string]any{"id": id, "role": "viewer"}, map[string]any{"id": second, "role": "viewer"}}}
	f.person.Must(t, 409, "PATCH", "/v1/users/bulk", both)
	f.person.Must(t, 200, "PATCH", path, map[string]any{"role": "manager"})
	f.person.Must(t, 409, "DELETE", "/v1/users/"+second, nil)
}

func TestAllAdministratorsAtOnceLeaveExactlyOneBehind(t *testing.T) {
	f := newFixture(t)
	ids := make([]string, 8)
	for i := range ids {
		ids[i] = createAdministrator(t, f.person, fmt.Sprintf("%d@example.ca", i))
	}
	var group sync.WaitGroup
	for i, id := range ids {
		group.Go(func() {
			method, body := "DELETE", any(nil)
			if i%2 == 0 {
				method, body = "PATCH", map[string]any{"role": "viewer"}
			}
			if answer := f.person.Do(t, method, "/v1/users/"+id, body); answer.Status >= 300 && answer.Status != 409 {
				t.Errorf("%s: %d %s", method, answer.Status, answer.Body)
			}
		})
	}
	group.Wait()
	if left, _ := f.person.List(t, "/v1/users?role=administrator&status=active"); len(left) != 1 {
		t.Errorf("%d administrators are left, want exactly 1", len(left))
	}
}

func TestAnOrganizationBeginsWithOneAdministrator(t *testing.T) {
	f := newFixture(t)
	given := map[string]any{"email": "Anne@Example.ca", "name": "Anne Tremblay", "password": "une phrase assez longue"}
	made := f.service.Must(t, 200, "POST", "/internal/users/administrators", given).JSON
	user := f.key.Must(t, 200, "GET", "/v1/users/"+made["id"].(string), nil).JSON
	for field, want := range map[string]any{"email": "anne@example.ca", "name": "Anne Tremblay", "role": "administrator", "status": "active",
		"version": 1.0} {
		if user[field] != want {
			t.Errorf("%s is %v, want %v", field, user[field], want)
		}
	}
	if entries, _ := f.key.List(t, "/v1/users/"+made["id"].(string)+"/history"); len(entries) != 1 || entries[0]["action"] != "created" {
		t.Errorf("its history is %v", entries)
	}
	if _, pagination := f.key.List(t, "/v1/users"); pagination["total"] != 1.0 {
		t.Errorf("the list counts %v users", pagination["total"])
	}
	if again := f.service.Must(t, 409, "POST", "/internal/users/administrators", given).JSON; again["code"] != "administrator_exists" {
		t.Errorf("a second time: %v", again)
	}
	other := f.otherOrganization()
	for name, change := range map[string]any{"password": "too short", "email": "anne", "name": ""} {
		body := map[string]any{"email": "a@example.ca", "name": "Anne", "password": "une phrase assez longue"}
		body[name] = change
		other.service.Must(t, 400, "POST", "/internal/users/administrators", body)
	}
	other.key.Must(t, 403, "POST", "/internal/users/administrators", given)
	other.person.Must(t, 403, "POST", "/internal/users/administrators", given)
	other.service.Must(t, 200, "POST", "/internal/users/administrators", given)

	taken := f.otherOrganization()
	taken.key.Create(t, "/v1/users", map[string]any{"email": "anne@example.ca", "name": "Another " + uuid.NewString()})
	if answer := taken.service.Must(t, 409, "POST", "/internal/users/administrators",
		given).JSON; answer["field"] != "email" || answer["value"] != "anne@example.ca" {
		t.Errorf("a taken e-mail address: %v", answer)
	}
}
