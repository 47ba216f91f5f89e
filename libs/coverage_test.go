package libs_test

import (
	"go/ast"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// promises is how many rows docs/spec-coverage.md has at least. Whoever adds some may raise it; a promise is only taken back together
// with what it promised, and then the commit that lowers this number says so.
const promises = 645

const coverage = "docs/spec-coverage.md"

// promise is a row of the document.
type promise struct {
	line    int
	text    string
	proof   string
	without string // the package of tests that are named without one, which the head of the table says; or ""
}

// TestEveryPromiseIsProvenByTestsThatExist: a test that is renamed, moved or deleted takes the row that names it along.
func TestEveryPromiseIsProvenByTestsThatExist(t *testing.T) {
	house := readHouse(t)
	rows := readPromises(t)
	named := 0
	for _, row := range rows {
		if row.text == "" || row.proof == "" {
			t.Errorf("%s:%d: a row has a promise and its proof", coverage, row.line)
		}
		for _, problem := range house.problemsOf(row, &named) {
			t.Errorf("%s:%d: %s", coverage, row.line, problem)
		}
	}
	if len(rows) < promises {
		t.Errorf("%s has %d promises, and had %d: one was dropped. Bring it back, or lower the number in libs/coverage_test.go "+
			"and say in the commit why it is no longer promised", coverage, len(rows), promises)
	}
	if named < 2*promises {
		t.Errorf("only %d tests were read from %d promises", named, len(rows))
	}
	t.Logf("%d promises name %d tests", len(rows), named)
}

// readPromises reads the rows of all tables.
func readPromises(t *testing.T) (rows []promise) {
	t.Helper()
	text, err := os.ReadFile("../" + coverage)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	without := ""
	for i, line := range lines {
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "¦"), "|")
		switch {
		case !strings.HasPrefix(line, "|"):
			without = ""
		case strings.HasPrefix(line, "|--"):
		case len(cells) != 4:
			t.Errorf("%s:%d: a row has two cells", coverage, i+1)
		case i+1 < len(lines) && strings.HasPrefix(lines[i+1], "|--"): // the head of a table: test (services/webhooks, unless another is named)
			if _, note, ok := strings.Cut(cells[2], "("); ok {
				without = firstWord.FindString(note)
			}
		default:
			rows = append(rows, promise{i + 1, strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2]), without})
		}
	}
	return rows
}

// house is what a proof can name.
type house struct {
	tests   map[string][]string // the folders that have a test of a name
	folders []string            // of all packages
	checks  []string            // of the conformance suite
	nightly map[string]bool     // the tests that only "make night" runs
}

func readHouse(t *testing.T) house {
	t.Helper()
	h := house{tests: map[string][]string{}, nightly: map[string]bool{}}
	folders := map[string]bool{}
	for _, s := range readSources(t) {
		folders[s.folder()] = true
		for _, declaration := range s.syntax.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if ok && s.isTest() && function.Recv == nil && testName.FindString(function.Name.Name) != "" {
				h.tests[function.Name.Name] = append(h.tests[function.Name.Name], s.folder())
				h.nightly[function.Name.Name] = strings.HasPrefix(s.text, "//go:build night\n")
			}
			if ok && s.folder() == "libs/resource/resourcetest" && function.Name.Name == "Run" {
				h.checks = checksOf(function)
			}
		}
	}
	h.folders = slices.Sorted(maps.Keys(folders))
	if len(h.checks) < 20 {
		t.Fatalf("only %d checks of the conformance suite were found", len(h.checks))
	}
	return h
}

// checksOf are the names of the checks in the table of the function that runs them.
func checksOf(run *ast.FuncDecl) (names []string) {
	ast.Inspect(run, func(node ast.Node) bool {
		if pair, ok := node.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.BasicLit); ok {
				if name, err := strconv.Unquote(key.Value); err == nil {
					names = append(names, name)
				}
			}
		}
		return true
	})
	return names
}

var (
	firstWord   = regexp.MustCompile(`^[\w/.-]+`)
	testName    = regexp.MustCompile(`^(Test|Fuzz|Benchmark)[A-Z0-9]\w*`)
	markedTest  = regexp.MustCompile(`\b(Test[A-Z0-9]\w*)[^\s,;]*( \(night\))?`)
	parentheses = regexp.MustCompile(`\([^()]*\)`)
	conformance = regexp.MustCompile(`\b(?:conformance|resourcetest)((?:,? *"[^"]*")+)`)
	quoted      = regexp.MustCompile(`"[^"]*"`)
	testFile    = regexp.MustCompile(`[\w/.-]+_test\.go`)
)

// problemsOf says what is wrong with the proof of a promise, and counts the tests that it names.
func (h house) problemsOf(row promise, named *int) (problems []string) {
	proof := strings.ReplaceAll(row.proof, "`", "")
	for _, found := range markedTest.FindAllStringSubmatch(proof, -1) {
		switch name, marked := found[1], found[2] != ""; {
		case h.nightly[name] && !marked:
			problems = append(problems, name+" runs only at night: write (night) behind it")
		case marked && !h.nightly[name]:
			problems = append(problems, name+" is marked (night), and its file does not begin with //go:build night")
		}
	}
	for _, name := range testFile.FindAllString(proof, -1) {
		if _, err := os.Stat("../" + name); err != nil {
			problems = append(problems, "there is no file "+name)
		}
	}
	for parentheses.MatchString(proof) { // notes
		for _, note := range parentheses.FindAllString(proof, -1) {
			if name := testName.FindString(strings.Trim(note, "(")); name != "" {
				problems = append(problems, name+" stands in a note; name it before")
			}
		}
		proof = parentheses.ReplaceAllString(proof, "")
	}
	for _, suite := range conformance.FindAllString(proof, -1) {
		for _, name := range quoted.FindAllString(suite, -1) {
			begin, shortened := strings.CutSuffix(strings.Trim(name, `"`), "…")
			begin = strings.TrimSpace(begin)
			if !slices.ContainsFunc(h.checks, func(check string) bool { return check == begin || shortened && strings.HasPrefix(check, begin) }) {
				problems = append(problems, "the conformance suite has no check "+name)
			}
		}
	}

	words := strings.Fields(proof)
	var packages []string
	if row.without != "" {
		packages = []string{row.without}
	}
	for i, word := range words {
		name := testName.FindString(word)
		if name == "" {
			continue
		}
		*named++
		if before := h.packagesBefore(words[:i]); before != nil {
			packages = before
		}
		if len(packages) == 0 {
			problems = append(problems, name+" is named without the package that has it")
		}
		for _, short := range packages {
			problems = append(problems, h.problemOf(name, short)...)
		}
	}
	return problems
}

// packagesBefore are the packages that are named right before a test: one, or several as in "assets, los and projects".
func (h house) packagesBefore(words []string) (packages []string) {
	for i := len(words) - 1; i >= 0; i-- {
		word := words[i]
		if len(packages) > 0 {
			if word == "and" {
				continue
			}
			if !strings.HasSuffix(word, ",") && words[i+1] != "and" {
				break
			}
		}
		word = strings.TrimRight(word, ",")
		if len(h.foldersOf(word)) == 0 {
			break
		}
		packages = append(packages, word)
	}
	return packages
}

// foldersOf are the packages that a short name stands for: the end of their path.
func (h house) foldersOf(short string) (folders []string) {
	for _, folder := range h.folders {
		if folder == short || strings.HasSuffix(folder, "/"+short) {
			folders = append(folders, folder)
		}
	}
	return folders
}

// problemOf says whether a package, or one below it, lacks a test.
func (h house) problemOf(name, short string) (problems []string) {
	has := h.tests[name]
	for _, folder := range h.foldersOf(short) {
		for _, other := range has {
			if other == folder || strings.HasPrefix(other, folder+"/") {
				return nil
			}
		}
	}
	if len(has) == 0 {
		return []string{name + " (" + short + ") does not exist: name the test that proves the promise now"}
	}
	return []string{name + " is not in " + short + ", but in " + strings.Join(has, ", ")}
}

// TestProofsThatDoNotHoldAreFound tries the reading of proofs itself.
func TestProofsThatDoNotHoldAreFound(t *testing.T) {
	h := house{
		tests: map[string][]string{
			"TestA": {"services/los"}, "TestN": {"services/los"},
			"TestB": {"libs/resource/internal/read", "services/los"}, "FuzzC": {"deploy/test/e2e"},
		},
		nightly: map[string]bool{"TestN": true},
		folders: []string{"deploy/test/e2e", "libs/resource", "libs/resource/internal/read", "services/los", "services/users"},
		checks:  []string{"a list is paged, exact, and ends"},
	}
	for proof, problems := range map[string]int{
		"los `TestA`, `TestB`; resource `TestB`; e2e `FuzzC` (once)": 0,
		"`services/los` TestA, TestB":                                0,
		"libs/resource and los `TestB`":                              0,
		`conformance "a list is paged …"; los ` + "`TestA`":          0,
		`resourcetest "a list is paged, exact, and ends"`:            0,
		"`TestA`":               1, // without a package
		"los `TestZ`":           1, // no such test
		"users `TestA`":         1, // elsewhere
		"users, los `TestA`":    1,
		"los `TestA` (`TestB`)": 1, // in a note
		"los `TestA` (night)":   1, // by day too
		"los `TestN`":           1, // only at night
		"los `TestN/a` (night)": 0,
		`los ` + "`TestA`" + `, conformance "x", "y"`: 2,
		`conformance "a list is paged"`:               1,
		`conformance "nothing …"; los ` + "`TestA`":   1,
		"`libs/resource/none_test.go`, los `TestA`":   1,
		"`libs/coverage_test.go`, los `TestA`":        0,
		"los `TestA/*/a_case`; go run ./deploy/none":  0,
	} {
		named := 0
		if got := h.problemsOf(promise{text: "x", proof: proof}, &named); len(got) != problems {
			t.Errorf("%s: %q, want %d problems", proof, got, problems)
		}
	}
}
