package main

import (
	"slices"
	"strings"
	"testing"
)

// What cannot begin is refused before anything is changed.
func TestASuspensionThatCannotBeginIsRefused(t *testing.T) {
	requested := adminService(t)
	t.Setenv("AMS_OWNER_DATABASE_URL", "postgres://ams_owner:the-secret@127.0.0.1:1/ams")
	for _, c := range []struct{ command, want string }{
		{"suspend", "the organization is in the cell"}, {"resume", "the organization is in the cell"},
	} {
		code, _, errOut := amsctl(t.Context(), "organizations", c.command, "First")
		if code != 1 || !strings.Contains(errOut, c.want) || strings.Contains(errOut, "the-secret") {
			t.Errorf("%s: %d %s", c.command, code, errOut)
		}
		if code, _, errOut := amsctl(t.Context(), "organizations", c.command, "Third"); code != 1 ||
			!strings.Contains(errOut, `there is no organization "Third"`) {
			t.Errorf("%s: %d %s", c.command, code, errOut)
		}
	}
	if slices.ContainsFunc(*requested, func(r string) bool { return strings.HasPrefix(r, "POST") }) {
		t.Errorf("what was refused has changed something: %v", *requested)
	}
}
