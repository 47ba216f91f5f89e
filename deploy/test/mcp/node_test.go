package mcp

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// What other people's programs need: their packages, and the Node that they run on, each in the version of the lock file.
var (
	//go:embed package.json
	packages []byte
	//go:embed package-lock.json
	versions []byte
)

// wayOut is what somebody does who has no Node.
const wayOut = "run deploy/install.sh, which installs npm from Debian, or install Node 22.19 or later with npm from https://nodejs.org/en/download"

// installed is the folder with the packages, and the Node program.
var installed = sync.OnceValues(func() (struct{ folder, node string }, error) {
	var found struct{ folder, node string }
	cache, err := os.UserCacheDir()
	if err != nil {
		return found, err
	}
	sum := sha256.Sum256(append(packages, versions...))
	found.folder = filepath.Join(cache, "ams", "node-"+hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(found.folder, 0o755); err != nil {
		return found, err
	}
	lock, err := os.OpenFile(filepath.Join(found.folder, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return found, err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return found, err
	}
	if err := install(found.folder); err != nil {
		return found, err
	}
	found.node, err = nodeProgram(found.folder)
	return found, err
})

// install fetches the packages, once. Nothing of theirs runs while it does.
func install(folder string) error {
	complete := filepath.Join(folder, ".complete")
	if _, err := os.Stat(complete); err == nil {
		return nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("npm is missing: %s", wayOut)
	}
	for name, content := range map[string][]byte{"package.json": packages, "package-lock.json": versions} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	command.Dir = folder
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("the packages of deploy/test/mcp/package-lock.json could not be installed (%w): npm must reach its registry\n%s", err,
			out)
	}
	return os.WriteFile(complete, nil, 0o644)
}

// nodeProgram is the Node of the packages, else that of the machine.
func nodeProgram(folder string) (string, error) {
	program, err := exec.LookPath("node")
	if theirs, _ := filepath.Glob(filepath.Join(folder, "node_modules", "node-linux-*", "bin", "node")); len(theirs) > 0 {
		program, err = theirs[0], nil
	}
	if err != nil {
		return "", fmt.Errorf("node is missing: %s", wayOut)
	}
	out, err := exec.Command(program, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", program, err)
	}
	version := strings.Split(strings.TrimPrefix(strings.TrimSpace(string(out)), "v"), ".")
	major, _ := strconv.Atoi(version[0])
	if minor, _ := strconv.Atoi(version[1]); major < 22 || major == 22 && minor < 19 {
		return "", fmt.Errorf("%s is %s, which is too old: %s", program, strings.TrimSpace(string(out)), wayOut)
	}
	return program, nil
}

// packageFolder is where the files of a package are.
func packageFolder(t testing.TB, name string) string {
	t.Helper()
	found, err := installed()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(found.folder, "node_modules", filepath.FromSlash(name))
}

// node prepares a JavaScript program, which reports for people without colours and stops with the test.
func node(t testing.TB, arguments ...string) *exec.Cmd {
	t.Helper()
	found, err := installed()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), found.node, arguments...)
	command.Dir = t.TempDir()
	// Its settings are this folder's, so that those of the person at this machine are neither read nor changed.
	command.Env = append(os.Environ(), "HOME="+command.Dir, "NO_COLOR=1")
	return command
}

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// run runs a program and gives all that it says, and its exit code.
func run(t testing.TB, command *exec.Cmd) (string, int) {
	t.Helper()
	out, err := command.CombinedOutput()
	if err != nil && command.ProcessState == nil {
		t.Fatal(err)
	}
	return colours.ReplaceAllString(string(out), ""), command.ProcessState.ExitCode()
}
