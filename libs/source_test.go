package libs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// source is one file of Go in libs, services, gateway or deploy; path is below the repository and has slashes.
type source struct {
	path   string
	text   string
	syntax *ast.File
}

func (s source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

// folder is the path of the file's package.
func (s source) folder() string { return s.path[:strings.LastIndexByte(s.path, '/')] }

func (s source) line(position token.Pos) int { return positions.Position(position).Line }

// positions has those of every file, which are parsed once for all gates.
var positions = token.NewFileSet()

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// sources are the files that people write, tests among them.
var sources = sync.OnceValues(func() ([]source, error) {
	var all []source
	for _, module := range []string{"libs", "services", "gateway", "deploy"} {
		err := filepath.WalkDir(filepath.Join("..", module), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && slices.Contains([]string{"testdata", "node_modules"}, entry.Name()) {
				return fs.SkipDir
			}
			if entry.IsDir() || !strings.HasSuffix(path, ".go") {
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil || generated.Match(text) {
				return err
			}
			name := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
			syntax, err := parser.ParseFile(positions, name, text, parser.SkipObjectResolution)
			all = append(all, source{name, string(text), syntax})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
})

func readSources(t *testing.T) []source {
	t.Helper()
	all, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 1500 {
		t.Fatalf("only %d files of Go were found", len(all))
	}
	return all
}
