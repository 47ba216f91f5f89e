package main

import (
	"slices"
	"strings"
	"testing"
)

// What cannot begin is refused before anything is changed.
func TestADeletionThatCannotBeginIsRefused(t *testing.T) {
	requested := adminService(t)
	t.Setenv("AMS_OWNER_DATABASE_URL", "postgres://ams_owner:the-secret@127.0.0.1:1/ams")
	for _, c := range []struct {
		what string
		args []string
		want string
	}{
		{"not confirmed", []string{"delete", "First"}, `nothing was changed: confirm by the organization's name, --confirm "BI"`},
		{"confirmed by another name", []string{"delete", "First", "--confirm", "First"}, `--confirm "BI"`},
		{"hours", []string{"delete", "First", "--confirm", "BI", "--after", "12h"}, "--after 12h: give days, from 1d to 365d"},
		{"years", []string{"delete", "First", "--confirm", "BI", "--after", "366d"}, "--after 366d: give days"},
		{"a cell without an address", []string{"delete", "First", "--confirm", "BI"}, "the organization is in the cell"},
		{"an organization that is not there", []string{"delete", "Third", "--confirm", "Third"}, `there is no organization "Third"`},
		{"a sandbox", []string{"delete", "019a3c5e-7d1b-8c3a-9f59-3b8f0a4c2a01"}, "a sandbox"},
		{"a hold without a reason", []string{"hold", "First"}, `required flag(s) "reason" not set`},
		{"a restoration from nowhere", []string{"restore", "First"}, `required flag(s) "from" not set`},
		{"a restoration without the cell", []string{"restore", "First", "--from", "postgres://ams_owner:the-secret@127.0.0.1:2/ams"}, "the " +
			"organization is in the cell"},
	} {
		code, _, errOut := amsctl(t.Context(), append([]string{"organizations"}, c.args...)...)
		if code != 1 || !strings.Contains(errOut, c.want) || strings.Contains(errOut, "the-secret") {
			t.Errorf("%s: %d %s", c.what, code, errOut)
		}
	}
	if slices.ContainsFunc(*requested, func(r string) bool { return strings.HasPrefix(r, "POST") }) {
		t.Errorf("what was refused has changed something: %v", *requested)
	}
}
