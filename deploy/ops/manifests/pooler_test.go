package manifests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

// withComponent writes the overlay that a runbook shows for a component of k8s, and gives its folder.
func withComponent(t *testing.T, runbook, component string) string {
	t.Helper()
	folder := t.TempDir()
	text := block(t, runbook, "yaml")
	from, err := filepath.EvalSymlinks(folder)
	if err != nil {
		t.Fatal(err)
	}
	k8s, err := filepath.Abs(filepath.Join(root, "k8s"))
	if err != nil {
		t.Fatal(err)
	}
	way, err := filepath.Rel(from, k8s)
	if err != nil {
		t.Fatal(err)
	}
	// It stands beside production here, so that production stays as it is.
	text = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [" + way + "/overlays/production]\n" +
		strings.ReplaceAll(text, "../../"+component, way+"/"+component)
	if err := os.WriteFile(filepath.Join(folder, "kustomization.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// block gives the first block of a language in a runbook of docs/operations.
func block(t *testing.T, runbook, language string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/operations", runbook))
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(text), "```"+language+"\n")
	block, _, ended := strings.Cut(block, "```")
	if !found || !ended {
		t.Fatalf("docs/operations/%s has no block of %s", runbook, language)
	}
	return block
}

// What the tests run through, and what is installed, are the same settings.
func TestThePoolerHasTheSettingsThatTheTestsHave(t *testing.T) {
	tested, err := os.ReadFile(filepath.Join(root, "libs/pgbouncer/pgbouncer.ini"))
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile(filepath.Join(root, "k8s/pooler/pooler.ini"))
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for name, each := range all[*corev1.ConfigMap](render(t, "production")) {
		if !strings.HasPrefix(name, "ams-pooler") {
			continue
		}
		found = true
		if each.Data["pgbouncer.ini"] != string(tested) {
			t.Error("k8s/pooler/pgbouncer.ini is not libs/pgbouncer/pgbouncer.ini: copy it")
		}
		if !strings.HasPrefix(each.Data["pooler.ini"], "%include /etc/pooler/pgbouncer.ini\n") {
			t.Error("pooler.ini does not begin with the settings that the programs rely on")
		}
	}
	if !found {
		t.Error("the pooler has no configuration")
	}
	for _, name := range regexp.MustCompile(`(?m)^(\w+) =`).FindAllStringSubmatch(string(own), -1) {
		if regexp.MustCompile(`(?m)^` + name[1] + ` =`).Match(tested) {
			t.Errorf("k8s/pooler/pooler.ini sets %s anew", name[1])
		}
	}
	project := compose(t)
	service := project.Services["pooler"]
	for _, config := range service.Configs {
		if want := map[string]string{"/etc/pooler/pgbouncer.ini": "libs/pgbouncer/pgbouncer.ini",
			"/etc/pooler/pooler.ini": "k8s/pooler/pooler.ini"}[config.Target]; want == "" ||
			!strings.HasSuffix(project.Configs[config.Source].File, want) {
			t.Errorf("docker-compose.yml: %s is %s, want %q", config.Target, project.Configs[config.Source].File, want)
		}
	}
	if len(service.Configs) != 2 {
		t.Errorf("docker-compose.yml: the pooler has %d files of configuration", len(service.Configs))
	}
}

// Programs with a database reach the pooler, nobody else does, and the pooler reaches the database alone.
func TestThePoolerStandsBetweenProgramsAndTheDatabase(t *testing.T) {
	p := render(t, "production")
	pooler := p.pods()["Deployment ams-pooler"].Labels
	for name, template := range p.pods() {
		kind, short, _ := strings.Cut(name, " ")
		program := strings.TrimPrefix(short, "ams-")
		want := kind == "Deployment" && program != "search" && program != "collector" && program != "clamd" && program != "pooler"
		got := lets(t, p, networkingv1.PolicyTypeEgress, template.Labels, pooler, 6432) &&
			lets(t, p, networkingv1.PolicyTypeIngress, pooler, template.Labels, 6432)
		if got != want {
			t.Errorf("%s → pooler: allowed %t, wanted %t", name, got, want)
		}
	}
	if !reaches(t, p, pooler, "10.10.0.7", 5432) || reaches(t, p, pooler, "10.10.1.7", 5432) || reaches(t, p, pooler, "93.184.215.14", 443) {
		t.Error("the pooler reaches something else than the database")
	}
}
