package site

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/jpeg"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ams.internal/deploy/devstack/testtools"
)

// clients is the folder of the libraries.
const clients = "../../clients"

// otherPeoples are the programs that the samples use beside our libraries.
var otherPeoples = testtools.NodePackagesOf("../documents")

// workbench is a folder in which somebody has installed the library of a language, as the guide says.
type workbench struct {
	language, folder string
	environment      []string
}

func newWorkbench(t *testing.T, language string) *workbench {
	t.Helper()
	w := &workbench{language: language, folder: t.TempDir(), environment: os.Environ()}
	library := func(name string) string {
		path, err := filepath.Abs(filepath.Join(clients, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Fatalf("there is no library for %s: %v", language, err)
		}
		return path
	}
	w.files(t)
	switch language {
	case "ts":
		w.write(t, "package.json", `{"name": "sample", "private": true, "type": "module"}`)
		w.must(t, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", packed(t, library("typescript")))
		if err := os.Symlink(otherPeoples(t).Package("tus-js-client"), filepath.Join(w.folder, "node_modules", "tus-js-client")); err != nil {
			t.Fatal(err)
		}
	case "python":
		w.environment = append(w.environment, "PYTHONPATH="+library("python")+"/src", "PYTHONDONTWRITEBYTECODE=1")
	case "go":
		w.environment = append(w.environment, "GOWORK=off", "GOFLAGS=-mod=mod -trimpath")
		w.write(t, "go.mod", "module sample\n\ngo 1.26\n")
		w.write(t, "first.go", "package main\n\nimport _ \"ams.internal/clients/go\"\n\nfunc main() {}\n")
		w.must(t, "go", "mod", "edit", "-require", "ams.internal/clients/go@v0.0.0", "-replace", "ams.internal/clients/go="+library("go"))
		w.must(t, "go", "mod", "tidy")
	}
	return w
}

// files writes the photo and the large file of the samples.
func (w *workbench) files(t *testing.T) {
	t.Helper()
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 640, 480)), nil); err != nil {
		t.Fatal(err)
	}
	w.write(t, "boiler.jpg", photo.String())
	w.write(t, "readings.csv", strings.Repeat("2026-11-23,42.1 kWh\n", 500_000)) // 10,000,000 bytes
}

// packed gives the package of the TypeScript library, made as somebody makes it who has the source. It is made once for each source.
func packed(t *testing.T, library string) string {
	t.Helper()
	sum, files := sha256.New(), map[string][]byte{}
	err := filepath.WalkDir(library, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); name == "node_modules" || name == "dist" {
				return filepath.SkipDir
			}
			return nil
		}
		content, err := os.ReadFile(path)
		relative, _ := filepath.Rel(library, path) // below it
		files[relative] = content
		fmt.Fprintf(sum, "%s %d\n%s", relative, len(content), content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(cache, "ams", "client-typescript-"+hex.EncodeToString(sum.Sum(nil)[:8])+".tgz")
	if _, err := os.Stat(kept); err == nil {
		return kept
	}
	w := &workbench{language: "ts", folder: t.TempDir(), environment: os.Environ()}
	for path, content := range files {
		w.write(t, path, string(content))
	}
	w.must(t, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	w.must(t, "npm", "run", "build")
	w.must(t, "npm", "pack", "--ignore-scripts")
	made, err := filepath.Glob(filepath.Join(w.folder, "*.tgz"))
	if err != nil || len(made) != 1 {
		t.Fatalf("npm pack made %v, %v", made, err)
	}
	content, err := os.ReadFile(made[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		t.Fatal(err)
	}
	beside := fmt.Sprintf("%s.%d", kept, os.Getpid())
	if err := os.WriteFile(beside, content, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(beside, kept); err != nil {
		t.Fatal(err)
	}
	return kept
}

func (w *workbench) write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(w.folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func (w *workbench) command(ctx context.Context, name string, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, name, arguments...)
	command.Dir, command.Env = w.folder, w.environment
	command.WaitDelay = 5 * time.Second
	return command
}

func (w *workbench) must(t *testing.T, name string, arguments ...string) {
	t.Helper()
	if out, err := w.command(t.Context(), name, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(arguments, " "), err, out)
	}
}

// program gives the command that runs a sample.
func (w *workbench) program(t *testing.T, s sample) *exec.Cmd {
	t.Helper()
	switch w.language {
	case "sh":
		return w.command(t.Context(), "bash", "-euo", "pipefail", w.write(t, s.name+".sh", s.code))
	case "ts": // the samples have no types of their own, so that any Node runs them
		return w.command(t.Context(), "node", w.write(t, s.name+".mjs", s.code))
	case "python":
		return w.command(t.Context(), "/usr/bin/python3", w.write(t, s.name+".py", s.code))
	case "go":
		program := filepath.Join(w.folder, s.name)
		w.must(t, "go", "build", "-o", program, w.write(t, s.name+".go", s.code))
		return w.command(t.Context(), program)
	}
	t.Fatalf("nothing runs samples in %q", w.language)
	return nil
}

// run runs a sample as somebody with a key, and gives what it says.
func (w *workbench) run(t *testing.T, s sample, as town) string {
	t.Helper()
	command := w.program(t, s)
	command.Env = append(command.Env, "AMS_BASE_URL="+base(t), "AMS_API_KEY="+as.key)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("the sample %s in %s: %v\n%s", s.name, s.language, err, out)
	}
	return string(out)
}
