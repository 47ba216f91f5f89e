package manifests

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tool gives the path of a pinned tool, which is built into the user's cache folder the first time.
func tool(t *testing.T, name string) string {
	t.Helper()
	build := exec.CommandContext(t.Context(), filepath.Join(root, "deploy/tools/build.sh"), name)
	build.Stderr = os.Stderr
	path, err := build.Output()
	if err != nil {
		t.Fatalf("build %s: %v", name, err)
	}
	return strings.TrimSpace(string(path))
}

// Each overlay is valid by the schema that Kubernetes publishes of its own API.
func TestManifestsFollowTheKubernetesSchema(t *testing.T) {
	schemas, program := tool(t, "kubernetes-schemas"), tool(t, "kubeconform")
	forEach(t, func(t *testing.T, p *place) {
		check := exec.CommandContext(t.Context(), program, "-strict", "-summary", "-schema-location",
			schemas+"/{{.ResourceKind}}{{.KindSuffix}}.json")
		check.Stdin = bytes.NewReader(p.yaml)
		if report, err := check.CombinedOutput(); err != nil || !strings.Contains(string(report), "Invalid: 0, Errors: 0, Skipped: 0") {
			t.Errorf("kubeconform: %v\n%s", err, report)
		}
	})
}

// excused are rules of kube-score that we do not follow, each with the reason.
var excused = []string{
	"container-security-context-user-group-id", // wants ids over 10000 also where an official image has an account of its own
	"container-image-pull-policy",              // a version is never pushed twice: what is on the node already is the same
	"pod-probes-identical",                     // the collector has one health check
	"deployment-has-host-podantiaffinity",      // spread constraints do it, over zones and nodes
	"deployment-replicas",                      // one collector: while it is down spans are dropped, never a request
	"horizontalpodautoscaler-replicas",         // one instance of each is right on one machine; elsewhere it is asserted here
}

func TestManifestsHaveNoLinterErrors(t *testing.T) {
	program := tool(t, "kube-score")
	forEach(t, func(t *testing.T, p *place) {
		arguments := []string{"score", "--kubernetes-version", "v1.34", "--output-format", "ci"}
		for _, rule := range excused {
			arguments = append(arguments, "--ignore-test", rule)
		}
		lint := exec.CommandContext(t.Context(), program, append(arguments, "-")...)
		lint.Stdin = bytes.NewReader(p.yaml)
		report, err := lint.Output()
		if err != nil && len(report) == 0 {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(report)) {
			if strings.HasPrefix(line, "[CRITICAL]") || strings.HasPrefix(line, "[WARNING]") {
				t.Error(strings.TrimSpace(line))
			}
		}
	})
}
