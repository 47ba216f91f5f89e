package manifests

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// The example for CloudNativePG is what docs/operations/fail-over.md says of it. The operator's own schema is not to be had here, so a
// setting that it does not know is not noticed.
func TestTheExampleForCloudNativePGIsWhatTheRunbookSays(t *testing.T) {
	folder := filepath.Join(root, "docs/operations")
	content, err := os.ReadFile(filepath.Join(folder, "cloudnative-pg.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(content, []byte("\n---")) {
		t.Error("it is more than one object")
	}
	var cluster struct {
		APIVersion, Kind string
		Metadata         struct{ Name, Namespace string }
		Spec             struct {
			Instances  int
			PostgreSQL struct {
				Synchronous struct {
					Method         string
					Number         int
					DataDurability string
				}
				Parameters map[string]string
			}
			Bootstrap struct {
				Initdb struct{ Database, Owner string }
			}
		}
	}
	if err := yaml.UnmarshalStrict(content, &map[string]any{}); err != nil { // a key that is given twice
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(content, &cluster); err != nil {
		t.Fatal(err)
	}
	spec := cluster.Spec
	if cluster.APIVersion != "postgresql.cnpg.io/v1" || cluster.Kind != "Cluster" || spec.Instances != 2 || cluster.Metadata.Namespace != "ams" {
		t.Errorf("it is no primary and a standby: %+v", cluster)
	}
	if s := spec.PostgreSQL.Synchronous; s.Method != "any" || s.Number != 1 || s.DataDurability != "preferred" {
		t.Errorf("commits do not wait for the standby, or stop without it: %+v", s)
	}
	if spec.PostgreSQL.Parameters["hot_standby_feedback"] != "on" {
		t.Error("long reads at the standby would be cancelled")
	}
	if d := spec.Bootstrap.Initdb; d.Database != "ams" || d.Owner != "ams_owner" {
		t.Errorf("the database is %+v", d)
	}
	runbook, err := os.ReadFile(filepath.Join(folder, "fail-over.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, service := range []string{cluster.Metadata.Name + "-rw:5432", "replica_hosts=" + cluster.Metadata.Name + "-ro:5432"} {
		if !strings.Contains(string(runbook), service) {
			t.Errorf("fail-over.md has no address with %s", service)
		}
	}
}
