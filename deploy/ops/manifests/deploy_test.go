package manifests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// stubKubectl answers k8s/deploy.sh from the files of its folder, and notes what changes the cluster.
const stubKubectl = `#!/usr/bin/env bash
cd "$(dirname "$0")"
answer() { [ ! -e "$1" ] || cat "$1"; }
[ "$1" != -n ] || shift 2
case "$*" in
  version*) printf 'clientVersion:\n  gitVersion: v%s\n' "$(answer version)" ;;
  kustomize*) answer whole ;;
  "get secrets"*) sed 's#^#secret/#' secrets ;;
  "get pods"*) answer pods ;;
  "get events"*) answer events ;;
  "get job"*) answer job_state ;;
  apply*--dry-run=client*) for name in assets forms gateway los users; do echo deployment.apps/ams-$name; done ;;
  "get replicasets"*) answer replicasets ;;
  "get configmaps"*) answer configmaps ;;
  logs*) answer last_words ;;
  "rollout status"*) answer rollout; [ ! -e rollout_failed ] ;;
  apply*preparation*-o\ name) echo "$*" >> changes; echo job.batch/ams-prepare ;;
  apply*migration*-o\ name) echo "$*" >> changes; echo job.batch/ams-migrate-assets ;;
  apply* | delete*) echo "$*" >> changes ;;
  *) echo "the stub does not know: $*" >&2; exit 1 ;;
esac
`

// deploy runs k8s/deploy.sh local with a stub whose files are these, besides those of a cluster in which all goes well.
func deploy(t *testing.T, files map[string]string) (said, changes string, err error) {
	t.Helper()
	folder := t.TempDir()
	rendered, renderErr := exec.Command("go", "run", "./render", filepath.Join("..", "..", "..", "k8s", "overlays", "local")).Output()
	if renderErr != nil {
		t.Fatal(renderErr)
	}
	all := map[string]string{
		"whole": string(rendered), "version": "1.34.4", "job_state": " Complete ", "rollout": `deployment "ams-assets" successfully rolled out`,
		"secrets": "ams-principal\nams-operator\nams-redis\nams-webhooks\nams-mcp\nams-documents-store\npostgres\nredis\nams-database-admin\n" +
			"ams-database-owner\nams-consul-management\nams-consul-prometheus\nams-consul-search\n",
	}
	for _, role := range []string{"gateway", "assets", "users", "workorders", "los", "infrastructure", "projects", "requests", "meters",
		"forms", "planning", "accounting", "documents", "console", "webhooks", "mcp"} {
		all["secrets"] += "ams-database-" + role + "\nams-consul-" + role + "\n"
	}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "kubectl"), []byte(stubKubectl), 0o755); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	command := exec.Command("../../../k8s/deploy.sh", "local")
	command.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "AMS_DEPLOY_PATIENCE=5", "GOWORK=off")
	out, err := command.CombinedOutput()
	made, readErr := os.ReadFile(filepath.Join(folder, "changes"))
	if readErr != nil && !os.IsNotExist(readErr) {
		t.Fatal(readErr)
	}
	return string(out), string(made), err
}

func TestARollOutThatCannotSucceedEndsWithASentence(t *testing.T) {
	all := "ams-principal\nams-operator\nams-redis\n"
	for name, test := range map[string]struct {
		files   map[string]string
		says    string
		changes string // a change that is not made
	}{
		"an old kubectl": {map[string]string{"version": "1.20.2"}, "kubectl is 1.20, and 1.29 or later is needed", "apply"},
		"a missing secret": {map[string]string{"secrets": all},
			"the namespace ams has no secret ams-consul-accounting, ams-consul-assets,", "apply"},
		"a failed migration": {map[string]string{"job_state": " Failed ", "last_words": "assets: column x exists\n"},
			"job.batch/ams-prepare has failed: assets: column x exists.", "component=program"},
		"an image that cannot be had": {map[string]string{"rollout": "Waiting for deployment",
			"pods": "ams-assets-1\tImagePullBackOff\tBack-off pulling image \"ams/assets:9\"\n"},
			`ams-assets-1 cannot start (ImagePullBackOff): Back-off pulling image "ams/assets:9"`, "delete configmap"},
		"a program that ends": {map[string]string{"rollout": "Waiting for deployment", "pods": "ams-assets-1\tCrashLoopBackOff\tback-off\n",
			"last_words": "AMS_REGION is not set\n"}, "ams-assets-1 starts and ends: AMS_REGION is not set", "delete configmap"},
		"a key that a secret lacks": {map[string]string{"rollout": "Waiting for deployment", "pods": "ams-assets-1\tContainerCreating\t\n",
			"events": "ams-assets-1 cannot start (FailedMount): references non-existent secret key: url\n"},
			"references non-existent secret key: url", "delete configmap"},
		"no place": {map[string]string{"rollout": "Waiting for deployment", "pods": "ams-assets-1\tUnschedulable\t0/2 nodes are available\n"},
			"ams-assets-1 cannot start (Unschedulable): 0/2 nodes are available", "delete configmap"},
		"a program that is never ready": {map[string]string{"rollout": "Waiting for deployment"}, "after 5 s it is not done", "delete configmap"},
		"the deadline of the cluster": {map[string]string{"rollout": `error: deployment "ams-assets" exceeded its progress deadline`,
			"rollout_failed": ""}, "exceeded its progress deadline", "delete configmap"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, changes, err := deploy(t, test.files)
			if err == nil || !strings.Contains(said, "The roll-out has stopped: ") || !strings.Contains(said, test.says) {
				t.Errorf("it ends with %v and says %s", err, said)
			}
			if strings.Contains(changes, test.changes) {
				t.Errorf("it went on: %s", changes)
			}
		})
	}
}

func TestARollOutGoesInOrderAndLeavesNoOldSettings(t *testing.T) {
	said, changes, err := deploy(t, map[string]string{
		"configmaps":  "configmap/ams-common-old\nconfigmap/ams-common-before\n",
		"replicasets": "spec:\n  - configMapRef:\n      name: ams-common-before\n",
	})
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	var order []string
	for line := range strings.Lines(changes) {
		for _, step := range []string{"notin (program", "=preparation -o", "=migration -o", "name in (assets,forms,gateway,los)",
			"name in (users)", "delete configmap/"} {
			if strings.Contains(line, step) {
				order = append(order, step)
			}
		}
	}
	if got, want := strings.Join(order, ", "), "notin (program, =preparation -o, =migration -o, name in (assets,forms,gateway,los), "+
		"name in (users), delete configmap/"; got != want {
		t.Errorf("it did %s, want %s", got, want)
	}
	if !strings.Contains(changes, "delete configmap/ams-common-old") || strings.Contains(changes, "delete configmap/ams-common-before") {
		t.Errorf("of the settings, it changed %s", changes)
	}
}
