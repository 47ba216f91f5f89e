package libs_test

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// otherNames are variables that pages had for the address of the API and the key.
	otherNames = regexp.MustCompile(`\b(AMS_URL|AMS_KEY|AMS_TOKEN)\b|(?:\$|\bexport |(?m:^))(API|KEY|AMS|BASE|TOKEN)\b(?:=|/v1|\b"?/v1)`)
	ofClient   = regexp.MustCompile(`ams-client-([0-9.]+[0-9])\.t|clients/go@v([0-9.]+[0-9])|ams-typescript/([0-9.]+[0-9])`)
	python     = regexp.MustCompile(`Python (3\.[0-9]+) (?:or|ou)`)
)

// TestPagesHaveOneSetOfNamesAndVersions: whoever has set AMS_BASE_URL and AMS_API_KEY once runs the calls of every page, and installs the
// library of the version that there is.
func TestPagesHaveOneSetOfNamesAndVersions(t *testing.T) {
	released := regexp.MustCompile(`\n    "version": "(.*)",\n`).FindStringSubmatch(readDocument(t, "gateway/openapi/own.go"))
	if released == nil {
		t.Fatal("the document has no version")
	}
	needs := regexp.MustCompile(`requires-python = ">=(.*)"`).FindStringSubmatch(readDocument(t, "deploy/clients/python/pyproject.toml"))
	pages, versions := 0, 0
	err := fs.WalkDir(os.DirFS(".."), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || len(path) > 1 && strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".md") || strings.HasSuffix(path, "CHANGELOG.md") || strings.HasPrefix(path, "docs/adr/"):
			return nil
		}
		pages++
		text := readDocument(t, path)
		if other := otherNames.FindString(text); other != "" {
			t.Errorf("%s says %q: the names are AMS_BASE_URL and AMS_API_KEY", path, other)
		}
		for _, match := range ofClient.FindAllStringSubmatch(text, -1) {
			if versions++; !slices.Contains(match[1:], released[1]) {
				t.Errorf("%s says %s: the version is %s", path, match[0], released[1])
			}
		}
		for _, match := range python.FindAllStringSubmatch(text, -1) {
			if match[1] != needs[1] {
				t.Errorf("%s says %s: the library needs %s", path, match[0], needs[1])
			}
		}
		return nil
	})
	if err != nil || pages < 40 || versions < 4 {
		t.Fatalf("%d pages with %d versions were read: %v", pages, versions, err)
	}
}
