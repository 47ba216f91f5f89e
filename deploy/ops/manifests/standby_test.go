package manifests

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// cluster is what the example for CloudNativePG sets. Names and types were compared with the operator's own schema on 26 November 2026
// (config/crd/bases/postgresql.cnpg.io_clusters.yaml at commit 00547d2b of its repository, which is after 1.25): whoever sets another field
// looks it up there, and adds it here.
type cluster struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
	} `json:"metadata"`
	Spec struct {
		Instances             int  `json:"instances"`             // at least 1
		EnableSuperuserAccess bool `json:"enableSuperuserAccess"` // false unless it is said
		Bootstrap             struct {
			Initdb struct {
				Database      string `json:"database"`
				Owner         string `json:"owner"`
				Encoding      string `json:"encoding"`
				LocaleCollate string `json:"localeCollate"`
				LocaleCType   string `json:"localeCType"`
				DataChecksums bool   `json:"dataChecksums"`
			} `json:"initdb"`
		} `json:"bootstrap"`
		PostgreSQL struct {
			Synchronous struct {
				Method         string `json:"method"`         // any or first
				Number         int    `json:"number"`         // above 0
				DataDurability string `json:"dataDurability"` // required or preferred; required unless it is said
			} `json:"synchronous"`
			Parameters map[string]string `json:"parameters"` // texts, so a number stands in quotes
		} `json:"postgresql"`
		Affinity struct {
			EnablePodAntiAffinity bool   `json:"enablePodAntiAffinity"`
			PodAntiAffinityType   string `json:"podAntiAffinityType"` // preferred or required
			TopologyKey           string `json:"topologyKey"`
		} `json:"affinity"`
		Storage struct {
			Size string `json:"size"`
		} `json:"storage"`
		Resources corev1.ResourceRequirements `json:"resources"`
	} `json:"spec"`
}

// The example for CloudNativePG has no field that the operator does not know, and is what docs/operations/fail-over.md says of it.
func TestTheExampleForCloudNativePGIsWhatTheRunbookSays(t *testing.T) {
	folder := filepath.Join(root, "docs/operations")
	content, err := os.ReadFile(filepath.Join(folder, "cloudnative-pg.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(content, []byte("\n---")) {
		t.Error("it is more than one object")
	}
	var cluster cluster
	if err := yaml.UnmarshalStrict(content, &cluster, yaml.DisallowUnknownFields); err != nil {
		t.Fatal(err)
	}
	spec := cluster.Spec
	if cluster.APIVersion != "postgresql.cnpg.io/v1" || cluster.Kind != "Cluster" || spec.Instances != 2 ||
		cluster.Metadata.Namespace != "ams" {
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
	if a := spec.Affinity; !a.EnablePodAntiAffinity || a.PodAntiAffinityType != "required" || a.TopologyKey != "topology.kubernetes.io/zone" {
		t.Errorf("primary and standby may be lost together: %+v", a)
	}
	if !spec.EnableSuperuserAccess {
		t.Error("amsctl database prepare has no administrator")
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
