package gateway

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Imports inside the gateway go one way. The two listeners do not know each other, and what both need knows neither.
func TestImportsGoOneWay(t *testing.T) {
	allowed := map[string][]string{
		"edge":       {"caller", "edm", "keys", "migrations", "openapi", "ratelimit", "site"}, // migrations: for tests
		"accounts":   {"caller", "keys", "ratelimit"},
		"caller":     {"keys"},
		"keys":       {"batch"},
		"ratelimit":  {"batch", "keys"},
		"edm":        {"edm", "openapi", "openapi/golden"}, // itself and golden: for tests
		"openapi":    {"static"},
		"site":       {"openapi", "static"},
		"static":     {},
		"batch":      {},
		"migrations": {},
	}
	const module = "ams.internal/gateway/"
	files, err := filepath.Glob("*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		packages, known := allowed[filepath.Dir(file)]
		if !known {
			t.Errorf("%s: say here what package %s may import", file, filepath.Dir(file))
		}
		for _, spec := range parsed.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if name, ours := strings.CutPrefix(path, module); ours && !slices.Contains(packages, name) {
				t.Errorf("%s imports %s, which package %s may not", file, name, filepath.Dir(file))
			}
		}
	}
}
