// Package libraries tests the client libraries of deploy/clients as their users have them: packed, installed in an empty folder, and
// called against the whole product with its demonstration data. Their own suites run here too.
package libraries

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ams.internal/deploy/devstack"
)

func TestMain(m *testing.M) { os.Exit(devstack.RunTestsWithRecords(m)) }

// The examples of both libraries make records of the same names: each library has an organization of its own.
const (
	city  = "Ville de Rivière-Claire"         // TypeScript and Go
	board = "Northgate District School Board" // Python
)

// source is the folder of a library in this checkout.
func source(t testing.TB, language string) string {
	t.Helper()
	checkout, err := devstack.Checkout()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(checkout, "deploy", "clients", language)
}

// made are the files of a library that "make clients" makes, which git does not list.
var made = map[string][]string{
	"python":     {"src/ams_client/types.py", "src/ams_client/_collections.py", "src/ams_client/_version.py"},
	"typescript": {"src/schema.ts", "src/collections.ts", "src/version.ts"},
}

// copied is a copy of a library's folder without what its tools leave there, so that the checkout stays as it is.
func copied(t testing.TB, language string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), language)
	files := strings.Split(output(t, exec.CommandContext(t.Context(), "git", "-C", source(t, language), "ls-files", "--cached", "--others",
		"--exclude-standard", "-z")), "\x00")
	for _, name := range append(files[:len(files)-1], made[language]...) {
		content, err := os.ReadFile(filepath.Join(source(t, language), name))
		if err != nil {
			t.Fatalf("%v (make clients makes it)", err)
		}
		write(t, filepath.Join(folder, name), content)
	}
	return folder
}

func write(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// withKey gives a program the stack and a key for everything, of the organization.
func withKey(t testing.TB, organizationName string, command *exec.Cmd) *exec.Cmd {
	t.Helper()
	d := devstack.ForTest(t).Description()
	organization, found := d.Organization(organizationName)
	if !found {
		t.Fatalf("there is no organization %s", organizationName)
	}
	command.Env = append(command.Environ(), "AMS_BASE_URL="+d.BaseURL, "AMS_API_KEY="+organization.Keys["full"])
	return command
}

// output runs a program, which must succeed, and gives what it prints.
func output(t testing.TB, command *exec.Cmd) string {
	t.Helper()
	out, err := command.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			out = append(out, exit.Stderr...)
		}
		t.Fatalf("%s: %v\n%s", strings.Join(command.Args, " "), err, out)
	}
	return string(out)
}

// suite runs a library's own tests, of which at least so many must pass.
func suite(t *testing.T, organizationName string, command *exec.Cmd, counted string, least int) {
	t.Helper()
	out, err := withKey(t, organizationName, command).CombinedOutput()
	found := regexp.MustCompile(counted).FindSubmatch(out)
	if err != nil || found == nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n, err := strconv.Atoi(string(found[1])); err != nil || n < least {
		t.Errorf("only %s tests passed\n%s", found[1], out)
	}
}

// examples are the fenced blocks of a README whose first line is the fence and the language.
func examples(t testing.TB, language, fence string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(source(t, language), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, part := range strings.Split(string(content), "\n```"+fence+"\n")[1:] {
		code, _, _ := strings.Cut(part, "\n```\n")
		found = append(found, code+"\n")
	}
	if len(found) != 3 {
		t.Fatalf("README.md has %d examples", len(found))
	}
	return found
}

// TestWhatREADMECreatesCanBeCreatedTwice runs the calls of README that write, from the page, by hand and by hand again.
func TestWhatREADMECreatesCanBeCreatedTwice(t *testing.T) {
	content, err := os.ReadFile(source(t, "../../README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(content), "\nCreate, change, and see what happened")
	_, after, begun := strings.Cut(after, "\n```sh\n")
	script, _, ended := strings.Cut(after, "\n```\n")
	if !found || !begun || !ended {
		t.Fatal("README.md has no calls that create something")
	}
	var sites []string
	for range 2 {
		bash := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script+"\necho; echo \"site $SITE\"")
		out := output(t, withKey(t, board, bash))
		_, site, _ := strings.Cut(out, "\nsite ")
		if !strings.Contains(out, `"ward":"Quartier 4"`) || strings.Contains(out, `"error"`) || len(strings.TrimSpace(site)) != 36 {
			t.Errorf("README's calls say\n%s", out)
		}
		sites = append(sites, site)
	}
	if sites[0] != sites[1] {
		t.Errorf("the sites are %s and %s", sites[0], sites[1])
	}
}

// documentVersion is the version of the document that the libraries are made from.
func documentVersion(t testing.TB) string {
	t.Helper()
	content, err := os.ReadFile(source(t, "openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Info struct {
			Version string `json:"version"`
		} `json:"info"`
	}
	if err := json.Unmarshal(content, &document); err != nil || document.Info.Version == "" {
		t.Fatalf("no version: %v", err)
	}
	return document.Info.Version
}

func TestTheNewestEntryOfEachChangelogIsTheVersionOfTheDocument(t *testing.T) {
	for _, language := range []string{"go", "python", "typescript"} {
		content, err := os.ReadFile(filepath.Join(source(t, language), "CHANGELOG.md"))
		if err != nil {
			t.Fatal(err)
		}
		_, entries, found := strings.Cut(string(content), "\n## [Unreleased]\n")
		if !found {
			t.Errorf("the changelog for %s has no section [Unreleased]", language)
		}
		if _, newest, isReleased := strings.Cut(entries, "\n## ["); isReleased && !strings.HasPrefix(newest, documentVersion(t)+"]") {
			t.Errorf("the newest entry for %s is not %s", language, documentVersion(t))
		}
	}
}
