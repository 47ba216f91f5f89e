package libs_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// widest is how many characters a line of Go may have; a tab is one, as golangci's lll counts it.
const widest = 140

var address = regexp.MustCompile(`https?://[^\s"` + "`" + `]+`)

// TestLinesAreNotWide: a line of Go, of tests as well, fits a window beside another. Tags of fields, directives, what an address makes wide
// and lines of a text cannot be broken.
func TestLinesAreNotWide(t *testing.T) {
	for _, s := range readSources(t) {
		var unbreakable map[int]bool
		number := 0
		for line := range strings.Lines(s.text) {
			number++
			if len(line) <= widest || !isWide(line) {
				continue
			}
			if unbreakable == nil {
				unbreakable = linesOfTagsAndTexts(s)
			}
			if !unbreakable[number] {
				t.Errorf("%s:%d has more than %d characters: break the line", s.path, number, widest)
			}
		}
	}
}

func isWide(line string) bool {
	line = strings.TrimRight(line, "\r\n")
	return !strings.HasPrefix(line, "//go:") && utf8.RuneCountInString(address.ReplaceAllString(line, "")) > widest
}

// statement finds SQL, which is broken as code is.
var statement = regexp.MustCompile(`\b(SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|FROM|WHERE)\b`)

// linesOfTagsAndTexts are the lines of a file that have a field's tag, and those of raw strings of several lines that are no SQL: a line is
// content there.
func linesOfTagsAndTexts(s source) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(s.syntax, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.Field:
			if n.Tag != nil {
				lines[s.line(n.Tag.Pos())] = true
			}
		case *ast.BasicLit:
			first, last := s.line(n.Pos()), s.line(n.End())
			if n.Kind == token.STRING && first < last && !statement.MatchString(n.Value) {
				for line := first; line <= last; line++ {
					lines[line] = true
				}
			}
		}
		return true
	})
	return lines
}

func TestWideLinesAreFound(t *testing.T) {
	long := strings.Repeat("é", widest)
	for line, want := range map[string]bool{
		long: false, long + "x": true, "\t" + long: true, long + "\r\n": false, "//go:embed " + long: false, "// https://example.test/" + long: false,
		"// https://example.test/ " + long: true,
	} {
		if isWide(line) != want {
			t.Errorf("%.40q… of %d characters is wide: %t", line, utf8.RuneCountInString(line), !want)
		}
	}
}
