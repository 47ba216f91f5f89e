package users

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
)

func TestAnInvitedUserSetsTheFirstPasswordOnce(t *testing.T) {
	f := newFixture(t)
	anne := f.administrator(t)
	id, token := f.inviteUser(t, anne, "bao@example.ca")
	console := f.anonymous("203.0.113.7")
	shown := console.Must(t, 200, "POST", "/internal/users/invitation", map[string]any{"token": token}).JSON
	expires, err := time.Parse(time.RFC3339, shown["expires_at"].(string))
	if days := time.Until(expires).Hours() / 24; err != nil || days < 6.9 || days > 7.1 ||
		shown["name"] != "Bao Nguyen" || shown["locale"] != "fr-CA" {
		t.Errorf("the link shows %v", shown)
	}
	for _, refused := range []string{"short", "eleven chrs", "bao@example.ca", "BAO@example.ca"} {
		answer := console.Must(t, 400, "POST", "/internal/users/first-password", map[string]any{"token": token, "new_password": refused})
		if fields := answer.Fields(); len(fields) != 1 || fields[0] != "new_password" {
			t.Errorf("%q: %s", refused, answer.Body)
		}
	}
	f.service.Must(t, 401, "POST", "/internal/users/sign-in", map[string]any{"email": "bao@example.ca", "password": phrase})
	done := console.Must(t, 200, "POST", "/internal/users/first-password", map[string]any{"token": token, "new_password": phrase}).JSON
	for field, want := range map[string]any{"organization_id": f.key.Principal.OrganizationID, "user_id": id, "name": "Bao Nguyen",
		"email": "bao@example.ca", "role": "manager", "locale": "fr-CA"} {
		if done[field] != want {
			t.Errorf("%s is %v, want %v", field, done[field], want)
		}
	}
	in := f.service.Must(t, 200, "POST", "/internal/users/sign-in", map[string]any{"email": "bao@example.ca", "password": phrase}).JSON
	if in["status"] != "active" || in["locale"] != "fr-CA" {
		t.Errorf("signed in as %v", in)
	}
	again := console.Must(t, 404, "POST", "/internal/users/first-password",
		map[string]any{"token": token, "new_password": "another long phrase"}).JSON
	if again["code"] != "invitation_unknown" {
		t.Errorf("the second time: %v", again)
	}
	anne.Must(t, 409, "POST", "/internal/users/invitations", map[string]any{"user_id": id})

	// Who became active is in the history, by themself and from where they were.
	history, _ := f.key.List(t, "/v1/users/"+id+"/history")
	if last := history[len(history)-1]; len(history) != 2 || last["actor"].(map[string]any)["id"] != id ||
		fmt.Sprint(last["changes"]) != "map[status:map[new:active old:invited]]" {
		t.Errorf("the history is %v", history)
	}
	service := *f.service
	trail := service.Must(t, 200, "POST", "/internal/changes", map[string]any{"record_id": id}).JSON["data"].([]any)
	if newest := trail[0].(map[string]any); newest["address"] != "203.0.113.7" || newest["action"] != "user.updated" {
		t.Errorf("the trail begins with %v", newest)
	}
}

func TestALinkIsUsedOnceHoweverManyUseItAtOnce(t *testing.T) {
	f := newFixture(t)
	_, token := f.inviteUser(t, f.administrator(t), "bao@example.ca")
	const callers = 12
	var mutex sync.Mutex
	statuses := map[int]int{}
	var winner string
	var calls sync.WaitGroup
	for n := range callers {
		calls.Go(func() {
			password := fmt.Sprintf("%s number %d", phrase, n)
			answer := f.anonymous(fmt.Sprintf("203.0.113.%d", n)).Do(t, "POST", "/internal/users/first-password",
				map[string]any{"token": token, "new_password": password})
			mutex.Lock()
			defer mutex.Unlock()
			statuses[answer.Status]++
			if answer.Status == 200 {
				winner = password
			}
		})
	}
	calls.Wait()
	if statuses[200] != 1 || statuses[404] != callers-1 {
		t.Fatalf("statuses are %v", statuses)
	}
	for n := range callers {
		password, want := fmt.Sprintf("%s number %d", phrase, n), 401
		if password == winner {
			want = 200
		}
		f.service.Must(t, want, "POST", "/internal/users/sign-in", map[string]any{"email": "bao@example.ca", "password": password})
	}
}

func TestWhatEndsALink(t *testing.T) {
	f := newFixture(t)
	anne, console := f.administrator(t), f.anonymous("203.0.113.7")
	use := func(want int, token string) {
		t.Helper()
		answer := console.Must(t, want, "POST", "/internal/users/first-password", map[string]any{"token": token, "new_password": phrase})
		if want == 404 && answer.JSON["code"] != "invitation_unknown" {
			t.Errorf("%s", answer.Body)
		}
	}
	_, replaced := f.inviteUser(t, anne, "one@example.ca")
	fresh := anne.Must(t, 200, "POST", "/internal/users/invitations", map[string]any{"email": " ONE@example.ca"}).JSON["token"].(string)
	use(404, replaced)
	use(200, fresh)

	id, token := f.inviteUser(t, anne, "two@example.ca")
	anne.Must(t, 204, "DELETE", "/v1/users/"+id, nil)
	use(404, token)
	anne.Must(t, 200, "PATCH", "/v1/users/"+id, map[string]any{"status": "invited"})
	use(404, token) // who comes back needs a new one
	token = anne.Must(t, 200, "POST", "/internal/users/invitations", map[string]any{"user_id": id}).JSON["token"].(string)
	use(200, token)

	id = anne.Create(t, "/v1/users", map[string]any{"email": "three@example.ca", "name": "Three", "status": "active"})["id"].(string)
	token = anne.Must(t, 200, "POST", "/internal/users/invitations", map[string]any{"user_id": id}).JSON["token"].(string)
	anne.Must(t, 200, "PATCH", "/v1/users/"+id, map[string]any{"status": "suspended"})
	use(404, token)
	anne.Must(t, 409, "POST", "/internal/users/invitations", map[string]any{"user_id": id})
	anne.Must(t, 200, "PATCH", "/v1/users/"+id, map[string]any{"status": "active"})
	use(404, token)

	_, token = f.inviteUser(t, anne, "four@example.ca")
	if _, err := f.ownerConn(t).Exec(t.Context(), "UPDATE invitation SET expires_at = now() - interval '1 second'"); err != nil {
		t.Fatal(err)
	}
	use(404, token)
	use(404, "nonsense")
}

func TestWhoMayMakeALink(t *testing.T) {
	f := newFixture(t)
	anne := f.administrator(t)
	id, _ := f.inviteUser(t, anne, "bao@example.ca")
	manager := anne.Create(t, "/v1/users", map[string]any{"email": "max@example.ca", "name": "Max", "role": "manager",
		"status": "active"})["id"].(string)
	former := anne.Create(t, "/v1/users", map[string]any{"email": "eva@example.ca", "name": "Eva", "role": "administrator",
		"status": "active"})["id"].(string)
	anne.Must(t, 200, "PATCH", "/v1/users/"+former, map[string]any{"role": "manager"})
	other := f.otherOrganization()
	foreign := other.administrator(t)
	person := func(id string) *resourcetest.Client { return f.as(principal.Actor{Type: "user", ID: id, Name: "x"}) }
	for name, test := range map[string]struct {
		by     *resourcetest.Client
		body   map[string]any
		status int
	}{
		"an administrator":                  {anne, map[string]any{"user_id": id}, 200},
		"a service":                         {f.service, map[string]any{"user_id": id}, 200},
		"a key":                             {f.key, map[string]any{"user_id": id}, 403},
		"a manager":                         {person(manager), map[string]any{"user_id": id}, 403},
		"somebody who was an administrator": {person(former), map[string]any{"user_id": id}, 403},
		"somebody whose id is none":         {person("x"), map[string]any{"user_id": id}, 403},
		"an administrator of another organization": {foreign, map[string]any{"user_id": id}, 404},
		"by an e-mail address of another":          {foreign, map[string]any{"email": "bao@example.ca"}, 404},
		"for nobody":                               {anne, map[string]any{"user_id": uuid.NewString()}, 404},
		"without saying for whom":                  {anne, map[string]any{}, 400},
		"for two":                                  {anne, map[string]any{"user_id": id, "email": "bao@example.ca"}, 400},
		"for an id that is none":                   {anne, map[string]any{"user_id": "x"}, 400},
		"for one who has a password":               {anne, map[string]any{"email": "anne@example.ca"}, 409},
	} {
		if answer := test.by.Do(t, "POST", "/internal/users/invitations",
			test.body); answer.Status != test.status || test.status != 200 && strings.Contains(string(answer.Body), "token") {
			t.Errorf("%s: %d %s, want %d", name, answer.Status, answer.Body, test.status)
		}
	}
	// A token is used by the console, never by a person's or a key's principal.
	_, token := f.inviteUser(t, anne, "cai@example.ca")
	for _, by := range []*resourcetest.Client{f.key, anne} {
		by.Must(t, 403, "POST", "/internal/users/first-password", map[string]any{"token": token, "new_password": phrase})
		by.Must(t, 403, "POST", "/internal/users/invitation", map[string]any{"token": token})
	}
}

func TestTokensAreStoredAsHashesOnly(t *testing.T) {
	f := newFixture(t)
	_, token := f.inviteUser(t, f.administrator(t), "bao@example.ca")
	conn := f.ownerConn(t)
	rows, err := conn.Query(t.Context(), "SELECT table_name FROM information_schema.tables WHERE table_schema = 'users' AND table_type = "+
		"'BASE TABLE'")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 8 {
		t.Fatalf("%v, %v", tables, err)
	}
	for _, table := range tables {
		var whole []byte
		if err := conn.QueryRow(t.Context(), "SELECT coalesce(string_agg(t::text, ' '), '')::bytea FROM "+pgx.Identifier{"users",
			table}.Sanitize()+" t").Scan(&whole); err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(whole, []byte(token)) || bytes.Contains(whole, []byte(phrase)) {
			t.Errorf("%s holds a secret", table)
		}
	}
}

func TestWrongTokensAreSlowedDown(t *testing.T) {
	f := newFixture(t)
	_, token := f.inviteUser(t, f.administrator(t), "bao@example.ca")
	guesser := f.anonymous("203.0.113.7")
	for range maxWrongTokens {
		guesser.Must(t, 404, "POST", "/internal/users/invitation", map[string]any{"token": uuid.NewString()})
	}
	if answer := guesser.Must(t, 429, "POST", "/internal/users/first-password",
		map[string]any{"token": token, "new_password": phrase}); answer.Header.Get("Retry-After") == "" {
		t.Errorf("%v", answer.Header)
	}
	f.anonymous("198.51.100.9").Must(t, 200, "POST", "/internal/users/first-password", map[string]any{"token": token, "new_password": phrase})
}
