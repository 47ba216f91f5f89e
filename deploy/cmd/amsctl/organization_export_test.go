package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What cannot begin is refused in a sentence, before anything is written.
func TestAnExportOrImportThatCannotBeginIsRefused(t *testing.T) {
	requested := adminService(t)
	t.Setenv("AMS_DOCUMENTS_STORE", t.TempDir())
	t.Setenv("AMS_OWNER_DATABASE_URL", "postgres://ams_owner:the-secret@127.0.0.1:1/ams")
	folder := t.TempDir()
	table := filepath.Join(folder, "sites.csv")
	if err := os.WriteFile(table, []byte("name\nTown Hall\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(folder, "first.zip")
	for _, c := range []struct {
		want string
		args []string
	}{
		{`required flag(s) "to" not set`, []string{"export", "First"}},
		{`there is no organization "Third"`, []string{"export", "Third", "--to", to}},
		{"the organization is in the cell", []string{"export", "First", "--to", to}},
		{"sites.csv is no archive of an organization", []string{"import", table}},
		{"none.zip", []string{"import", filepath.Join(folder, "none.zip")}},
	} {
		code, _, errOut := amsctl(t.Context(), append([]string{"organizations"}, c.args...)...)
		if code == 0 || !strings.Contains(errOut, c.want) || strings.Contains(errOut, "the-secret") {
			t.Errorf("%v: %d %s", c.args, code, errOut)
		}
	}
	if left, _ := filepath.Glob(to + "*"); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	if slices.ContainsFunc(*requested, func(r string) bool { return strings.HasPrefix(r, "POST") }) {
		t.Errorf("what was refused has changed something: %v", *requested)
	}
}
