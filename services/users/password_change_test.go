package users

import (
	"sync"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
)

const newPhrase = "une autre phrase, plus longue"

func change(t *testing.T, by *resourcetest.Client, status int, id, current, next string) resourcetest.Response {
	t.Helper()
	return by.Must(t, status, "POST", "/internal/users/password",
		map[string]any{"user_id": id, "current_password": current, "new_password": next})
}

func TestAPasswordIsChangedByWhoKnowsIt(t *testing.T) {
	f := newFixture(t)
	anne := f.administrator(t)
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
	f.service.Must(t, 401, "POST", "/internal/users/sign-in", map[string]any{"email": "anne@example.ca", "password": phrase})
	f.service.Must(t, 200, "POST", "/internal/users/sign-in", map[string]any{"email": "anne@example.ca", "password": newPhrase})
	change(t, f.service, 200, id, newPhrase, phrase)

	other := anne.Create(t, "/v1/users", map[string]any{"email": "max@example.ca", "name": "Max", "role": "administrator",
		"status": "active"})["id"].(string)
	change(t, f.as(principal.Actor{Type: "user", ID: other, Name: "Max"}), 403, id, phrase, newPhrase)
	change(t, f.key, 403, id, phrase, newPhrase)
	change(t, f.service, 401, other, phrase, newPhrase) // has none yet
	change(t, f.service, 401, uuid.NewString(), phrase, newPhrase)
	change(t, f.otherOrganization().service, 401, id, phrase, newPhrase)
	anne.Must(t, 200, "PATCH", "/v1/users/"+id, map[string]any{"status": "suspended"})
	if answer := change(t, anne, 401, id, phrase, newPhrase); answer.JSON["code"] != "session_ended" {
		t.Errorf("of a suspended user: %s", answer.Body)
	}
}

func TestOfTwoChangesAtOnceOneIsMade(t *testing.T) {
	f := newFixture(t)
	anne := f.administrator(t)
	var mutex sync.Mutex
	statuses := map[int]int{}
	var calls sync.WaitGroup
	for n := range 6 {
		calls.Go(func() {
			answer := anne.Do(t, "POST", "/internal/users/password", map[string]any{"user_id": anne.Principal.Actor.ID, "current_password": phrase,
				"new_password": newPhrase + string(rune('a'+n))})
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
	f := newFixture(t)
	anne := f.administrator(t)
	id := anne.Principal.Actor.ID
	var mutex sync.Mutex
	statuses := map[int]int{}
	var calls sync.WaitGroup
	for range maxPasswordAttempts + 5 {
		calls.Go(func() { // at once, so that none slips through before the others are counted
			answer := anne.Do(t, "POST", "/internal/users/password", map[string]any{"user_id": id, "current_password": "wrong",
				"new_password": newPhrase})
			mutex.Lock()
			defer mutex.Unlock()
			statuses[answer.Status]++
		})
	}
	calls.Wait()
	if statuses[401] != maxPasswordAttempts || statuses[429] != 5 {
		t.Errorf("statuses are %v", statuses)
	}
	if answer := change(t, anne, 429, id, phrase, newPhrase); answer.Header.Get("Retry-After") == "" ||
		answer.JSON["code"] != "password_slowed" {
		t.Errorf("%v %s", answer.Header, answer.Body)
	}
	if _, err := f.ownerConn(t).Exec(t.Context(), "UPDATE credential SET attempts_since = now() - interval '16 minutes'"); err != nil {
		t.Fatal(err)
	}
	change(t, anne, 200, id, phrase, newPhrase)
	for range maxPasswordAttempts - 1 {
		change(t, anne, 401, id, "wrong", phrase)
	}
	change(t, anne, 400, id, newPhrase, "short") // the right password resets the count
	for range maxPasswordAttempts - 1 {
		change(t, anne, 401, id, "wrong", phrase)
	}
	change(t, anne, 200, id, newPhrase, phrase)
}
