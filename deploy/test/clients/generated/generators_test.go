//go:build night

package generated

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// generator makes a client from the description, and builds the program with it.
type generator struct {
	name  string
	build func(t testing.TB, folder string) program
}

// program prepares a run of what was built.
type program func(t testing.TB) *exec.Cmd

var generators = []generator{
	{"openapi-typescript", typeScript("openapi-fetch", []string{
		// By itself it takes what has a default in the body of a request for required.
		"openapi-typescript/bin/cli.js", "openapi.json", "--output", "generated/ams.d.ts",
	})},
	{"orval", typeScript("orval", orval)},
	{"hey-api", typeScript("hey-api", []string{"@hey-api/openapi-ts/bin/run.js", "--input", "openapi.json", "--output", "generated"})},
	{"swagger-typescript-api", typeScript("swagger-typescript-api", []string{
		"swagger-typescript-api/dist/cli.mjs", "generate", "--path", "openapi.json", "--output", "generated", "--name", "ams.ts",
		"--generate-union-enums",
	})},
	{"oapi-codegen", oapiCodegen},
}

var orval = []string{"orval/dist/bin/orval.mjs", "--config", "orval.config.mjs"}

// build gives a generator the description in a folder of its own, and builds the program there.
func build(t testing.TB, g generator, description []byte) program {
	t.Helper()
	atOnce <- struct{}{}
	defer func() { <-atOnce }()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "openapi.json"), description)
	if err := os.Mkdir(filepath.Join(folder, "generated"), 0o755); err != nil {
		t.Fatal(err)
	}
	return g.build(t, folder)
}

// typeScript generates by a command, checks the program of a name with all that was generated, strictly, and bundles it.
func typeScript(name string, generate []string) func(testing.TB, string) program {
	return func(t testing.TB, folder string) program {
		t.Helper()
		copyFiles(t, folder, "testdata/typescript", name+".ts", "support.ts", "tsconfig.json", "orval.config.mjs")
		// Node looks for packages next to the file that imports them.
		if err := os.Symlink(nodePackages(t).Package("."), filepath.Join(folder, "node_modules")); err != nil {
			t.Fatal(err)
		}
		succeed(t, node(t, folder, generate[0], generate[1:]...))
		succeed(t, node(t, folder, "typescript-native/bin/tsc", "--project", "."))
		succeed(t, node(t, folder, "esbuild/bin/esbuild", name+".ts", "--bundle", "--platform=node", "--format=esm", "--outfile=program.mjs",
			"--log-level=warning"))
		return func(t testing.TB) *exec.Cmd { return nodePackages(t).Command(t, filepath.Join(folder, "program.mjs")) }
	}
}

// oapiCodegen generates with the default options. The module is none of the product's: nothing of it is needed there.
func oapiCodegen(t testing.TB, folder string) program {
	t.Helper()
	copyFiles(t, folder, "testdata/oapi-codegen", "go.mod", "go.sum", "program.go", "support.go")
	for _, arguments := range [][]string{
		{"tool", "oapi-codegen", "-generate", "types,client", "-package", "ams", "-o", "generated/ams.gen.go", "openapi.json"},
		{"build", "-gcflags=./generated=-N -l", "-o", "program", "."}, // what is compiled once runs once
	} {
		command := exec.CommandContext(t.Context(), "go", arguments...)
		command.Dir = folder
		command.Env = append(os.Environ(), "GOWORK=off")
		succeed(t, command)
	}
	return func(t testing.TB) *exec.Cmd {
		command := exec.CommandContext(t.Context(), filepath.Join(folder, "program"))
		command.Env = os.Environ()
		return command
	}
}

// succeed runs a command, which may not fail.
func succeed(t testing.TB, command *exec.Cmd) {
	t.Helper()
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%.4000s", command.Args, err, output)
	}
}

func copyFiles(t testing.TB, folder, from string, names ...string) {
	t.Helper()
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, name), content)
	}
}

func write(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
