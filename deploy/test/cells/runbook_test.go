package cells

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/devstack"
	"ams.internal/deploy/devstack/apiclient"
)

// commands gives the blocks of commands in a runbook of docs/operations up to a heading, as somebody copies them for a cell with the name
// third on a server of this machine.
func commands(t *testing.T, runbook, until, server string) []string {
	t.Helper()
	blocks, err := devstack.Runbook(runbook, "", until)
	if err != nil {
		t.Fatal(err)
	}
	for i := range blocks {
		blocks[i] = strings.NewReplacer("second.internal:5432", server, "second", "third").Replace(blocks[i])
	}
	return blocks
}

// desk is the folder in which an operator works: bin has the programs, secrets what he keeps.
type desk struct{ folder string }

func newDesk(t *testing.T) desk {
	t.Helper()
	d := desk{t.TempDir()}
	for _, folder := range []string{"bin", "secrets"} {
		if err := os.Mkdir(filepath.Join(d.folder, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	binaries, err := devstack.BuildPrograms()
	if err != nil {
		t.Fatal(err)
	}
	programs, err := filepath.Glob(filepath.Join(binaries, "[a-z]*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range programs {
		if err := os.Symlink(program, filepath.Join(d.folder, "bin", filepath.Base(program))); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func (d desk) write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(d.folder, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (d desk) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(d.folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// run runs commands one after the other in one shell, and gives what they say.
func (d desk) run(t *testing.T, lines ...string) string {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", strings.Join(lines, "\n"))
	shell.Dir = d.folder
	shell.Env = append(os.Environ(), "AMS_RUN_DIR="+product.Folder())
	said, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, strings.Join(lines, "\n"), said)
	}
	return string(said)
}

// The runbooks "add a cell" and "move an organization" are carried out with their own commands, while an organization of the first cell
// works, which moves into the new one. A stranger comes by its link all the time.
func TestTheRunbooksAddACellAndMoveAnOrganizationIntoIt(t *testing.T) {
	administrator, err := product.AddPostgres(t.Context(), "third")
	if err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(administrator)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	defer func() { t.Logf("the runbooks took %s", time.Since(began).Round(time.Second)) }()
	d, m := newDesk(t), newMember(t, "mill", "first")
	code := "MOVES-" + strings.ToUpper(uuid.NewString()[:6])
	site := m.create(t, "/v1/sites", map[string]any{"name": "Mill Park " + code})
	m.create(t, "/v1/request-services", map[string]any{"service_code": code, "name": "Playground", "public": true})
	token := m.call(t, 201, "POST", "/v1/request-links", map[string]any{"name": "Playground", "site_id": site, "service_codes": []string{code},
		"notice": "Collected under the Municipal Act, 2001.", "notice_fr": "Recueillis en vertu de la Loi."}).Object["token"].(string)

	// Add a cell.
	steps := commands(t, "add-a-cell.md", "## Compose", address.Host)
	if len(steps) != 4 {
		t.Fatalf("the runbook to add a cell has %d blocks of commands; this test knows 4", len(steps))
	}
	d.write(t, "secrets/third-administrator", administrator)
	d.run(t, steps[0], steps[1], steps[2])
	files, err := filepath.Glob(filepath.Join(d.folder, "secrets", "*_cells"))
	if err != nil {
		t.Fatal(err)
	}
	var rolling sync.WaitGroup
	for _, file := range files {
		program := strings.TrimSuffix(filepath.Base(file), "_cells")
		rolling.Go(func() {
			if err := product.Replace(t.Context(), program, "AMS_CELLS="+cellsOf(program)+";"+d.read(t, "secrets/"+program+"_cells")); err != nil {
				t.Errorf("%s: %v", program, err)
			}
		})
	}
	rolling.Wait()
	if t.Failed() {
		return
	}
	if said := d.run(t, steps[3]); !strings.Contains(said, "third") {
		t.Errorf("the cell is not listed: %s", said)
	}

	// Move an organization.
	steps = commands(t, "move-an-organization.md", "| what happens", address.Host)
	if len(steps) != 3 {
		t.Fatalf("the runbook to move an organization has %d blocks of commands; this test knows 3", len(steps))
	}
	d.write(t, "secrets/owner", product.Description().Cells["first"].PostgresURL)
	d.write(t, "secrets/owner_cells", "second="+product.Description().Cells["second"].PostgresURL+";third="+d.read(t, "secrets/third/owner"))
	stranger := product.Description().BaseURL + "/public/links/" + token
	shown := send(t, "", "GET", stranger, nil) // the door remembers where the organization is
	moving := make(chan struct{})
	var door sync.WaitGroup
	door.Go(func() {
		for n := 0; ; n++ {
			if a, err := apiclient.Send(client, "", "GET", stranger, nil); err != nil || a.Status != 200 {
				t.Errorf("a stranger reads the link while the organization moves: %d %s %v", a.Status, a.Body, err)
			}
			select {
			case <-moving:
				return
			case <-time.After(500 * time.Millisecond):
			}
		}
	})
	move := strings.ReplaceAll(steps[2], "Ville de Rivière-Claire", m.Name)
	if move == steps[2] {
		t.Fatalf("the runbook names no organization: %s", move)
	}
	said := d.run(t, steps[0], steps[1], move, "bin/amsctl organizations show "+m.ID)
	close(moving)
	door.Wait()
	if !strings.Contains(said, "Moved from first to third") || !regexp.MustCompile(`(?m)^cell\s+third$`).MatchString(said) {
		t.Errorf("the move says: %s", said)
	}
	third, err := pgx.Connect(t.Context(), d.read(t, "secrets/third/owner"))
	if err != nil {
		t.Fatal(err)
	}
	defer third.Close(t.Context()) //nolint:errcheck // the end of the test
	var sites int
	if err := third.QueryRow(t.Context(), "SELECT count(*) FROM assets.site WHERE organization_id = $1", m.ID).Scan(&sites); err != nil ||
		sites == 0 {
		t.Errorf("%d sites are in the new cell: %v", sites, err)
	}
	if left := m.rows(t, "assets.site"); left["first"]+left["second"] != 0 {
		t.Errorf("sites are left: %v", left)
	}
	m.call(t, 200, "GET", "/v1/sites/"+site, nil)
	if a := send(t, "", "POST", stranger,
		map[string]any{"description": "The chain is broken", "stamp": shown.Object["stamp"]}); a.Status != 201 {
		t.Errorf("a stranger's request after the move: %d %s", a.Status, a.Body)
	}
}

// cellsOf is AMS_CELLS as a program has it.
func cellsOf(program string) (cells string) {
	for _, variable := range product.ProgramEnvironment(program) {
		if value, is := strings.CutPrefix(variable, "AMS_CELLS="); is {
			cells = value
		}
	}
	return cells
}
