package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ams.internal/libs/postgres"
)

// What is done with the setup is tested where a database of its own is at hand: make verify-restore and verify-compose.
func TestRolesAndPasswordsComeFromTheProgramsOwnSecrets(t *testing.T) {
	owner := "postgres://ams_owner:hunter1@db:5432/ams\n"
	got, err := readSetup(secretFiles(t, owner, "postgres://ams_assets:hunter2@db:5432/ams?sslmode=verify-full",
		"postgres://ams_gateway:hunter3@db/ams"))
	if err != nil {
		t.Fatal(err)
	}
	want := postgres.Setup{Database: "ams", OwnerPassword: "hunter1", Services: map[string]string{"assets": "hunter2", "gateway": "hunter3"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	for name, c := range map[string]struct {
		contents []string
		says     string
	}{
		"two databases":       {[]string{owner, "postgres://ams_assets:hunter2@db/other"}, "one database at a time"},
		"no database":         {[]string{"postgres://ams_owner:hunter1@db"}, "holds no URL"},
		"no password":         {[]string{owner, "postgres://ams_assets@db/ams"}, "no password for the role ams_assets"},
		"a role of another":   {[]string{owner, "postgres://postgres:hunter2@db/ams"}, "role postgres"},
		"nobody owns tables":  {[]string{"postgres://ams_assets:hunter2@db/ams"}, "ams_owner"},
		"something else":      {[]string{"hunter2"}, "holds no URL"},
		"a role without name": {[]string{owner, "postgres://ams_:hunter2@db/ams"}, "role ams_"},
	} {
		_, err := readSetup(secretFiles(t, c.contents...))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		} else if strings.Contains(err.Error(), "hunter") {
			t.Errorf("%s: %q shows a password", name, err)
		}
	}
}

func secretFiles(t *testing.T, contents ...string) []string {
	folder := t.TempDir()
	var files []string
	for i, content := range contents {
		file := filepath.Join(folder, string(rune('a'+i)))
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}
