package main

import (
	"strings"
	"testing"
)

func TestTheOperatorMakesAndEmptiesASandbox(t *testing.T) {
	requested := adminService(t)
	for _, command := range []string{"create-sandbox", "show-sandbox", "empty-sandbox"} {
		code, out, errOut := amsctl(t.Context(), "organizations", command, "org-1", "--output", "table")
		if code != 0 || !strings.Contains(out, "org-1-sandbox") {
			t.Errorf("%s: exit %d: %s%s", command, code, out, errOut)
		}
	}
	want := []string{
		"POST /internal/organizations/org-1/sandbox Bearer operator-token {}",
		"GET /internal/organizations/org-1/sandbox Bearer operator-token",
		"POST /internal/organizations/org-1/sandbox/empty Bearer operator-token {}",
	}
	if strings.Join(*requested, "\n") != strings.Join(want, "\n") {
		t.Errorf("asked\n%s", strings.Join(*requested, "\n"))
	}
}

func TestTestKeysAreThoseOfTheSandbox(t *testing.T) {
	requested := adminService(t)
	t.Setenv("AMS_PASSWORD", "right")
	for _, command := range [][]string{{"create", "--name", "CI", "--scopes", "assets:read"}, {"list"}, {"revoke", "key-1"}, {"usage"}} {
		code, _, errOut := amsctl(t.Context(), append([]string{"keys", "--email", "a@b.ca", "--test"}, command...)...)
		if code != 0 {
			t.Fatalf("%v: exit %d: %s", command, code, errOut)
		}
		asked := *requested
		if last, before := asked[len(asked)-1], asked[len(asked)-2]; !strings.Contains(last, " /internal/organizations/org-1-sandbox/") ||
			!strings.HasPrefix(before, "GET /internal/organizations/org-1/sandbox Bearer the-session") {
			t.Errorf("%v asked %s, then %s", command, before, last)
		}
	}
}
