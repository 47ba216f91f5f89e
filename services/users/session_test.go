package users

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestSessionsEndWithThePasswordAndTheUser(t *testing.T) {
	f := newFixture(t)
	anne := f.administrator(t)
	id := anne.Principal.Actor.ID
	began := time.Now().UTC().Format(time.RFC3339Nano)
	session := func(status int, body map[string]any) map[string]any {
		t.Helper()
		answer := f.service.Must(t, status, "POST", "/internal/users/session", body)
		if status == 401 && answer.JSON["code"] != "session_ended" {
			t.Errorf("%s", answer.Body)
		}
		return answer.JSON
	}
	got := session(200, map[string]any{"user_id": id, "since": began})
	for field, want := range map[string]any{"organization_id": f.key.Principal.OrganizationID, "user_id": id, "name": "Anne",
		"email": "anne@example.ca", "role": "administrator", "status": "active", "locale": "en-CA"} {
		if got[field] != want {
			t.Errorf("%s is %v, want %v", field, got[field], want)
		}
	}
	changed := change(t, anne, 200, id, phrase, newPhrase).JSON["changed_at"].(string)
	session(401, map[string]any{"user_id": id, "since": began})
	session(200, map[string]any{"user_id": id, "since": changed})
	session(200, map[string]any{"user_id": id})

	second := createAdministrator(t, f.person, "second@example.ca")
	anne.Must(t, 200, "PATCH", "/v1/users/"+id, map[string]any{"role": "manager"})
	if got := session(200, map[string]any{"user_id": id, "since": changed}); got["role"] != "manager" {
		t.Errorf("the role is %v", got["role"])
	}
	anne.Must(t, 200, "PATCH", "/v1/users/"+id, map[string]any{"status": "suspended"})
	session(401, map[string]any{"user_id": id, "since": changed})
	session(401, map[string]any{"user_id": second}) // never had a password
	session(401, map[string]any{"user_id": uuid.NewString()})
	other := f.otherOrganization()
	other.service.Must(t, 401, "POST", "/internal/users/session", map[string]any{"user_id": id})
	f.key.Must(t, 403, "POST", "/internal/users/session", map[string]any{"user_id": id})
	f.service.Must(t, 400, "POST", "/internal/users/session", map[string]any{"user_id": "x"})
	f.service.Must(t, 400, "POST", "/internal/users/session", map[string]any{"user_id": id, "since": "soon"})
}

func TestTheStandingOfAUserIsUnavailableWhileItChanges(t *testing.T) {
	f := newFixture(t)
	anne := f.administrator(t)
	id := anne.Principal.Actor.ID
	request := map[string]any{"user_id": id}
	if got := f.service.Must(t, 200, "POST", "/internal/users/standing",
		request).JSON; got["role"] != "administrator" || got["status"] != "active" || got["name"] != "Anne" {
		t.Errorf("%v", got)
	}
	change, err := f.ownerConn(t).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := change.Exec(t.Context(), "UPDATE user_account SET status = 'suspended' WHERE id = $1", id); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if answer := f.service.Must(t, 503, "POST", "/internal/users/standing",
		request); answer.JSON["code"] != "user_changing" || time.Since(began) > time.Second {
		t.Errorf("after %s: %s", time.Since(began), answer.Body)
	}
	if err := change.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := f.service.Must(t, 200, "POST", "/internal/users/standing", request).JSON; got["status"] != "suspended" {
		t.Errorf("%v", got)
	}
	f.service.Must(t, 404, "POST", "/internal/users/standing", map[string]any{"user_id": uuid.NewString()})
	f.otherOrganization().service.Must(t, 404, "POST", "/internal/users/standing", request)
	f.key.Must(t, 403, "POST", "/internal/users/standing", request)
}
