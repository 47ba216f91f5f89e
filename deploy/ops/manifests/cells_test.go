package manifests

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// inCells is the production overlay with a second cell, as docs/operations/add-a-cell.md puts it in.
const inCells = "production with a second cell"

// controlPlane are the programs whose rows are in the first cell alone, as libs/service says.
var controlPlane = []string{"gateway", "console", "mcp"}

// inEachCell are the programs that have a schema in every cell.
func inEachCell(t *testing.T) (all []string) {
	for _, program := range programs(t) {
		if !slices.Contains(keepsNothing, program) && !slices.Contains(controlPlane, program) {
			all = append(all, program)
		}
	}
	return all
}

// The runbook names the programs in every list of its commands.
func TestTheRunbookOfCellsNamesEveryProgram(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/operations/add-a-cell.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(inEachCell(t), " ")
	lists := regexp.MustCompile(`for (?:role|program) in (?:owner )?([a-z ]+); do`).FindAllStringSubmatch(string(text), -1)
	for _, list := range lists {
		if list[1] != all {
			t.Errorf("a list of programs is %q, not %q", list[1], all)
		}
	}
	if len(lists) < 4 {
		t.Errorf("%d lists were found", len(lists))
	}
}

func TestComposeHasASecondCell(t *testing.T) {
	project := compose(t, "deploy/ops/compose/second-cell.yaml")
	checkConfined(t, project)
	checkSecrets(t, project)
	own := inEachCell(t)
	checkMigrations(t, project, "migrate-second", "prepare-second", targetsOf(project.Services["migrate-second"])...)
	if targets := targetsOf(project.Services["migrate-second"]); len(targets) != len(own) {
		t.Errorf("in the second cell are migrated %v, not %v", targets, own)
	}
	if !hasSecret(project.Services["migrate-second"].Secrets, "second-owner_database_url", "owner_database_url") {
		t.Error("migrate-second does not migrate as the owner there")
	}
	for _, program := range programs(t) {
		service := project.Services[program]
		migrates := slices.Contains(targetsOf(project.Services["migrate-second"]), program)
		has := service.Environment["AMS_CELLS_FILE"] != nil
		if want := slices.Contains(own, program); migrates != want || has != want {
			t.Errorf("%s: migrates in the second cell: %t, has its address: %t, wanted %t", program, migrates, has, want)
			continue
		} else if !want {
			continue
		}
		if *service.Environment["AMS_CELLS_FILE"] != "/run/secrets/cells" || secretAt(service, "/run/secrets/cells") != "cells/"+program ||
			secretAt(service, "/run/secrets/database_url") != "databases/"+program {
			t.Errorf("%s: does not read its addresses: %v", program, service.Volumes)
		}
		for _, waitsFor := range []string{"migrate-second", "migrate"} {
			if service.DependsOn[waitsFor].Condition != types.ServiceConditionCompletedSuccessfully {
				t.Errorf("%s: does not wait for %s", program, waitsFor)
			}
		}
		if !slices.Contains([]string(project.Services["prepare-second"].Command), "/run/databases/"+program) {
			t.Errorf("prepare-second does not make the role of %s", program)
		}
	}
	if first, second := project.Services["postgres"], project.Services["postgres-second"]; first.Image != second.Image ||
		first.Volumes[0].Source == second.Volumes[0].Source {
		t.Errorf("the servers are %s on %s, and %s on %s", first.Image, first.Volumes[0].Source, second.Image, second.Volumes[0].Source)
	}
}

func targetsOf(job types.ServiceConfig) []string { return job.Command[1:] }

func hasSecret(all []types.ServiceSecretConfig, source, target string) bool {
	return slices.ContainsFunc(all, func(s types.ServiceSecretConfig) bool { return s.Source == source && s.Target == target })
}

// Each program has its own AMS_CELLS, is migrated in both databases by the same image, and reaches both.
func TestKubernetesHasASecondCell(t *testing.T) {
	p := render(t, inCells)
	own := inEachCell(t)
	prepare := all[*batchv1.Job](p)["ams-prepare"].Spec.Template.Spec
	checkSecond(t, "ams-prepare", prepare, "ams-database-second-admin")
	for _, program := range programs(t) {
		pod := all[*appsv1.Deployment](p)["ams-"+program].Spec.Template
		if got, want := slices.Contains(secretsOf(pod.Spec, "secrets"), "ams-cells-"+program), slices.Contains(own, program); got != want {
			t.Errorf("%s: is given its further cells: %t, wanted %t", program, got, want)
		}
		if !slices.Contains(own, program) {
			if job := all[*batchv1.Job](p)["ams-migrate-"+program]; job != nil && len(job.Spec.Template.Spec.Containers) != 1 {
				t.Errorf("%s: is migrated in the second cell", program)
			}
			continue
		}
		if !slices.ContainsFunc(pod.Spec.Containers[0].Env, func(e corev1.EnvVar) bool { return e.Name == "AMS_CELLS_FILE" }) {
			t.Errorf("%s: does not read its further cells", program)
		}
		for _, address := range []string{"10.10.0.7", "10.10.3.7"} {
			if !reaches(t, p, pod.Labels, address, 5432) {
				t.Errorf("%s: does not reach %s", program, address)
			}
		}
		checkSecond(t, "ams-migrate-"+program, all[*batchv1.Job](p)["ams-migrate-"+program].Spec.Template.Spec, "ams-database-second-owner")
		if file := "/run/secrets/ams/" + program; !slices.Contains(prepare.Containers[1].Args, file) ||
			!slices.Contains(secretsOf(prepare, "second"), "ams-database-second-"+program) {
			t.Errorf("the role of %s is not made in the second cell", program)
		}
	}
	for _, program := range controlPlane {
		if slices.Contains(prepare.Containers[1].Args, "/run/secrets/ams/"+program) {
			t.Errorf("%s gets a schema in the second cell", program)
		}
	}
}

// checkSecond says whether a job does the same once more with the secrets of the second database, and with no other.
func checkSecond(t *testing.T, name string, pod corev1.PodSpec, secret string) {
	t.Helper()
	if len(pod.Containers) != 2 {
		t.Errorf("%s: %d containers", name, len(pod.Containers))
		return
	}
	first, second := pod.Containers[0], pod.Containers[1]
	if first.Image != second.Image || first.VolumeMounts[0].Name != "secrets" || second.VolumeMounts[0].Name != "second" ||
		!slices.Contains(secretsOf(pod, "second"), secret) {
		t.Errorf("%s: %s runs %s with %v", name, second.Name, second.Image, secretsOf(pod, second.VolumeMounts[0].Name))
	}
	for _, one := range secretsOf(pod, "second") {
		if !strings.HasPrefix(one, "ams-database-second-") {
			t.Errorf("%s: %s is given %s", name, second.Name, one)
		}
	}
}

func secretsOf(pod corev1.PodSpec, volume string) (names []string) {
	for _, each := range pod.Volumes {
		if each.Name == volume && each.Projected != nil {
			for _, source := range each.Projected.Sources {
				names = append(names, source.Secret.Name)
			}
		}
	}
	return names
}
