package devstack

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const configurationHead = `# Configuration

Environment variables only. Each has a safe default, or the program refuses to start and says which one is wrong; ` + "`ams -help NAME`" + `
lists those of a target. ` + "`AMS_ASSETS_X` is `AMS_X`" + ` of the target ` + "`assets`" + ` alone, where several share a process. A ` +
	`secret may stand in a file instead: ` + "`NAME_FILE`" + ` names it. Written by ` + "`make golden`" + ` from the programs'
own declarations.

` + "`make run`" + ` sets all of these for the programs it starts, and takes ` + "`AMS_PORT`, `AMS_RUN_DIR`, `GATEWAYS`, `INSTANCES`, " +
	"`REGIONS`, `DISCOVERY`" + `,
` + "`WITHOUT`" + ` (a service that is left out, to be started from an editor), ` + "`POOLER`" +
	` (any value: a PgBouncer before PostgreSQL),
` + "`STANDBY`" + ` (any value: a primary and a standby under Patroni), and
` + "`AMS_DATABASE_URL`, `AMS_REDIS_ADDR`, `AMS_CONSUL_ADDR`, `AMS_DOCUMENTS_SCANNER`" + ` of servers to be used instead of its own.

`

// docs/configuration.md says what the programs say of themselves.
func TestGoldenConfiguration(t *testing.T) {
	binaries, err := BuildPrograms()
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	want.WriteString(configurationHead)
	reference := exec.CommandContext(t.Context(), filepath.Join(binaries, programName), "-help=markdown")
	reference.Stdout = &want
	if err := reference.Run(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(filepath.Dir(binaries), "docs", "configuration.md")
	if os.Getenv("AMS_GOLDEN") == "write" {
		if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want.Bytes()) {
		t.Errorf("%s is not what the programs say; \"make golden\" writes it anew", path)
	}
}
