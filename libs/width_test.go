package libs_test

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// widest is how many characters a line of Go may have; a tab is one, as golangci's lll counts it.
const widest = 140

var address = regexp.MustCompile(`https?://[^\s"` + "`" + `]+`)

// TestGoldenLinesAreNotWide: a line of Go, of tests as well, fits a window beside another. Tags of fields, directives and what an address
// makes wide cannot be broken. testdata/wide.txt has how many lines of each file are wider, and may only shrink.
func TestGoldenLinesAreNotWide(t *testing.T) {
	found := map[string][]string{}
	for _, s := range readSources(t) {
		var tags map[int]bool
		number := 0
		for line := range strings.Lines(s.text) {
			number++
			if len(line) <= widest || !isWide(line) {
				continue
			}
			if tags == nil {
				tags = linesOfTags(s)
			}
			if !tags[number] {
				found[s.path] = append(found[s.path], fmt.Sprintf("%s:%d", s.path, number))
			}
		}
	}
	allowance{
		file: "wide.txt",
		header: fmt.Sprintf("# How many lines of each file have more than %d characters (libs/width_test.go).\n", widest) +
			"# Only less is written anew, by AMS_GOLDEN=write. A file that is renamed takes its number along, by hand.\n",
		tooMany: func(file string, found []string, allowed int) string {
			if allowed == 0 {
				return fmt.Sprintf("new: more than %d characters, break the line: %s", widest, strings.Join(found, ", "))
			}
			return fmt.Sprintf("new: %s has %d lines of more than %d characters, where %d are left over from before. "+
				"Break the one that is new:\n\t%s", file, len(found), widest, allowed, strings.Join(found, "\n\t"))
		},
	}.check(t, found)
}

func isWide(line string) bool {
	line = strings.TrimRight(line, "\r\n")
	return !strings.HasPrefix(line, "//go:") && utf8.RuneCountInString(address.ReplaceAllString(line, "")) > widest
}

// linesOfTags are the lines of a file that have a field's tag.
func linesOfTags(s source) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(s.syntax, func(node ast.Node) bool {
		if field, ok := node.(*ast.Field); ok && field.Tag != nil {
			lines[s.line(field.Tag.Pos())] = true
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
