// Package libs_test enforces the architecture: which packages may import which, and that shared packages do not know the domain.
package libs_test

import (
	"encoding/json"
	"go/ast"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ams.internal/libs/domain/catalogue"
)

// shared are the packages of libs from the ground up: each may import those that stand before it, and no other.
var shared = []string{
	"domain/catalogue", "domain/indicators", "domain/prices", "domain/placement", "domain/deficiencies", "calendar", "recurrence", "workhours",
	"domain/maintenance", "testwait", "testshare", "tool", "localport", "clamd", "pgbouncer", "throughput", "s3test", "transaction",
	"fault", "apikey", "seal", "principal", "fairqueue", "spool", "external", "webassets", "telemetry", "telemetry/telemetrytest",
	"postgres", "postgres/postgrestest", "search", "suggest", "schema", "odata", "parquet", "endpoint", "discovery",
	"discovery/consultest", "reference", "leader", "work", "outbox", "service", "transport", "persons",
	"domain/inventory", "months", "domain/contracts/assets", "domain/contracts/workorders", "domain/contracts/infrastructure",
	"domain/contracts/forms", "domain/contracts/gateway", "domain/contracts/los", "domain/contracts/mcp", "domain/contracts/meters",
	"domain/contracts/projects", "domain/contracts/users", "effects",
	"resource/internal/table", "resource/internal/index", "resource/internal/custom", "resource/internal/change", "resource/internal/links",
	"resource/internal/read", "resource/internal/record", "resource/internal/write", "resource/internal/declaration",
	"resource/internal/operations", "resource", "contacts", "timeevents", "domain/bookvalue", "effects/stored", "resource/resourcetest",
}

// TestImportsPointDownwards: services and the gateway import libs and nobody else's code; libs import libs, downwards; the gateway
// embeds the documents that it serves; the client library imports nothing of ours.
func TestImportsPointDownwards(t *testing.T) {
	for _, p := range packages(t) {
		if p.ImportPath == "ams.internal/libs" { // this test alone
			continue
		}
		module, rest, _ := strings.Cut(strings.TrimPrefix(p.ImportPath, "ams.internal/"), "/")
		for _, imported := range append(p.Imports, p.testImports(module)...) {
			path, ours := strings.CutPrefix(imported, "ams.internal/")
			if !ours {
				continue
			}
			other, below, _ := strings.Cut(path, "/")
			switch {
			case other == "libs" && module != "libs" && module != "clients":
			case other == "libs" && module == "libs":
				if !slices.Contains(shared, rest) {
					t.Errorf("libs/%s has no place among the shared packages; give it one in this test", rest)
				} else if slices.Contains(p.Imports, imported) && slices.Index(shared, below) >= slices.Index(shared, rest) {
					t.Errorf("libs/%s imports libs/%s, which stands above it", rest, below)
				}
			case other == module && module != "services":
			case other == "clients" && module == "deploy": // as its callers do
			case module == "deploy" && slices.Contains(lent, path):
			case p.ImportPath == "ams.internal/deploy/cmd/ams": // which puts the programs together
			case path == "docs" && module == "gateway": // which serves the documents
			case other == module && strings.HasPrefix(below, firstPart(rest)):
			default:
				t.Errorf("%s imports %s; a %s program imports libs only", p.ImportPath, imported, module)
			}
		}
	}
}

// lent are packages of services that amsctl or the benchmark uses too: those that know nothing of requests and tables (docs/adr/0051).
var lent = []string{"services/documents/filename", "services/documents/store", "services/planning/engine", "services/accounting/ledger"}

func firstPart(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
}

type goPackage struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

// testImports are those of the package's tests; the launcher and its tests may look at everything.
func (p goPackage) testImports(module string) []string {
	if module == "deploy" {
		return nil
	}
	return slices.Concat(p.TestImports, p.XTestImports)
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./libs/...",
		"./services/...", "./gateway/...", "./deploy/...", "./deploy/clients/go/...")
	command.Dir = ".."
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(output))); decoder.More(); {
		var p goPackage
		if err := decoder.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// TestNothingSharedKnowsTheDomain: what is in libs, besides libs/domain, serves any collection (the assets of libs/webassets are files of
// a web page). No name in it is one of the
// domain, and no text in it is the name of a collection, of its records, its scope or its path.
func TestNothingSharedKnowsTheDomain(t *testing.T) {
	texts, names := map[string]bool{}, map[string]bool{}
	for row := range catalogue.Product().Collections() {
		for _, word := range []string{row.Name, row.Singular, row.Scope, row.Path} {
			texts[word] = true
		}
		names[plain(row.Name)], names[plain(row.Singular)] = true, true
	}
	for _, word := range computing {
		delete(texts, word)
		delete(names, word)
	}
	for _, s := range readSources(t) {
		below, inLibs := strings.CutPrefix(s.folder(), "libs/")
		if !inLibs || s.isTest() || forTests(s) || slices.Contains([]string{"domain", "webassets"}, firstPart(below)) {
			continue
		}
		ast.Inspect(s.syntax, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.Ident:
				if names[plain(n.Name)] {
					t.Errorf("%s: the name %s is a word of the domain", positions.Position(n.Pos()), n.Name)
				}
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil && texts[text] {
					t.Errorf("%s: the text %q is a word of the domain", positions.Position(n.Pos()), text)
				}
			}
			return true
		})
	}
}

// forTests says whether a file is of a package for tests, or below one.
func forTests(s source) bool { return strings.Contains(s.folder()+"/", "test/") }

// outward are the files that may make a client of their own or look up names, each with its reason. Everything that a caller may have
// named goes through libs/external, which connects to public addresses only and refuses to run in a transaction.
var outward = map[string]string{
	"libs/clamd/clamd.go":             "asks a scanner of this machine",
	"libs/external/client.go":         "it is the one that calls outside",
	"libs/discovery/directory.go":     "calls Consul",
	"libs/reference/reference.go":     "calls our own services",
	"libs/outbox/relay.go":            "sends events to our own inbox",
	"libs/telemetry/client.go":        "traces the transport of another client",
	"libs/service/ready_command.go":   "asks this process",
	"libs/service/serve.go":           "finds this machine's address, once at the start",
	"services/documents/scan/scan.go": "calls our own scanner",
	"services/documents/store/s3.go":  "calls the S3 server that is configured",
	"services/mcp/rest_client.go":     "calls our own services",
	"gateway/edge/dial.go":            "calls our own services",
	"gateway/edge/upstreams.go":       "calls our own services",
	"gateway/openapi/document.go":     "reads the documents of our own services",
}

// TestOnlyExternalCallsOutside: a call or a look-up that somebody else may delay is written once.
func TestOnlyExternalCallsOutside(t *testing.T) {
	found := map[string]bool{}
	for _, s := range readSources(t) {
		if s.isTest() || strings.HasPrefix(s.path, "deploy/") || forTests(s) {
			continue
		}
		ast.Inspect(s.syntax, func(node ast.Node) bool {
			expression, isExpression := node.(ast.Expr)
			literal, isLiteral := node.(*ast.CompositeLit)
			if isLiteral {
				expression = literal.Type
			}
			selector, ok := expression.(*ast.SelectorExpr)
			if !isExpression || !ok {
				return true
			}
			used := selectorName(selector)
			if isLiteral && outwardTypes.MatchString(used) || outwardNames.MatchString(used) {
				found[s.path] = true
				if outward[s.path] == "" {
					t.Errorf("%s: %s: what a caller may have named is called through libs/external; anything else says its reason in this test",
						positions.Position(node.Pos()), used)
				}
			}
			return true
		})
	}
	for name := range outward {
		if !found[name] {
			t.Errorf("%s calls nobody by itself; take it out of this test", name)
		}
	}
}

var (
	outwardTypes = regexp.MustCompile(`^(http\.(Client|Transport)|net\.(Dialer|Resolver))$`)
	outwardNames = regexp.MustCompile(
		`^(http\.(DefaultClient|DefaultTransport|Get|Head|Post|PostForm)|net\.(DefaultResolver|Lookup\w+|Dial(TCP|UDP|IP|Unix|Timeout)?))$`,
	)
)

func selectorName(selector *ast.SelectorExpr) string {
	if of, ok := selector.X.(*ast.Ident); ok {
		return of.Name + "." + selector.Sel.Name
	}
	return ""
}

// internalPaths are where the path of an internal operation may be written, each with its reason. Everything else goes by a
// reference.Contract, whose path is without the prefix: libs/domain/contracts has them by owner.
var internalPaths = map[string]string{
	"libs/reference/":                  "makes the paths of contracts",
	"libs/transport/":                  "tells internal paths from public ones",
	"libs/effects/":                    "is both sides of the calls about effects",
	"libs/outbox/inbox_path.go":        "is where relays send events, which are of several organizations",
	"libs/resource/resourcetest/":      "answers for other services",
	"gateway/accounts/":                "serves the operator",
	"gateway/openapi/document.go":      "reads the documents of our own services",
	"services/mcp/oauth/authorizer.go": "puts the internal API beside its own pages",
	"services/console/program.go":      "puts the internal API beside its own pages",
}

// TestInternalCallsGoByContracts: owner and callers of an internal operation share its path and types.
func TestInternalCallsGoByContracts(t *testing.T) {
	found := map[string]bool{}
	for _, s := range readSources(t) {
		if s.isTest() || strings.HasPrefix(s.path, "deploy/") {
			continue
		}
		ast.Inspect(s.syntax, func(node ast.Node) bool {
			if _, isImport := node.(*ast.ImportSpec); isImport {
				return false
			}
			literal, isLiteral := node.(*ast.BasicLit)
			if !isLiteral || !strings.HasPrefix(strings.Trim(literal.Value, "\"`"), "/internal") {
				return true
			}
			for place := range internalPaths {
				if strings.HasPrefix(s.path, place) {
					found[place] = true
					return true
				}
			}
			t.Errorf("%s: %s: an internal operation is called and served by a contract (libs/domain/contracts)",
				positions.Position(literal.Pos()), literal.Value)
			return true
		})
	}
	for place := range internalPaths {
		if !found[place] {
			t.Errorf("%s has no path of an internal operation; take it out of this test", place)
		}
	}
}

// computing are words that the domain and computing both have. Calendars have fiscal years, which are records besides.
var computing = []string{"calendar", "calendars", "document", "documents", "fiscalyear", "meter", "meters", "network", "networks",
	"request", "requests", "system", "systems", "team", "teams", "user", "users", "webhooks"}

var notLetters = regexp.MustCompile(`[^a-z]`)

// plain is a name without its spelling: workorder for WorkOrder and for work_order.
func plain(name string) string { return notLetters.ReplaceAllString(strings.ToLower(name), "") }
