package libs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

// allowance is a list of what a gate tolerates for now: a number for each place. It may only shrink.
type allowance struct {
	file   string // in testdata
	header string // what the file says of itself
	// tooMany says what is wrong at a place, where it is and what to do.
	tooMany func(place string, found []string, allowed int) string
}

// check compares what was found at each place with the list. More than is listed is an error at any time. Less is one too, until
// AMS_GOLDEN=write has made the list shorter.
func (a allowance) check(t *testing.T, found map[string][]string) {
	t.Helper()
	path := filepath.Join("testdata", a.file)
	allowed, err := readAllowance(path)
	write := os.Getenv("AMS_GOLDEN") == "write"
	if os.IsNotExist(err) && write { // the list begins
		allowed = map[string]int{}
		for place, all := range found {
			allowed[place] = len(all)
		}
	} else if err != nil {
		t.Fatal(err)
	}

	var lines []string
	for place, all := range found {
		if n := allowed[place]; len(all) > n {
			t.Error(a.tooMany(place, all, n))
		}
	}
	for place, n := range allowed {
		left := min(n, len(found[place]))
		if left > 0 {
			lines = append(lines, fmt.Sprintf("%s %d\n", place, left))
		}
		if left < n && !write {
			t.Errorf("%s: there are %d, and libs/testdata/%s still allows %d. Thank you; make the list shorter with\n"+
				"\tAMS_GOLDEN=write go test -count=1 ./libs -run Golden", place, left, a.file, n)
		}
	}
	if write {
		slices.Sort(lines)
		text := a.header + strings.Join(lines, "")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// readAllowance reads lines of a place and its number. A line that begins with # is for people.
func readAllowance(path string) (map[string]int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	allowed := map[string]int{}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		space := strings.LastIndexByte(line, ' ')
		n, err := strconv.Atoi(line[space+1:])
		if err != nil || space < 0 || n <= 0 {
			return nil, fmt.Errorf("%s:%d: %q is no place with its number", path, i+1, line)
		}
		if _, twice := allowed[line[:space]]; twice {
			return nil, fmt.Errorf("%s:%d: %s stands there twice", path, i+1, line[:space])
		}
		allowed[line[:space]] = n
	}
	return allowed, nil
}
