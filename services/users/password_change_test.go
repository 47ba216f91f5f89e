package main

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
)

const newPhrase = "une autre phrase, plus longue"

func change(t *testing.T, by *resourcetest.Client, status int, id, current, next string) resourcetest.Answer {
	t.Helper()
	return by.Must(t, status, "POST", "/internal/users/password", map[string]any{"user_id": id, "current_password": current, "new_password": next})
}

func TestAPasswordIsChangedByWhoKnowsIt(t *testing.T) {
	h := newFixture(t)
	anne := h.anne(t)
	id := anne.Principal.Actor.ID
	for _, refused := range []struct{ next, why string }{
		{"elevenchars", "new_password: must have at least 12 characters"}, {"élevenchars", "new_password: must have at least 12 characters"},
		{"Anne@Example.ca", "new_password: must not be the e-mail address"}, {phrase, "new_password: must not be the current password"},
	} {
		if answer := change(t, anne, 400, id, phrase, refused.next); answer.JSON["error"] != refused.why {
			t.Errorf("%q: %v", refused.next, answer.JSON)
		}
	}
	if answer := change(t, anne, 401, id, phrase+"x", newPhrase); answer.JSON["code"] != "wrong_password" {
		t.Errorf("%s", answer.Body)
	}
	change(t, anne, 200, id, phrase, newPhrase)
	h.service.Must(t, 401, "POST", "/internal/users/sign-in", map[string]any{"email": "anne@example.ca", "password": phrase})
	h.service.Must(t, 200, "POST", "/internal/users/sign-in", map[string]any{"email": "anne@example.ca", "password": newPhrase})
	change(t, h.service, 200, id, newPhrase, phrase)

	other := anne.Create(t, "/v1/users", map[string]any{"email": "max@example.ca", "name": "Max", "role": "administrator", "status": "active"})["id"].(string)
	change(t, h.as(principal.Actor{Type: "user", ID: other, Name: "Max"}), 403, id, phrase, newPhrase)
	change(t, h.key, 403, id, phrase, newPhrase)
	change(t, h.service, 401, other, phrase, newPhrase) // has none yet
	change(t, h.service, 401, uuid.NewString(), phrase, newPhrase)
	change(t, h.elsewhere().service, 401, id, phrase, newPhrase)
	anne.Must(t, 200, "PATCH", "/v1/users/"+id, map[string]any{"status": "suspended"})
	if answer := change(t, anne, 401, id, phrase, newPhrase); answer.JSON["code"] != "session_ended" {
		t.Errorf("of a suspended user: %s", answer.Body)
	}
}

func TestOfTwoChangesAtOnceOneIsMade(t *testing.T) {
	h := newFixture(t)
	anne := h.anne(t)
	var mutex sync.Mutex
	statuses := map[int]int{}
	var calls sync.WaitGroup
	for n := range 6 {
		calls.Go(func() {
			answer := anne.Do(t, "POST", "/internal/users/password", map[string]any{"user_id": anne.Principal.Actor.ID, "current_password": phrase, "new_password": newPhrase + string(rune('a'+n))})
			mutex.Lock()
			defer mutex.Unlock()
			statuses[answer.Status]++
		})
	}
	calls.Wait()
	if statuses[200] != 1 || statuses[401] != 5 {
		t.Errorf("statuses are %v", statuses)
	}
}

func TestGuessingTheCurrentPasswordIsSlowedDown(t *testing.T) {
	h := newFixture(t)
	anne := h.anne(t)
	id := anne.Principal.Actor.ID
	var mutex sync.Mutex
	statuses := map[int]int{}
	var calls sync.WaitGroup
	for range passwordTries + 5 {
		calls.Go(func() { // at once, so that none slips through before the others are counted
			answer := anne.Do(t, "POST", "/internal/users/password", map[string]any{"user_id": id, "current_password": "wrong", "new_password": newPhrase})
			mutex.Lock()
			defer mutex.Unlock()
			statuses[answer.Status]++
		})
	}
	calls.Wait()
	if statuses[401] != passwordTries || statuses[429] != 5 {
		t.Errorf("statuses are %v", statuses)
	}
	if answer := change(t, anne, 429, id, phrase, newPhrase); answer.Header.Get("Retry-After") == "" || answer.JSON["code"] != "password_slowed" {
		t.Errorf("%v %s", answer.Header, answer.Body)
	}
	if _, err := h.owner(t).Exec(t.Context(), "UPDATE credential SET attempts_since = now() - interval '16 minutes'"); err != nil {
		t.Fatal(err)
	}
	change(t, anne, 200, id, phrase, newPhrase)
	for range passwordTries - 1 {
		change(t, anne, 401, id, "wrong", phrase)
	}
	change(t, anne, 400, id, newPhrase, "short") // who knows it is forgiven
	for range passwordTries - 1 {
		change(t, anne, 401, id, "wrong", phrase)
	}
	change(t, anne, 200, id, newPhrase, phrase)
}

func TestSessionsEndWithThePasswordAndTheUser(t *testing.T) {
	h := newFixture(t)
	anne := h.anne(t)
	id := anne.Principal.Actor.ID
	began := time.Now().UTC().Format(time.RFC3339Nano)
	session := func(status int, body map[string]any) map[string]any {
		t.Helper()
		answer := h.service.Must(t, status, "POST", "/internal/users/session", body)
		if status == 401 && answer.JSON["code"] != "session_ended" {
			t.Errorf("%s", answer.Body)
		}
		return answer.JSON
	}
	got := session(200, map[string]any{"user_id": id, "since": began})
	for field, want := range map[string]any{"organization_id": h.key.Principal.OrganizationID, "user_id": id, "name": "Anne", "email": "anne@example.ca", "role": "administrator", "status": "active", "locale": "en-CA"} {
		if got[field] != want {
			t.Errorf("%s is %v, want %v", field, got[field], want)
		}
	}
	changed := change(t, anne, 200, id, phrase, newPhrase).JSON["changed_at"].(string)
	session(401, map[string]any{"user_id": id, "since": began})
	session(200, map[string]any{"user_id": id, "since": changed})
	session(200, map[string]any{"user_id": id})

	second := createAdministrator(t, h.person, "second@example.ca")
	anne.Must(t, 200, "PATCH", "/v1/users/"+id, map[string]any{"role": "manager"})
	if got := session(200, map[string]any{"user_id": id, "since": changed}); got["role"] != "manager" {
		t.Errorf("the role is %v", got["role"])
	}
	anne.Must(t, 200, "PATCH", "/v1/users/"+id, map[string]any{"status": "suspended"})
	session(401, map[string]any{"user_id": id, "since": changed})
	session(401, map[string]any{"user_id": second}) // never had a password
	session(401, map[string]any{"user_id": uuid.NewString()})
	elsewhere := h.elsewhere()
	elsewhere.service.Must(t, 401, "POST", "/internal/users/session", map[string]any{"user_id": id})
	h.key.Must(t, 403, "POST", "/internal/users/session", map[string]any{"user_id": id})
	h.service.Must(t, 400, "POST", "/internal/users/session", map[string]any{"user_id": "x"})
	h.service.Must(t, 400, "POST", "/internal/users/session", map[string]any{"user_id": id, "since": "soon"})
}

func TestTheStandingOfAUserIsNotSaidWhileItChanges(t *testing.T) {
	h := newFixture(t)
	anne := h.anne(t)
	id := anne.Principal.Actor.ID
	question := map[string]any{"user_id": id}
	if got := h.service.Must(t, 200, "POST", "/internal/users/standing", question).JSON; got["role"] != "administrator" || got["status"] != "active" || got["name"] != "Anne" {
		t.Errorf("%v", got)
	}
	change, err := h.owner(t).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := change.Exec(t.Context(), "UPDATE user_account SET status = 'suspended' WHERE id = $1", id); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if answer := h.service.Must(t, 503, "POST", "/internal/users/standing", question); answer.JSON["code"] != "user_changing" || time.Since(began) > time.Second {
		t.Errorf("after %s: %s", time.Since(began), answer.Body)
	}
	if err := change.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := h.service.Must(t, 200, "POST", "/internal/users/standing", question).JSON; got["status"] != "suspended" {
		t.Errorf("%v", got)
	}
	h.service.Must(t, 404, "POST", "/internal/users/standing", map[string]any{"user_id": uuid.NewString()})
	h.elsewhere().service.Must(t, 404, "POST", "/internal/users/standing", question)
	h.key.Must(t, 403, "POST", "/internal/users/standing", question)
}
