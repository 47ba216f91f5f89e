package releasing

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../../.."

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}

// run runs a program in a folder, and gives what it said and whether it succeeded.
func run(t *testing.T, folder, name string, arguments ...string) (string, bool) {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, arguments...)
	command.Dir = folder
	command.Env = append(os.Environ(), "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.ca",
		"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.ca",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	said, err := command.CombinedOutput()
	return string(said), err == nil
}

func git(t *testing.T, folder string, arguments ...string) string {
	t.Helper()
	said, fine := run(t, folder, "git", arguments...)
	if !fine {
		t.Fatalf("git %v: %s", arguments, said)
	}
	return strings.TrimSpace(said)
}

// product is a small repository with the real scripts, on main, after release 0.1.0. What takes minutes has a stand-in.
func product(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, script := range []string{"release.sh", "version.sh"} {
		write(t, filepath.Join(folder, "deploy/ops", script), read(t, "../"+script))
	}
	for _, script := range []string{"images.sh", "downloads.sh"} {
		write(t, filepath.Join(folder, "deploy/ops", script),
			"#!/usr/bin/env bash\nset -e\n[ ! -f fails ]\nmkdir -p \"$1\"\necho \"$AMS_VERSION\" > \"$1/made\"\n")
	}
	write(t, filepath.Join(folder, "deploy/ops/compatible.sh"),
		"#!/usr/bin/env bash\n[ ! -f breaks ] || { echo 'removed the property name'; exit 1; }\n")
	write(t, filepath.Join(folder, "gateway/openapi/own.go"), "    \"version\": \"0.1.0\",\n")
	write(t, filepath.Join(folder, "deploy/clients/typescript/package-lock.json"), "{\n  \"version\": \"0.1.0\"\n}\n")
	write(t, filepath.Join(folder, ".gitignore"), "/bin/\n")
	write(t, filepath.Join(folder, "deploy/ops/verify/released"), "0.1.0 1111111111111111111111111111111111111111 2026-01-01\n")
	write(t, filepath.Join(folder, "CHANGELOG.md"),
		"# Changelog\n\n## [Unreleased]\n\n### Added\n\n- One thing.\n\n## [0.1.0] - 2026-01-01\n\n- All.\n")
	write(t, filepath.Join(folder, "deploy/clients/python/CHANGELOG.md"), "# Changelog\n\n## [Unreleased]\n\n- One thing.\n")
	git(t, folder, "init", "-q", "-b", "main")
	commit(t, folder)
	return folder
}

func commit(t *testing.T, folder string) {
	t.Helper()
	git(t, folder, "add", "-A")
	git(t, folder, "commit", "-q", "-m", "as it is")
}

func TestAReleaseThatMustNotBeIsRefusedInOneSentence(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		version string
		arrange func(t *testing.T, folder string)
		want    string
	}{
		"no version":       {"", nil, "VERSION is \"\""},
		"no three numbers": {"v0.2", nil, "write three numbers"},
		"the same version": {"0.1.0", nil, "and 0.1.0 is released"},
		"an older version": {"0.0.9", nil, "and 0.1.0 is released"},
		"a changed file":   {"0.2.0", func(t *testing.T, folder string) { write(t, folder+"/CHANGELOG.md", "other") }, "not committed"},
		"a further file": {"0.2.0", func(t *testing.T, folder string) {
			write(t, folder+"/new", "new")
		}, "not committed"},
		"another branch": {"0.2.0", func(t *testing.T, folder string) {
			git(t, folder, "checkout", "-q", "-b", "other")
		}, "not main"},
		"a tag of before": {"0.2.0", func(t *testing.T, folder string) { git(t, folder, "tag", "v0.2.0") }, "There is a tag v0.2.0"},
		"no changelog line": {"0.2.0",
			withChangelog("## [Unreleased]\n\n### Added\n\n## [0.1.0] - 2026-01-01\n\n- All.\n"), "no line under [Unreleased]"},
		"no changelog": {"0.2.0", withChangelog("## [0.1.0] - 2026-01-01\n\n- All.\n"), "no section [Unreleased]"},
		"a closed section": {"0.2.0",
			withChangelog("## [Unreleased]\n\n- One.\n\n## [0.2.0] - 2026-01-01\n\n- All.\n"), "a section [0.2.0] already"},
		"a breaking change": {"0.2.0", func(t *testing.T, folder string) { write(t, folder+"/breaks", ""); commit(t, folder) },
			"needs a higher first number than 0: removed the property name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := product(t)
			if c.arrange != nil {
				c.arrange(t, folder)
			}
			before := state(t, folder)
			said, fine := run(t, folder, "deploy/ops/release.sh", c.version)
			if fine || !strings.Contains(said, c.want) || strings.Count(strings.TrimSpace(said), "\n") > 0 {
				t.Errorf("released is %v; it said %q, want one line with %q", fine, said, c.want)
			}
			if after := state(t, folder); after != before {
				t.Errorf("it left behind:\n%s\nwhere there was:\n%s", after, before)
			}
		})
	}
}

func withChangelog(sections string) func(t *testing.T, folder string) {
	return func(t *testing.T, folder string) {
		write(t, folder+"/CHANGELOG.md", "# Changelog\n\n"+sections)
		commit(t, folder)
	}
}

// state is all that a release changes.
func state(t *testing.T, folder string) string {
	t.Helper()
	made, _ := filepath.Glob(folder + "/bin/*")
	return strings.Join([]string{git(t, folder, "log", "--format=%H", "--all"), git(t, folder, "tag"), git(t, folder, "status", "--porcelain"),
		git(t, folder, "worktree", "list"), strings.Join(made, " ")}, "\n")
}

func TestAReleaseWhoseImagesCannotBeMadeLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	folder := product(t)
	write(t, folder+"/fails", "")
	commit(t, folder)
	main, tags := git(t, folder, "rev-parse", "main"), git(t, folder, "tag")
	said, fine := run(t, folder, "deploy/ops/release.sh", "0.2.0")
	if fine || git(t, folder, "rev-parse", "main") != main || git(t, folder, "tag") != tags || git(t, folder, "status", "--porcelain") != "" {
		t.Errorf("released is %v: %s", fine, said)
	}
	if trees := git(t, folder, "worktree", "list"); strings.Count(trees, "\n") > 0 {
		t.Errorf("worktrees: %s", trees)
	}
}

func TestAReleaseHasVersionRecordChangelogPackagesAndATag(t *testing.T) {
	t.Parallel()
	folder := product(t)
	before := git(t, folder, "rev-parse", "main")
	said, fine := run(t, folder, "deploy/ops/release.sh", "0.2.0")
	if !fine || !strings.Contains(said, "git push origin v0.2.0") {
		t.Fatalf("released is %v: %s", fine, said)
	}
	if kind := git(t, folder, "cat-file", "-t", "v0.2.0"); kind != "tag" ||
		git(t, folder, "rev-parse", "v0.2.0^{commit}") != git(t, folder, "rev-parse", "main") {
		t.Errorf("v0.2.0 is a %s of another commit than main", kind)
	}
	for file, want := range map[string]string{
		"deploy/ops/verify/released": `^0\.2\.0 ` + before + ` \d{4}-\d\d-\d\d\n0\.1\.0 1{40} 2026-01-01\n$`,
		"CHANGELOG.md": `^# Changelog\n\n## \[Unreleased\]\n\n## \[0\.2\.0\] - \d{4}-\d\d-\d\d\n\n` +
			`### Added\n\n- One thing\.\n\n## \[0\.1\.0\] - 2026-01-01\n\n- All\.\n$`,
		"deploy/clients/python/CHANGELOG.md": `^# Changelog\n\n## \[Unreleased\]\n\n## \[0\.2\.0\] - \d{4}-\d\d-\d\d\n\n- One thing\.\n$`,
		"gateway/openapi/own.go":             `"version": "0\.2\.0"`,
		"bin/release-0.2.0/notes.md":         `^\n### Added\n\n- One thing\.\n\n$`,
		"bin/release-0.2.0/images/made":      `^0\.2\.0\n$`,
		"bin/release-0.2.0/downloads/made":   `^0\.2\.0\n$`,
		"bin/release-0.2.0/SHA256SUMS":       `^[0-9a-f]{64}  downloads/made\n$`,
	} {
		if content := read(t, filepath.Join(folder, file)); !regexp.MustCompile(want).MatchString(content) {
			t.Errorf("%s is %q, want %s", file, content, want)
		}
	}
	if dirty := git(t, folder, "status", "--porcelain"); dirty != "" {
		t.Errorf("changed and not committed: %s", dirty)
	}
}

func TestEveryCopyOfTheVersionIsEqual(t *testing.T) {
	t.Parallel()
	if said, fine := run(t, root, "deploy/ops/version.sh"); !fine {
		t.Error(said)
	}
}

func TestTheRecordOfReleasesIsNotOlderThanTheChangelog(t *testing.T) {
	t.Parallel()
	record := strings.Fields(read(t, root+"/deploy/ops/verify/released"))
	closed := regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$`).FindStringSubmatch(read(t, root+"/CHANGELOG.md"))
	switch {
	case len(record)%3 != 0:
		t.Errorf("deploy/ops/verify/released has lines that are not version, commit and date: %v", record)
	case closed == nil && len(record) > 0:
		t.Errorf("release %s is recorded, and CHANGELOG.md has none", record[0])
	case closed != nil && (len(record) == 0 || record[0] != closed[1] || record[2] != closed[2]):
		t.Errorf("CHANGELOG.md has %s of %s, and the record begins with %v: make release writes both",
			closed[1], closed[2], record[:min(3, len(record))])
	}
}

const document = `{"openapi": "3.1.0", "info": {"title": "API", "version": "1.0.0"}, "paths": {"/v1/rooms": {
  "get": {"operationId": "listRooms", "parameters": [{"name": "name", "in": "query", "schema": {"type": "string"}}],
    "responses": {"200": {"description": "OK",
    "content": {"application/json": {"schema": {"type": "object", "required": ["id", "name"], "properties": {
      "id": {"type": "string"}, "name": {"type": "string"}, "use": {"type": "string", "enum": ["office", "store"]}}}}}}}},
  "post": {"operationId": "createRoom", "responses": {"201": {"description": "Created"}}, "requestBody": {"required": true,
    "content": {"application/json": {"schema": {"type": "object", "properties": {
      "floor": {"type": "integer"}, "kind": {"type": "string", "enum": ["wet", "dry"]}}}}}}}}}}`

func TestWhatBreaksProgramsIsRefusedAndWhatIsAddedIsNot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		old, new string
		breaks   bool
	}{
		"the same":                   {`"1.0.0"`, `"1.0.0"`, false},
		"a field less":               {`"name": {"type": "string"}, "use"`, `"use"`, true},
		"a field that is not always": {`"required": ["id", "name"]`, `"required": ["id"]`, true},
		"another type":               {`"name": {"type": "string"}, "use"`, `"name": {"type": "integer"}, "use"`, true},
		"a value less in a body":     {`["wet", "dry"]`, `["wet"]`, true},
		"a parameter less":           {`{"name": "name", "in": "query", "schema": {"type": "string"}}`, ``, true},
		"a parameter that must be": {`"parameters": [`,
			`"parameters": [{"name": "site", "in": "query", "required": true, "schema": {"type": "string"}}, `, true},
		"a new maximum":             {`"floor": {"type": "integer"}`, `"floor": {"type": "integer", "maximum": 9}`, true},
		"a new pattern of a filter": {`"schema": {"type": "string"}}]`, `"schema": {"type": "string", "pattern": "^a"}}]`, true},
		"a field that must be sent": {`{"type": "object", "properties": {
      "floor"`, `{"type": "object", "required": ["floor"], "properties": {
      "floor"`, true},
		"an operation less":          {`"get": {"operationId": "listRooms"`, `"put": {"operationId": "listRooms"`, true},
		"a field more":               {`"id": {"type": "string"},`, `"id": {"type": "string"}, "area": {"type": "number"},`, false},
		"a value more in a body":     {`["wet", "dry"]`, `["wet", "dry", "cold"]`, false},
		"a value more in a response": {`["office", "store"]`, `["office", "store", "hall"]`, false},
		"a parameter that may be": {`"parameters": [`,
			`"parameters": [{"name": "site", "in": "query", "schema": {"type": "string"}}, `, false},
		"a field that may be sent": {`"floor": {"type": "integer"}`, `"floor": {"type": "integer"}, "wing": {"type": "string"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			changed := strings.Replace(document, c.old, c.new, 1)
			if changed == document && c.old != c.new {
				t.Fatalf("nothing has changed: %q", c.old)
			}
			write(t, folder+"/before.json", document)
			write(t, folder+"/after.json", changed)
			said, fine := run(t, root, "deploy/ops/compatible.sh", folder+"/before.json", folder+"/after.json")
			if fine == c.breaks {
				t.Errorf("it is allowed: %v; it said:\n%s", fine, said)
			}
		})
	}
}
