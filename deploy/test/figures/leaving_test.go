//go:build night

package figures

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ams.internal/deploy/demo"
	"ams.internal/deploy/devstack"
	"ams.internal/deploy/devstack/apiclient"
	"ams.internal/libs/postgres/postgrestest"
)

// archiver runs amsctl for one installation.
type archiver struct {
	t      *testing.T
	binary string
	folder string // of the stack
}

func (a archiver) command(args ...string) *exec.Cmd {
	command := exec.CommandContext(a.t.Context(), a.binary, append([]string{"organizations"}, args...)...)
	command.Env = append(os.Environ(), "AMS_RUN_DIR="+a.folder)
	return command
}

// run gives the JSON that a command writes.
func (a archiver) run(args ...string) (result row) {
	a.t.Helper()
	command := a.command(append(args, "--output", "json")...)
	var out, progress bytes.Buffer
	command.Stdout, command.Stderr = &out, &progress
	if err := command.Run(); err != nil {
		a.t.Fatalf("%v: %v\n%s", args, err, progress.String())
	}
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		a.t.Fatalf("%v: %v %s", args, err, out.String())
	}
	return result
}

// kill ends a command when it says that a phase begins.
func (a archiver) kill(phase string, args ...string) {
	a.t.Helper()
	command := a.command(args...)
	progress, err := command.StderrPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		a.t.Fatal(err)
	}
	killed := false
	var said strings.Builder
	for lines := bufio.NewScanner(progress); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if strings.HasSuffix(lines.Text(), " "+phase) {
			killed = command.Process.Kill() == nil
		}
	}
	_ = command.Wait()
	if !killed {
		a.t.Fatalf("%v did not come to the phase %s:\n%s", args, phase, said.String())
	}
}

// A demonstration organization leaves for another installation. Both commands are killed at each phase, and run again: reports, lists and
// files are the same there, for the same key.
func TestAnOrganizationLeavesForAnotherInstallationWithEqualFigures(t *testing.T) {
	binaries, err := devstack.BuildPrograms()
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp(postgrestest.Folder(), "ams-test-") //nolint:usetesting // PostgreSQL cannot reach t.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	arrival, err := devstack.Start(t.Context(), devstack.Options{Folder: folder, Binaries: binaries, Together: true, Prepared: true,
		Demo: demo.Nothing})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		arrival.Stop()
		if err := devstack.Drop(folder); err != nil {
			t.Error(err)
		}
	})
	town, found := described(t).Organization("Ville de Rivière-Claire")
	if !found {
		t.Fatal("the demonstration data has no Ville de Rivière-Claire")
	}
	program := filepath.Join(binaries, "amsctl")
	from, to := archiver{t, program, devstack.ForTest(t).Folder()}, archiver{t, program, folder}
	file := filepath.Join(t.TempDir(), "town.zip")
	for _, phase := range []string{"rows", "contents"} {
		from.kill(phase, "export", town.Name, "--to", file)
		if _, err := os.Stat(file); !os.IsNotExist(err) {
			t.Errorf("%s: a killed export has left an archive: %v", phase, err)
		}
	}
	exported := from.run("export", town.Name, "--to", file)
	for _, phase := range []string{"verify", "prepare", "contents", "rows", "compare", "settle", "admit"} {
		to.kill(phase, "import", file)
		if a := get(t, arrival.Description().BaseURL, town.Keys["full"], "/v1/sites"); a.Status != 401 {
			t.Errorf("%s: the organization is found before it has arrived: %d", phase, a.Status)
		}
	}
	imported := to.run("import", file)
	for _, figure := range []string{"organization_id", "manifest_sha256", "rows", "contents", "content_bytes"} {
		if imported[figure] != exported[figure] {
			t.Errorf("%s: exported %v, imported %v", figure, exported[figure], imported[figure])
		}
	}
	t.Logf("exported %v, imported %v", exported, imported)
	paths := []string{
		"/v1/reports/state-of-assets", "/v1/reports/state-of-infrastructure", "/v1/sites?per_page=100", "/v1/users?per_page=100",
		"/v1/assets?per_page=100&sort=-updated_at", "/v1/assets?per_page=100&page=3&status=in_service", "/v1/work-orders?per_page=100",
		"/v1/search?q=pompe", "/v1/projects",
		"/v1/documents?per_page=100", "/v1/infrastructure/segments?per_page=100", "/v1/accounting/capital-assets?per_page=100",
	}
	for _, document := range get(t, described(t).BaseURL, town.Keys["full"], "/v1/documents?per_page=20").Object["data"].([]any) {
		paths = append(paths, "/v1/documents/"+document.(row)["id"].(string)+"/content")
	}
	for _, path := range paths {
		before := get(t, described(t).BaseURL, town.Keys["full"], path)
		after := get(t, arrival.Description().BaseURL, town.Keys["full"], path)
		if before.Status != 200 || after.Status != 200 ||
			!bytes.Equal(nextCursor.ReplaceAll(before.Body, nil), nextCursor.ReplaceAll(after.Body, nil)) {
			t.Errorf("%s: %d %.300s has become %d %.300s", path, before.Status, before.Body, after.Status, after.Body)
		}
	}
	made, err := apiclient.Send(client, town.Keys["full"], "POST", arrival.Description().BaseURL+"/v1/sites",
		row{"name": "Parc du Nouveau-Quai"})
	if err != nil || made.Status != 201 {
		t.Errorf("a site is made where it arrived: %d %s %v", made.Status, made.Body, err)
	}
	if _, err := os.Stat(file + ".partial"); err == nil || !os.IsNotExist(err) {
		t.Errorf("a half archive is left: %v", err)
	}
}

// nextCursor is sealed with the keys of an installation.
var nextCursor = regexp.MustCompile(`"next_cursor":"[^"]*"`)

// get reads, and again where a service has just been started or has not found what is new to it.
func get(t *testing.T, base, key, path string) (answer apiclient.Response) {
	t.Helper()
	for range 40 {
		var err error
		if answer, err = apiclient.Send(client, key, "GET", base+path, nil); err != nil {
			t.Fatal(err)
		}
		if answer.Status != 503 && answer.Status != 429 {
			break
		}
		time.Sleep(250 * time.Millisecond)
	}
	return answer
}
