package libs_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	link       = regexp.MustCompile(`\]\(([^)\s#:]+)(?:#[^)\s]*)?\)`)
	fileOfPage = regexp.MustCompile("`([a-z0-9_.-]+/[a-z0-9_./-]+\\.(?:go|sql|md|sh|yaml))`")
)

// TestLinksOfDocumentsLeadSomewhere: whoever follows a link between documents, or a file that ARCHITECTURE.md or docs/development.md names
// for a search, finds it.
func TestLinksOfDocumentsLeadSomewhere(t *testing.T) {
	links, files := 0, 0
	check := func(page, name string) {
		if _, err := os.Stat(path.Join("..", name)); err != nil {
			t.Errorf("%s names %s, which does not exist", page, name)
		}
	}
	read := func(page string) {
		text := readDocument(t, page)
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			if !strings.HasPrefix(match[1], "/") && !strings.Contains(match[1], "…") {
				links++
				check(page, path.Join(path.Dir(page), match[1]))
			}
		}
		if page == "ARCHITECTURE.md" || page == "docs/development.md" {
			for _, match := range fileOfPage.FindAllStringSubmatch(text, -1) {
				files++
				check(page, match[1])
			}
		}
	}
	read("ARCHITECTURE.md")
	read("CONTRIBUTING.md")
	err := fs.WalkDir(os.DirFS(".."), "docs", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".md") {
			read(name)
		}
		return err
	})
	if err != nil || links < 200 || files < 40 {
		t.Fatalf("%d links and %d files were read: %v", links, files, err)
	}
}
