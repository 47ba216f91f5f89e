package manifests

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// Compose and Kubernetes are given the rules and the dashboard themselves, not copies of them.
func TestMonitoringIsDeployedFromOneSource(t *testing.T) {
	folder := filepath.Join(root, "deploy/ops/monitoring")
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, resource := range resources.Resources() {
		text, err := resource.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		var made corev1.ConfigMap
		if err := yaml.UnmarshalStrict(text, &made, yaml.DisallowUnknownFields); err != nil || made.Kind != "ConfigMap" ||
			made.Namespace != "observability" {
			t.Errorf("%s in %q: %v", made.Kind, made.Namespace, err)
		}
		for name, content := range made.Data {
			found[made.Name+"/"+name] = content
		}
	}
	for name, file := range map[string]string{"ams-prometheus/alerts.yaml": "alerts.yaml", "ams-prometheus/scrape.yaml": "scrape.yaml",
		"ams-dashboard/ams.json": "dashboard.json"} {
		source, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			t.Fatal(err)
		}
		if found[name] != string(source) {
			t.Errorf("%s is not deploy/ops/monitoring/%s", name, file)
		}
	}

	project := compose(t)
	for service, targets := range map[string][]string{
		"prometheus": {"/etc/prometheus/compose/prometheus.yaml", "/etc/prometheus/monitoring/alerts.yaml"},
		"grafana": {"/etc/grafana/provisioning/datasources/ams.yaml", "/etc/grafana/provisioning/dashboards/ams.yaml",
			"/etc/grafana/dashboards/ams.json"},
	} {
		var mounted []string
		for _, each := range project.Services[service].Configs {
			mounted = append(mounted, each.Target)
			if _, err := os.Stat(project.Configs[each.Source].File); err != nil {
				t.Errorf("%s: %v", service, err)
			}
		}
		if !slices.Equal(mounted, targets) {
			t.Errorf("%s is given %v", service, mounted)
		}
	}
	if !slices.Contains([]string(project.Services["prometheus"].Command), "--config.file=/etc/prometheus/compose/prometheus.yaml") {
		t.Error("Prometheus reads another configuration than the one that it is given")
	}
	for name, file := range map[string]string{"alerts": "deploy/ops/monitoring/alerts.yaml",
		"dashboard": "deploy/ops/monitoring/dashboard.json"} {
		if path, _ := filepath.Abs(filepath.Join(root, file)); project.Configs[name].File != path {
			t.Errorf("the configuration %s is %s", name, project.Configs[name].File)
		}
	}
}

// memoryLimit is what a program may use, in bytes. The documents service has two processes beside it at most, which each
// decode a picture in 512 MiB; planning has inventories of its largest organizations in memory.
func memoryLimit(program string) int64 {
	switch program {
	case "documents":
		return 1536 << 20
	case "planning":
		return 2560 << 20
	}
	return 512 << 20
}

// told is what Go is told of that.
func told(program string) string {
	if program == "planning" {
		return "2300MiB"
	}
	return "440MiB"
}

// Go is told the limit of its container, so that it collects before it is killed; the alert MemoryNearLimit is measured by it.
func TestProgramsKnowTheirMemoryLimit(t *testing.T) {
	project := compose(t)
	for _, program := range programs(t) {
		service := project.Services[program]
		if int64(service.MemLimit) != memoryLimit(program) || service.Environment["GOMEMLIMIT"] == nil ||
			*service.Environment["GOMEMLIMIT"] != told(program) {
			t.Errorf("docker-compose.yml: %s may use %d bytes and is told %v", program, service.MemLimit, service.Environment["GOMEMLIMIT"])
		}
	}
	forEach(t, func(t *testing.T, p *place) {
		for _, program := range programs(t) {
			from := all[*appsv1.Deployment](p)["ams-"+program].Spec.Template.Spec.Containers[0].EnvFrom
			if !slices.ContainsFunc(from, func(from corev1.EnvFromSource) bool {
				return all[*corev1.ConfigMap](p)[from.ConfigMapRef.Name].Data["GOMEMLIMIT"] != ""
			}) {
				t.Errorf("%s is not told its memory limit", program)
			}
		}
		for name, template := range p.pods() {
			for _, container := range template.Spec.Containers {
				setting := ""
				for _, from := range container.EnvFrom {
					setting = cmp.Or(all[*corev1.ConfigMap](p)[from.ConfigMapRef.Name].Data["GOMEMLIMIT"], setting)
				}
				for _, variable := range container.Env { // stands above those
					if variable.Name == "GOMEMLIMIT" {
						setting = variable.Value
					}
				}
				program := strings.TrimPrefix(name, "Deployment ams-")
				if limit := container.Resources.Limits.Memory(); setting != "" && (setting != told(program) || limit.Value() != memoryLimit(program)) {
					t.Errorf("%s may use %s and is told %s", name, limit, setting)
				}
			}
		}
	})
}

// A program's root cannot be written. What waits for slow callers goes to a folder on disk, which has room for what libs/spool takes at
// most and does not count as memory.
func TestProgramsHaveAFolderForTemporaryFiles(t *testing.T) {
	const taken = 4 << 30
	project := compose(t)
	for _, program := range programs(t) {
		volumes := project.Services[program].Volumes
		if !slices.ContainsFunc(volumes, func(v types.ServiceVolumeConfig) bool {
			return v.Type == types.VolumeTypeVolume && v.Target == "/tmp" && !v.ReadOnly
		}) {
			t.Errorf("docker-compose.yml: %s has no folder /tmp: %v", program, volumes)
		}
	}
	forEach(t, func(t *testing.T, p *place) {
		for _, program := range programs(t) {
			pod := all[*appsv1.Deployment](p)["ams-"+program].Spec.Template.Spec
			folder := slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.EmptyDir != nil })
			if folder < 0 || !slices.ContainsFunc(pod.Containers[0].VolumeMounts, func(m corev1.VolumeMount) bool {
				return m.Name == pod.Volumes[folder].Name && m.MountPath == "/tmp" && !m.ReadOnly
			}) {
				t.Errorf("%s has no folder /tmp", program)
				continue
			}
			room, limit := pod.Volumes[folder].EmptyDir, pod.Containers[0].Resources.Limits.StorageEphemeral()
			if room.Medium != corev1.StorageMediumDefault || room.SizeLimit == nil || room.SizeLimit.Value() <= taken ||
				limit.Cmp(*room.SizeLimit) <= 0 {
				t.Errorf("%s may take %v in /tmp and %s in all", program, room, limit)
			}
		}
	})
}
