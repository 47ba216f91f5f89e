//go:build night

package generated

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// cast is what makes TypeScript believe a program: as, any, a type in angle brackets, ! behind a value, and comments for the compiler.
var (
	comment = regexp.MustCompile(`//[^@\n]*\n|"[^"\n]*"`)
	cast    = regexp.MustCompile(`\bas\b|\bany\b|[(=]\s*<\w|[\w)\]]!(?:[^=]|$)|@ts-|eslint`)
)

func TestNoProgramHasACast(t *testing.T) {
	scripts, _ := filepath.Glob("testdata/typescript/*.ts")
	programs, _ := filepath.Glob("testdata/oapi-codegen/*.go")
	if len(scripts) != len(generators)+1 || len(programs) != 2 {
		t.Fatalf("programs are missing: %v, %v", scripts, programs)
	}
	for _, path := range scripts {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if found := castIn(string(content)); found != "" {
			t.Errorf("%s has %q", path, found)
		}
	}
	for _, path := range programs {
		if found, err := assertionIn(path, nil); err != nil || found {
			t.Errorf("%s has a type assertion, or cannot be read (%v)", path, err)
		}
	}
}

// castIn gives the first cast in a script.
func castIn(script string) string { return cast.FindString(comment.ReplaceAllString(script, "\n")) }

func assertionIn(path string, source any) (found bool, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, source, 0)
	if err != nil {
		return false, err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		_, is := n.(*ast.TypeAssertExpr)
		found = found || is
		return true
	})
	return found, nil
}

func TestACastIsFound(t *testing.T) {
	for _, script := range []string{
		"const a = b as Asset;", "const a: any = b;", "const a = <Asset>b;", "send(a!.name);", "send(a!);", "// @ts-ignore\nsend(a);",
		"// @ts-expect-error\n",
	} {
		if castIn(script) == "" {
			t.Errorf("no cast is found in %q", script)
		}
	}
	for _, script := range []string{"// as it is\n", "if (!a || a !== b) send(\"as any!\");", "done<Asset>(a);"} {
		if found := castIn(script); found != "" {
			t.Errorf("%q is found in %q", found, script)
		}
	}
	if found, err := assertionIn("a.go", "package a\nvar a = b.(string)"); err != nil || !found {
		t.Errorf("a type assertion is not found: %v", err)
	}
}
