package libs_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// numerals are the numbers that documents write out.
var numerals = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen")

var (
	module     = regexp.MustCompile(`(?m)^\t(\.\S*)$`)
	modules    = regexp.MustCompile(`(\w+) Go modules`)
	operations = regexp.MustCompile(`(\w+) operations of a resource|a resource its (\w+) operations`)
	takes      = regexp.MustCompile(`(?m)^(?:make )?([a-z0-9-]+)\b.*#.*\D(\d+) minutes\b`)
	target     = regexp.MustCompile(`(?m)^([a-z0-9-]+):.*## .*\D(\d+) minutes\b`)
)

// wrongYet are numbers that are known to be wrong, until the documents are mended. Nothing is added here.
var wrongYet = []string{}

// TestNumbersInDocumentsAreThoseOfTheCode: a number that a document says of the code is counted.
func TestNumbersInDocumentsAreThoseOfTheCode(t *testing.T) {
	work, makefile := readDocument(t, "go.work"), readDocument(t, "Makefile")
	ofModules, ofOperations := len(module.FindAllString(work, -1)), operationsOfAResource(t)
	minutes := map[string]string{}
	for _, match := range target.FindAllStringSubmatch(makefile, -1) {
		minutes[match[1]] = match[2]
	}
	if len(minutes) < 3 || ofModules < 3 {
		t.Fatalf("%d durations in the Makefile and %d modules in go.work were found", len(minutes), ofModules)
	}
	wrong := func(what, want string) {
		if !slices.Contains(wrongYet, what) {
			t.Errorf("%s: want %s", what, want)
		}
	}
	for _, name := range []string{
		"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/development.md", "docs/faults.md",
		"libs/resource/internal/operations/operations.go",
	} {
		text := readDocument(t, name)
		for _, match := range modules.FindAllStringSubmatch(text, -1) {
			if n := slices.Index(numerals, strings.ToLower(match[1])); n >= 0 && n != ofModules {
				wrong(name+": "+match[0], numerals[ofModules]+", as go.work has")
			}
		}
		for _, match := range operations.FindAllStringSubmatch(text, -1) {
			if n := slices.Index(numerals, strings.ToLower(match[1]+match[2])); n >= 0 && n != ofOperations {
				wrong(name+": "+match[0], numerals[ofOperations]+", those of vendors without their import and custom fields")
			}
		}
		for _, match := range takes.FindAllStringSubmatch(text, -1) {
			if want := minutes[match[1]]; want != "" && want != match[2] {
				wrong(name+": "+match[1]+" takes "+match[2]+" minutes", want+", as the Makefile says")
			}
		}
	}
}

// operationsOfAResource counts them in the description of vendors, without what serves the whole collection besides: imports and custom
// fields.
func operationsOfAResource(t *testing.T) (n int) {
	t.Helper()
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(readDocument(t, "services/workorders/testdata/openapi.json")), &document); err != nil {
		t.Fatal(err)
	}
	for path, item := range document.Paths {
		rest, ofVendors := strings.CutPrefix(path, "/v1/vendors")
		if !ofVendors || rest == "/imports" || strings.HasPrefix(rest, "/custom-fields") {
			continue
		}
		for method := range maps.Keys(item) {
			if slices.Contains([]string{"get", "post", "put", "patch", "delete"}, method) {
				n++
			}
		}
	}
	return n
}

func readDocument(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
