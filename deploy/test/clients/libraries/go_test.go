package libraries

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	ams "ams.internal/clients/go"
)

// TestTheGoClientsProgramsRunInACleanFolder takes the library's module as a stranger does, from a proxy, and runs the programs of its
// README twice on the demonstration data.
func TestTheGoClientsProgramsRunInACleanFolder(t *testing.T) {
	library, folder := source(t, "go"), t.TempDir()
	readme, err := os.ReadFile(filepath.Join(library, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod": "module example.ca/programs\n\ngo 1.26\n\nrequire ams.internal/clients/go v" + ams.Version + "\n",
		"receive.go": "package programs\n\nimport (\n\"io\"\n\"log\"\n\"net/http\"\n\"os\"\n\nams \"ams.internal/clients/go\"\n)\n\n" +
			"var _ = receive\n\n" + goBlocks(t, readme, "func receive")[0],
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	programs := goBlocks(t, readme, "package main")
	if len(programs) != 3 {
		t.Fatalf("the README has %d programs", len(programs))
	}
	for i, program := range programs {
		if err := os.MkdirAll(filepath.Join(folder, fmt.Sprint("program", i)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprint("program", i), "main.go"), []byte(program), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	environment := append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -modcacherw -trimpath", "GOSUMDB=off", "GOMODCACHE="+t.TempDir(),
		"GOPROXY=file://"+moduleProxy(t, library)+",file://"+filepath.Join(goEnv(t, "GOMODCACHE"), "cache/download"))
	run := func(program string, args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), program, args...)
		command.Dir, command.Env = folder, environment
		withKey(t, city, command)
		output, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", program, args, err, output)
		}
		return string(output)
	}
	// Other tests wait for answers of the product meanwhile: compilers run at low priority.
	run("nice", "go", "build", "-o", "bin/", "./...")
	run("nice", "go", "vet", ".")
	for i, want := range []string{
		`^Pompe de circulation is at version 1\nPompe de circulation costs 48500\n$`,
		`2 rows are in\nDeux patinoires, vues à .*\nrefused: version_mismatch\n$`,
		`[0-9]{2} sites\n$`, // of the demonstration data
	} {
		for _, time := range []string{"the first", "the second"} {
			if got := run(filepath.Join(folder, "bin", fmt.Sprint("program", i))); !regexp.MustCompile(want).MatchString(got) {
				t.Errorf("program %d of the README says, %s time\n%s", i, time, got)
			}
		}
	}
	if written, err := os.ReadFile(filepath.Join(folder, "sites.ndjson")); err != nil || strings.Count(string(written), "\n") < 3 {
		t.Errorf("the third program wrote %s, %v", written, err)
	}
}

// goBlocks are the Go blocks of a page that begin so.
func goBlocks(t *testing.T, page []byte, beginning string) (blocks []string) {
	t.Helper()
	for i, part := range strings.Split(string(page), "```") {
		if text, is := strings.CutPrefix(part, "go\n"); i%2 == 1 && is && strings.HasPrefix(text, beginning) {
			blocks = append(blocks, text)
		}
	}
	if blocks == nil {
		t.Fatalf("there is no block of Go that begins with %s", beginning)
	}
	return blocks
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	value, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(value))
}

// moduleProxy is a folder that serves a module in its version, packed as a proxy packs it.
func moduleProxy(t *testing.T, source string) string {
	t.Helper()
	const module = "ams.internal/clients/go"
	version := "v" + ams.Version
	proxy := t.TempDir()
	folder := filepath.Join(proxy, module, "@v")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	definition, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"list": version + "\n", version + ".mod": string(definition),
		version + ".info": `{"Version":"` + version + `","Time":"2026-11-01T00:00:00Z"}`} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Create(filepath.Join(folder, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	packed := zip.NewWriter(file)
	err = fs.WalkDir(os.DirFS(source), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(source, path))
		if err != nil {
			return err
		}
		w, err := packed.Create(module + "@" + version + "/" + path)
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	})
	if err := errors.Join(err, packed.Close()); err != nil {
		t.Fatal(err)
	}
	return proxy
}
