package users

import (
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestSignIn(t *testing.T) {
	f := newFixture(t)
	made := f.service.Must(t, 200, "POST", "/internal/users/administrators",
		map[string]any{"email": "anne@example.ca", "name": "Anne Tremblay", "password": phrase}).JSON
	f.key.Create(t, "/v1/users", map[string]any{"email": "none@example.ca", "name": "Without a password", "status": "active"})
	signIn := func(status int, email, password string) map[string]any {
		t.Helper()
		return f.service.Must(t, status, "POST", "/internal/users/sign-in", map[string]any{"email": email, "password": password}).JSON
	}
	got := signIn(200, " ANNE@example.ca", phrase)
	for field, want := range map[string]any{
		"organization_id": f.key.Principal.OrganizationID, "user_id": made["id"], "name": "Anne Tremblay",
		"email": "anne@example.ca", "role": "administrator", "status": "active",
	} {
		if got[field] != want {
			t.Errorf("%s is %v, want %v", field, got[field], want)
		}
	}
	for _, refused := range []struct{ email, password string }{
		{"anne@example.ca", strings.ToUpper(phrase)}, {"anne@example.ca", phrase + "x"}, {"nobody@example.ca", phrase},
		{"none@example.ca", phrase},
	} {
		if answer := signIn(401, refused.email, refused.password); answer["code"] != "sign_in_failed" {
			t.Errorf("%v: %v", refused, answer)
		}
	}
	f.key.Must(t, 403, "POST", "/internal/users/sign-in", map[string]any{"email": "anne@example.ca", "password": phrase})
	f.service.Must(t, 400, "POST", "/internal/users/sign-in", map[string]any{"email": "anne@example.ca"})
}

func TestWhoIsNotActiveCannotSignIn(t *testing.T) {
	f := newFixture(t)
	id := f.service.Must(t, 200, "POST", "/internal/users/administrators",
		map[string]any{"email": "anne@example.ca", "name": "Anne", "password": phrase}).JSON["id"].(string)
	createAdministrator(t, f.person, "second@example.ca")
	signIn := func(status int) {
		t.Helper()
		f.service.Must(t, status, "POST", "/internal/users/sign-in", map[string]any{"email": "anne@example.ca", "password": phrase})
	}
	set := func(status string) {
		t.Helper()
		f.person.Must(t, 200, "PATCH", "/v1/users/"+id, map[string]any{"status": status})
	}
	signIn(200)
	set("suspended")
	signIn(401)
	set("active")
	signIn(200)
	set("removed")
	signIn(401)
	set("active")
	signIn(401) // the password was forgotten with the user
}

func TestSignInToOneOfSeveralOrganizations(t *testing.T) {
	f := newFixture(t)
	other := f.otherOrganization()
	third := f.otherOrganization()
	for organization, password := range map[*fixture]string{&f: phrase, &other: phrase, &third: "another phrase of hers"} {
		organization.service.Must(t, 200, "POST", "/internal/users/administrators",
			map[string]any{"email": "anne@example.ca", "name": "Anne", "password": password})
	}
	answer := f.service.Must(t, 409, "POST", "/internal/users/sign-in", map[string]any{"email": "anne@example.ca", "password": phrase}).JSON
	allowed, _ := answer["allowed"].([]any)
	if answer["code"] != "organization_required" || len(allowed) != 2 || slices.Contains(allowed, any(third.key.Principal.OrganizationID)) {
		t.Errorf("a password that fits two: %v", answer)
	}
	chosen := map[string]any{"email": "anne@example.ca", "password": phrase, "organization_id": other.key.Principal.OrganizationID}
	if got := f.service.Must(t, 200, "POST", "/internal/users/sign-in",
		chosen).JSON; got["organization_id"] != other.key.Principal.OrganizationID {
		t.Errorf("signed in to %v", got)
	}
	chosen["organization_id"] = third.key.Principal.OrganizationID
	f.service.Must(t, 401, "POST", "/internal/users/sign-in", chosen)
	if got := f.service.Must(t, 200, "POST", "/internal/users/sign-in",
		map[string]any{"email": "anne@example.ca",
			"password": "another phrase of hers"}).JSON; got["organization_id"] != third.key.Principal.OrganizationID {
		t.Errorf("a password that fits one: %v", got)
	}
}

// TestAnUnknownAddressTakesAsLongAsAWrongPassword: the time is that of a hash, so a hash must be made for an unknown address too.
// A hash takes memory that nothing else in the request comes near, whatever else the machine is doing.
func TestAnUnknownAddressTakesAsLongAsAWrongPassword(t *testing.T) {
	f := newFixture(t)
	f.service.Must(t, 200, "POST", "/internal/users/administrators",
		map[string]any{"email": "anne@example.ca", "name": "Anne", "password": phrase})
	allocated := func(email string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f.service.Must(t, 401, "POST", "/internal/users/sign-in", map[string]any{"email": email, "password": "wrong"})
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	hash := uint64(argonMemory) << 10
	for _, email := range []string{"anne@example.ca", "nobody@example.ca"} {
		if took := allocated(email); took < hash || took >= 2*hash {
			t.Errorf("a sign-in as %s takes %d KiB, one hash %d KiB", email, took>>10, hash>>10)
		}
	}
}

// Who has the password is told that the organization is suspended, and nobody else.
func TestSignInSaysThatTheOrganizationIsSuspended(t *testing.T) {
	f := newFixture(t)
	f.service.Must(t, 200, "POST", "/internal/users/administrators",
		map[string]any{"email": "sus@example.ca", "name": "Anne", "password": phrase})
	owner := f.ownerConn(t)
	const mark = "INSERT INTO organization_move (organization, state) VALUES ($1, 'suspended')"
	if _, err := owner.Exec(t.Context(), mark, f.key.Principal.OrganizationID); err != nil {
		t.Fatal(err)
	}
	signIn := func(status int, password, code string) {
		t.Helper()
		given := map[string]any{"email": "sus@example.ca", "password": password, "organization_id": f.key.Principal.OrganizationID}
		if found := f.service.Must(t, status, "POST", "/internal/users/sign-in", given).JSON; code != "" && found["code"] != code {
			t.Errorf("%v", found)
		}
	}
	signIn(403, phrase, "organization_suspended")
	signIn(401, phrase+"x", "sign_in_failed")
	if _, err := owner.Exec(t.Context(), "DELETE FROM organization_move WHERE organization = $1", f.key.Principal.OrganizationID); err != nil {
		t.Fatal(err)
	}
	signIn(200, phrase, "")
}
