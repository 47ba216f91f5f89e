package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

const phrase = "une phrase assez longue"

func TestSignIn(t *testing.T) {
	h := newFixture(t)
	made := h.service.Must(t, 200, "POST", "/internal/users/administrators", map[string]any{"email": "anne@example.ca", "name": "Anne Tremblay", "password": phrase}).JSON
	h.key.Create(t, "/v1/users", map[string]any{"email": "none@example.ca", "name": "Without a password", "status": "active"})
	signIn := func(status int, email, password string) map[string]any {
		t.Helper()
		return h.service.Must(t, status, "POST", "/internal/users/sign-in", map[string]any{"email": email, "password": password}).JSON
	}
	got := signIn(200, " ANNE@example.ca", phrase)
	for field, want := range map[string]any{
		"organization_id": h.key.Principal.OrganizationID, "user_id": made["id"], "name": "Anne Tremblay",
		"email": "anne@example.ca", "role": "administrator", "status": "active",
	} {
		if got[field] != want {
			t.Errorf("%s is %v, want %v", field, got[field], want)
		}
	}
	for _, refused := range []struct{ email, password string }{
		{"anne@example.ca", strings.ToUpper(phrase)}, {"anne@example.ca", phrase + "x"}, {"nobody@example.ca", phrase}, {"none@example.ca", phrase},
	} {
		if answer := signIn(401, refused.email, refused.password); answer["code"] != "sign_in_failed" {
			t.Errorf("%v: %v", refused, answer)
		}
	}
	h.key.Must(t, 403, "POST", "/internal/users/sign-in", map[string]any{"email": "anne@example.ca", "password": phrase})
	h.service.Must(t, 400, "POST", "/internal/users/sign-in", map[string]any{"email": "anne@example.ca"})
}

func TestWhoIsNotActiveCannotSignIn(t *testing.T) {
	h := newFixture(t)
	id := h.service.Must(t, 200, "POST", "/internal/users/administrators", map[string]any{"email": "anne@example.ca", "name": "Anne", "password": phrase}).JSON["id"].(string)
	createAdministrator(t, h.person, "second@example.ca")
	signIn := func(status int) {
		t.Helper()
		h.service.Must(t, status, "POST", "/internal/users/sign-in", map[string]any{"email": "anne@example.ca", "password": phrase})
	}
	set := func(status string) {
		t.Helper()
		h.person.Must(t, 200, "PATCH", "/v1/users/"+id, map[string]any{"status": status})
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
	h := newFixture(t)
	other := h.elsewhere()
	third := h.elsewhere()
	for house, password := range map[*fixture]string{&h: phrase, &other: phrase, &third: "another phrase of hers"} {
		house.service.Must(t, 200, "POST", "/internal/users/administrators", map[string]any{"email": "anne@example.ca", "name": "Anne", "password": password})
	}
	answer := h.service.Must(t, 409, "POST", "/internal/users/sign-in", map[string]any{"email": "anne@example.ca", "password": phrase}).JSON
	allowed, _ := answer["allowed"].([]any)
	if answer["code"] != "organization_required" || len(allowed) != 2 || slices.Contains(allowed, any(third.key.Principal.OrganizationID)) {
		t.Errorf("a password that fits two: %v", answer)
	}
	chosen := map[string]any{"email": "anne@example.ca", "password": phrase, "organization_id": other.key.Principal.OrganizationID}
	if got := h.service.Must(t, 200, "POST", "/internal/users/sign-in", chosen).JSON; got["organization_id"] != other.key.Principal.OrganizationID {
		t.Errorf("signed in to %v", got)
	}
	chosen["organization_id"] = third.key.Principal.OrganizationID
	h.service.Must(t, 401, "POST", "/internal/users/sign-in", chosen)
	if got := h.service.Must(t, 200, "POST", "/internal/users/sign-in", map[string]any{"email": "anne@example.ca", "password": "another phrase of hers"}).JSON; got["organization_id"] != third.key.Principal.OrganizationID {
		t.Errorf("a password that fits one: %v", got)
	}
}

// TestAnUnknownAddressTakesAsLongAsAWrongPassword compares medians, generously: what would be noticed is no hashing.
func TestAnUnknownAddressTakesAsLongAsAWrongPassword(t *testing.T) {
	h := newFixture(t)
	h.service.Must(t, 200, "POST", "/internal/users/administrators", map[string]any{"email": "anne@example.ca", "name": "Anne", "password": phrase})
	median := func(email string) time.Duration {
		var took []time.Duration
		for range 9 {
			began := time.Now()
			h.service.Must(t, 401, "POST", "/internal/users/sign-in", map[string]any{"email": email, "password": "wrong"})
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		return took[len(took)/2]
	}
	known, unknown := median("anne@example.ca"), median("nobody@example.ca")
	if unknown < known/2 || unknown > known*2 {
		t.Errorf("a known address takes %s, an unknown one %s", known, unknown)
	}
}

func TestPasswordHashes(t *testing.T) {
	one, err := hashPassword(t.Context(), phrase)
	if err != nil {
		t.Fatal(err)
	}
	two, err := hashPassword(t.Context(), phrase)
	if err != nil {
		t.Fatal(err)
	}
	if one == two || !strings.HasPrefix(one, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("hashes are %q and %q", one, two)
	}
	// Made by the reference implementation: echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1
	reference := "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	for _, test := range []struct {
		hash, password string
		want           bool
	}{{one, phrase, true}, {two, phrase, true}, {one, "wrong", false}, {one, "", false}, {reference, "password", true}, {reference, "Password", false}} {
		if got, err := verifyPassword(t.Context(), test.password, test.hash); err != nil || got != test.want {
			t.Errorf("verify %q against %s: %v, %v", test.password, test.hash, got, err)
		}
	}
	for _, broken := range []string{"", "plain", "$argon2i$v=19$m=1,t=1,p=1$c29tZXNhbHQ$x", "$argon2id$v=16$m=65536,t=2,p=1$c29tZXNhbHQ$CTFh", "$argon2id$v=19$m=65536,t=2,p=1$!$CTFh"} {
		if ok, err := verifyPassword(t.Context(), phrase, broken); ok || err == nil {
			t.Errorf("the hash %q was taken", broken)
		}
	}
}
