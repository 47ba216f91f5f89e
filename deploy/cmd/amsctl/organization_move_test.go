package main

import (
	"strings"
	"testing"
)

func TestAMoveThatCannotBeginIsRefused(t *testing.T) {
	adminService(t)
	const first = "postgres://ams_owner:the-secret@127.0.0.1:1/ams"
	t.Setenv("AMS_OWNER_DATABASE_URL", first)
	for _, c := range []struct {
		what, cells string
		args        []string
		want        string
	}{
		{"a cell that the gateway does not know", "", []string{"First", "--to", "third"}, "there is no cell third: amsctl cells list names"},
		{"an organization that is not there", "", []string{"Third", "--to", "second"}, `there is no organization "Third"`},
		{"a sandbox", "", []string{"019a3c5e-7d1b-8c3a-9f59-3b8f0a4c2a01", "--to", "second"}, "a sandbox moves with its organization"},
		{"a size that is none", "", []string{"First", "--to", "second", "--room", "much"}, "--room much: give a size such as 500GB"},
		{"no cell", "", []string{"First"}, `required flag(s) "to" not set`},
		{"an address that is none", "second=x", []string{"First", "--to", "second"},
			"AMS_OWNER_CELLS has an address for the cell second that cannot be used"},
		{"one database for two cells", "second=" + first, []string{"First", "--to", "second"}, "a cell is a database of its own"},
	} {
		t.Setenv("AMS_OWNER_CELLS", c.cells)
		code, _, errOut := amsctl(t.Context(), append([]string{"organizations", "move"}, c.args...)...)
		if code != 1 || !strings.Contains(errOut, c.want) || strings.Contains(errOut, "the-secret") {
			t.Errorf("%s: %d %s", c.what, code, errOut)
		}
	}
	t.Setenv("AMS_OWNER_DATABASE_URL", "")
	if code, _, errOut := amsctl(t.Context(), "organizations", "move", "First", "--to", "second"); code != 1 ||
		!strings.Contains(errOut, "set AMS_OWNER_DATABASE_URL") {
		t.Errorf("without addresses: %d %s", code, errOut)
	}
}

func TestSizesAreRead(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "500GB": 500e9, "1.5 tb": 1.5e12, "20 MB": 20e6, "7B": 7} {
		if got, err := sizeOf(text); err != nil || got != want {
			t.Errorf("%q is %d: %v", text, got, err)
		}
	}
	for _, text := range []string{"500", "GB", "-1GB", "99999999TB"} {
		if _, err := sizeOf(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
