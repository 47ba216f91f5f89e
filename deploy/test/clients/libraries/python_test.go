package libraries

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// python is Debian's: another one in the PATH has neither httpx nor mypy.
func python(t testing.TB, folder string, arguments ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), "/usr/bin/python3", arguments...)
	command.Dir = folder
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH=src", "MYPYPATH=src")
	return command
}

func TestPythonsSuite(t *testing.T) {
	suite(t, board, python(t, copied(t, "python"), "-m", "unittest", "discover", "-t", ".", "-s", "tests"),
		`Ran (\d+) tests in [^\n]*\n\nOK`, 40)
}

func TestPythonsTypesHold(t *testing.T) {
	folder := copied(t, "python")
	// Each line is wrong in one way, which is what mypy must say of it.
	mistakes := []struct{ line, says string }{
		{`client.assets.create({"nam": "Pump"})`, "typeddict"},
		{`client.assets.update("id", {"status": "in_servce"})`, "typeddict"},
		{`client.assets.list({"site": "id"})`, "AssetFilters"},
		{`client.assets.get("id")["nam"]`, "typeddict"},
		{`client.work_orders.tasks("id").create({"name": "Look"})`, "typeddict"},
	}
	program := "from ams_client import Client\n\nclient = Client('', '')\n"
	for _, mistake := range mistakes {
		program += mistake.line + "\n"
	}
	write(t, filepath.Join(folder, "mistakes.py"), []byte(program))
	out, err := python(t, folder, "-m", "mypy", "--strict", "--cache-dir", t.TempDir(), "src/ams_client", "tools", "tests", "bench",
		"mistakes.py").Output()
	if err == nil {
		t.Error("mypy finds no mistake")
	}
	found := map[int]string{}
	for line := range strings.Lines(string(out)) {
		rest, is := strings.CutPrefix(line, "mistakes.py:")
		at, says, _ := strings.Cut(rest, ":")
		n, err := strconv.Atoi(at)
		switch {
		case is && err == nil:
			found[n-4] += says
		case strings.Contains(line, ": error:"):
			t.Error(line)
		}
	}
	for i, mistake := range mistakes {
		if !strings.Contains(found[i], mistake.says) {
			t.Errorf("%s: %q", mistake.line, found[i])
		}
	}
}

// TestPythonsPackageInAnEmptyFolder builds the source distribution, installs it where nothing else of ours is, and runs the examples of
// README.md there, twice.
func TestPythonsPackageInAnEmptyFolder(t *testing.T) {
	built, folder := t.TempDir(), t.TempDir()
	output(t, python(t, copied(t, "python"), "-m", "build", "--sdist", "--no-isolation", "--outdir", built))
	archive := filepath.Join(built, "ams-client-"+documentVersion(t)+".tar.gz")
	output(t, python(t, folder, "-m", "venv", "--system-site-packages", "environment"))
	within := func(arguments ...string) *exec.Cmd {
		command := exec.CommandContext(t.Context(), filepath.Join(folder, "environment", "bin", "python"), arguments...)
		command.Dir = folder
		command.Env = append(os.Environ(), "PIP_DISABLE_PIP_VERSION_CHECK=1")
		return command
	}
	output(t, within("-m", "pip", "install", "--no-index", "--no-build-isolation", archive))
	names := []string{"first.py", "read.py", "many.py"}
	for i, code := range examples(t, "python", "python") {
		write(t, filepath.Join(folder, names[i]), []byte(code))
	}
	output(t, python(t, folder, append([]string{"-m", "mypy", "--strict", "--cache-dir", t.TempDir(), "--python-executable",
		filepath.Join(folder, "environment", "bin", "python")}, names...)...))
	for i, says := range []string{"version_mismatch", "pumps are in very poor condition", "3 in good condition"} {
		for range 2 {
			if out := output(t, withKey(t, board, within(names[i]))); !strings.Contains(out, says) {
				t.Errorf("%s: %s", names[i], out)
			}
		}
	}
}
