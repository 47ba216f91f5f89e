package manifests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// root is the repository.
const root = "../../.."

// programs are the targets of the one program: the gateway, and each service.
func programs(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "deploy/cmd/ams/main.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	ast.Inspect(file, func(node ast.Node) bool {
		if of, ok := node.(*ast.SelectorExpr); ok && of.Sel.Name == "Program" {
			all = append(all, of.X.(*ast.Ident).Name)
		}
		return true
	})
	if len(all) < 2 {
		t.Fatal("deploy/cmd/ams has no targets")
	}
	slices.Sort(all)
	return all
}

// keepsNothing are the programs without a schema: they have no migration, and do not reach the database.
var keepsNothing = []string{"search"}

// What "make run" starts is what is deployed: the launcher's list and the targets say the same.
func TestTheLauncherStartsEveryProgram(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "deploy/devstack/programs.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	launched := []string{"gateway"}
	ast.Inspect(file, func(node ast.Node) bool {
		declared, ok := node.(*ast.ValueSpec)
		if !ok || declared.Names[0].Name != "services" || len(declared.Values) != 1 {
			return true
		}
		// append(catalogue.Product().Services(), …): what owns collections, and those that own none.
		for _, element := range declared.Values[0].(*ast.CallExpr).Args[1:] {
			name, err := strconv.Unquote(element.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			launched = append(launched, name)
		}
		return false
	})
	rows, err := os.ReadFile(filepath.Join(root, "libs/domain/catalogue/product.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range regexp.MustCompile(`Service: "([a-z]+)"`).FindAllStringSubmatch(string(rows), -1) {
		launched = append(launched, row[1])
	}
	slices.Sort(launched)
	launched = slices.Compact(launched)
	if !slices.Equal(launched, programs(t)) {
		t.Errorf("deploy/devstack starts %v; the targets are %v", launched, programs(t))
	}
}

// settings are the variables that the programs declare, as docs/configuration.md (written from the declarations) lists
// them: for every process, for migrations, and for single programs.
func settings(t *testing.T) (all, secret map[string]bool) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	all, secret = map[string]bool{}, map[string]bool{}
	for _, row := range regexp.MustCompile(
		"(?m)^\\| `(AMS_[A-Z0-9_]+)`( or `(AMS_[A-Z0-9_]+_FILE)`)?",
	).FindAllStringSubmatch(string(text), -1) {
		all[row[1]] = true
		if row[3] != "" {
			all[row[3]], secret[row[1]] = true, true
		}
	}
	if len(all) < 20 {
		t.Fatalf("docs/configuration.md lists %d variables only", len(all))
	}
	return all, secret
}

// checkSettings says whether a program may be given an environment: every variable is declared (AMS_ASSETS_X is AMS_X of the target
// assets), and a secret comes from a file.
func checkSettings(t *testing.T, where string, environment map[string]string) {
	t.Helper()
	all, secret := settings(t)
	targets := programs(t)
	for name, value := range environment {
		if !strings.HasPrefix(name, "AMS_") {
			continue
		}
		for _, target := range targets {
			if rest, own := strings.CutPrefix(name, "AMS_"+strings.ToUpper(target)+"_"); own && !all[name] && all["AMS_"+rest] {
				name = "AMS_" + rest
			}
		}
		if !all[name] {
			t.Errorf("%s: %s is not declared by any program", where, name)
		}
		if secret[name] && value != "" {
			t.Errorf("%s: %s is a secret: give %s_FILE", where, name, name)
		}
	}
}

// pinned says whether an image has a version of its own.
func pinned(image string) bool {
	name, version, found := strings.Cut(image[strings.LastIndex(image, "/")+1:], ":")
	return found && name != "" && version != "" && version != "latest"
}
