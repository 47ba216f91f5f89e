//go:build night

package site

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// What "make downloads" packs is the same each time, is installed in an empty project by the command that /docs/downloads shows, and
// runs.
func TestWhatIsPackedForDownloadIsInstalledAndRuns(t *testing.T) {
	pack := func() string {
		folder := filepath.Join(t.TempDir(), "downloads")
		command := exec.CommandContext(t.Context(), "deploy/ops/downloads.sh", folder)
		command.Dir = "../../.."
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return folder
	}
	first, second := pack(), pack()
	if out, err := exec.CommandContext(t.Context(), "diff", "-r", first, second).CombinedOutput(); err != nil {
		t.Errorf("what is packed differs from one time to the next: %v %s", err, out)
	}
	// The gateway serves such a folder as it is, which its own tests hold.
	served := httptest.NewServer(http.FileServer(http.Dir(first)))
	t.Cleanup(served.Close)
	content, err := os.ReadFile("../../clients/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct{ Info struct{ Version string } }
	if err := json.Unmarshal(content, &document); err != nil {
		t.Fatal(err)
	}
	version := document.Info.Version

	node := workbench{language: "ts", folder: t.TempDir(), environment: os.Environ()}
	node.write(t, "package.json", `{"name": "sample", "private": true, "type": "module"}`)
	node.must(t, "npm", "install", "--no-audit", "--no-fund", served.URL+"/ams-client-"+version+".tgz")
	node.must(t, "node", "--input-type=module", "--eval", `import { Client } from "@ams/client"; new Client("http://127.0.0.1", "key");`)

	python := workbench{language: "python", folder: t.TempDir(), environment: os.Environ()}
	python.must(t, "/usr/bin/python3", "-m", "venv", "--system-site-packages", "environment")
	python.must(t, "environment/bin/python", "-m", "pip", "install", "--no-index", served.URL+"/ams_client-"+version+"-py3-none-any.whl")
	python.must(t, "environment/bin/python", "-c", "import ams_client; ams_client.Client('http://127.0.0.1', 'key')")

	proxies, err := exec.CommandContext(t.Context(), "go", "env", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	golang := workbench{language: "go", folder: t.TempDir(), environment: append(os.Environ(), "GOWORK=off", "GOFLAGS=-modcacherw -trimpath",
		"GOMODCACHE="+t.TempDir(), "GOPROXY="+served.URL+"/go,"+strings.TrimSpace(string(proxies)), "GONOSUMDB=ams.internal")}
	golang.write(t, "go.mod", "module sample\n\ngo 1.26\n")
	golang.write(t, "main.go", `package main

import ams "ams.internal/clients/go"

func main() { ams.NewClient("http://127.0.0.1", "key") }
`)
	golang.must(t, "go", "get", "ams.internal/clients/go@v"+version)
	golang.must(t, "go", "run", ".")

	program := filepath.Join(first, "amsctl-"+runtime.GOOS+"-"+runtime.GOARCH)
	if out, err := exec.CommandContext(t.Context(), program, "--version").CombinedOutput(); err != nil || len(out) == 0 {
		t.Errorf("%v %s", err, out)
	}
}
