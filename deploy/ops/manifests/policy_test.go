package manifests

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// image is the one image of each overlay; the other places are production's with something more.
var (
	image    = map[string]string{"local": "ams:local", "production": "registry.example.ca/ams:0.1.0"}
	regionOf = map[string]string{"production-us": "production", inCells: "production"}
)

func TestEveryProgramRunsEverywhere(t *testing.T) {
	forEach(t, func(t *testing.T, p *place) {
		deployments, scalers, budgets, jobs := all[*appsv1.Deployment](p), all[*autoscalingv2.HorizontalPodAutoscaler](p),
			all[*policyv1.PodDisruptionBudget](p), all[*batchv1.Job](p)
		for _, program := range programs(t) {
			name := "ams-" + program
			deployment, scaler, budget := deployments[name], scalers[name], budgets[name]
			if deployment == nil || scaler == nil || budget == nil {
				t.Errorf("%s: deployment %t, autoscaler %t, disruption budget %t", name, deployment != nil, scaler != nil, budget != nil)
				continue
			}
			container := deployment.Spec.Template.Spec.Containers[0]
			if container.Image != image[cmp.Or(regionOf[p.name], p.name)] || len(container.Command) != 0 ||
				!slices.Equal(container.Args, []string{"serve", program}) {
				t.Errorf("%s runs %v %v of the image %s", name, container.Command, container.Args, container.Image)
			}
			if deployment.Spec.Replicas != nil {
				t.Errorf("%s: the number of instances is fixed, and would undo the autoscaler's with each rollout", name)
			}
			target := scaler.Spec.ScaleTargetRef
			if target.Kind != "Deployment" || target.Name != name || *scaler.Spec.MinReplicas >= scaler.Spec.MaxReplicas {
				t.Errorf("%s: autoscaler %+v from %d to %d", name, target, *scaler.Spec.MinReplicas, scaler.Spec.MaxReplicas)
			}
			if p.name != "local" && *scaler.Spec.MinReplicas < 2 {
				t.Errorf("%s: one instance only", name)
			}
			selects(t, name+"'s disruption budget", budget.Spec.Selector, deployment.Spec.Template.Labels)
			migration := jobs[("ams-migrate-" + program)]
			if migrates := p.name != "production-us" && !slices.Contains(keepsNothing, program); migrates != (migration != nil) {
				t.Errorf("%s: migration %t; the data lives in Canada", name, migration != nil)
			} else if migrates {
				for _, each := range migration.Spec.Template.Spec.Containers {
					if each.Image != container.Image || len(each.Command) != 0 || !slices.Equal(each.Args, []string{"migrate", program}) {
						t.Errorf("%s: is migrated by %v of %s", name, each.Args, each.Image)
					}
				}
			}
		}
	})
}

// Nothing runs with more rights than it needs: what Kubernetes calls "restricted", and a root that cannot be written.
func TestPodsAreConfined(t *testing.T) {
	forEach(t, func(t *testing.T, p *place) {
		if level := all[*corev1.Namespace](p)["ams"].Labels["pod-security.kubernetes.io/enforce"]; level != "restricted" {
			t.Errorf("the namespace enforces %q", level)
		}
		for name, template := range p.pods() {
			pod := template.Spec
			if pod.HostNetwork || pod.HostPID || pod.HostIPC || pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
				t.Errorf("%s: reaches into its node or the cluster", name)
			}
			if c := pod.SecurityContext; c == nil || c.RunAsNonRoot == nil || !*c.RunAsNonRoot || c.RunAsUser == nil || *c.RunAsUser == 0 ||
				c.SeccompProfile == nil || c.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
				t.Errorf("%s: runs as root or without a profile", name)
			}
			for _, container := range slices.Concat(pod.InitContainers, pod.Containers) {
				c := container.SecurityContext
				if c == nil || c.AllowPrivilegeEscalation == nil || *c.AllowPrivilegeEscalation || c.ReadOnlyRootFilesystem == nil ||
					!*c.ReadOnlyRootFilesystem || c.Capabilities == nil || !slices.Contains(c.Capabilities.Drop, "ALL") {
					t.Errorf("%s: %s may do more than it needs", name, container.Name)
				}
				for _, resource := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage} {
					requested, limit := container.Resources.Requests[resource], container.Resources.Limits[resource]
					if requested.IsZero() || limit.IsZero() || requested.Cmp(limit) > 0 {
						t.Errorf("%s: %s asks for %s of %s, at most %s", name, container.Name, &requested, resource, &limit)
					}
				}
				if !pinned(container.Image) {
					t.Errorf("%s: %s is not pinned", name, container.Image)
				}
			}
			for _, volume := range pod.Volumes {
				if volume.HostPath != nil {
					t.Errorf("%s: mounts a folder of its node", name)
				}
			}
		}
	})
}

// amsctlSecrets are what the jobs that prepare are given for amsctl, and no program declares.
var amsctlSecrets = map[string]string{"Job ams-prepare": "AMS_ADMIN_DATABASE_URL_FILE",
	"Job ams-prepare-consul": "AMS_CONSUL_MANAGEMENT_TOKEN_FILE"}

func TestEnvironmentsAreDeclaredAndSecretsComeFromFiles(t *testing.T) {
	forEach(t, func(t *testing.T, p *place) {
		maps := all[*corev1.ConfigMap](p)
		for name, template := range p.pods() {
			for _, container := range template.Spec.Containers {
				environment := map[string]string{}
				for _, from := range container.EnvFrom {
					if from.ConfigMapRef == nil || maps[from.ConfigMapRef.Name] == nil {
						t.Errorf("%s: takes its environment from what is not there: %+v", name, from)
						continue
					}
					for key, value := range maps[from.ConfigMapRef.Name].Data {
						environment[key] = value
					}
				}
				for _, each := range container.Env {
					environment[each.Name] = each.Value
				}
				delete(environment, amsctlSecrets[name])
				checkSettings(t, name, environment)
				checkFiles(t, name, template.Spec, container, environment)
			}
		}
	})
}

// checkFiles says whether each file that the environment names is mounted from a secret.
func checkFiles(t *testing.T, name string, pod corev1.PodSpec, container corev1.Container, environment map[string]string) {
	t.Helper()
	mounted := map[string]bool{}
	for _, mount := range container.VolumeMounts {
		for _, volume := range pod.Volumes {
			if volume.Name != mount.Name || volume.Projected == nil {
				continue
			}
			for _, source := range volume.Projected.Sources {
				for _, item := range source.Secret.Items {
					mounted[mount.MountPath+"/"+item.Path] = true
				}
			}
		}
	}
	wanted := map[string]bool{}
	for variable, path := range environment {
		if strings.HasPrefix(variable, "AMS_") && strings.HasSuffix(variable, "_FILE") {
			wanted[path] = true
			if !mounted[path] {
				t.Errorf("%s: %s names %s, which is not mounted", name, variable, path)
			}
		}
	}
	for path := range mounted {
		if len(wanted) > 0 && !wanted[path] && !slices.Contains(container.Args, path) && amsctlSecrets[name] == "" {
			t.Errorf("%s: is given %s and has no use for it", name, path)
		}
	}
}

// Each program is given its own token, which Consul learns before; nothing but the job that has it learn is given the one that may do
// everything there.
func TestEachProgramHasItsOwnTokenForConsul(t *testing.T) {
	forEach(t, func(t *testing.T, p *place) {
		prepare := all[*batchv1.Job](p)["ams-prepare-consul"]
		for _, program := range programs(t) {
			pod := all[*appsv1.Deployment](p)["ams-"+program].Spec.Template.Spec
			for _, secret := range secretsOf(pod, "secrets") {
				if strings.HasPrefix(secret, "ams-consul-") && secret != "ams-consul-"+program {
					t.Errorf("%s: is given %s", program, secret)
				}
			}
			if !slices.Contains(secretsOf(pod, "secrets"), "ams-consul-"+program) {
				t.Errorf("%s: has no token", program)
			}
			if prepare != nil && (!slices.Contains(prepare.Spec.Template.Spec.Containers[0].Args, program+"=/run/secrets/ams/"+program) ||
				!slices.Contains(secretsOf(prepare.Spec.Template.Spec, "secrets"), "ams-consul-"+program)) {
				t.Errorf("Consul does not learn the token of %s", program)
			}
		}
		for name, template := range p.pods() {
			if slices.Contains(secretsOf(template.Spec, "secrets"), "ams-consul-management") != (name == "Job ams-prepare-consul") {
				t.Errorf("%s: the management token", name)
			}
		}
	})
}

// A rollout fails no request: the new instance is ready first, the old one has the time to finish.
func TestRolloutsLetRequestsFinish(t *testing.T) {
	forEach(t, func(t *testing.T, p *place) {
		for _, program := range programs(t) {
			deployment := all[*appsv1.Deployment](p)["ams-"+program]
			rolling := deployment.Spec.Strategy.RollingUpdate
			if deployment.Spec.Strategy.Type != appsv1.RollingUpdateDeploymentStrategyType || rolling == nil ||
				rolling.MaxUnavailable.IntValue() != 0 || rolling.MaxSurge.IntValue() < 1 {
				t.Errorf("%s: %+v", program, deployment.Spec.Strategy)
			}
			pod := deployment.Spec.Template.Spec
			container := pod.Containers[0]
			drain := 20 * time.Second
			for _, from := range container.EnvFrom {
				if value := all[*corev1.ConfigMap](p)[from.ConfigMapRef.Name].Data["AMS_DRAIN_TIMEOUT"]; value != "" {
					var err error
					if drain, err = time.ParseDuration(value); err != nil {
						t.Fatal(err)
					}
				}
			}
			before := time.Duration(0)
			if container.Lifecycle != nil && container.Lifecycle.PreStop != nil && container.Lifecycle.PreStop.Sleep != nil {
				before = time.Duration(container.Lifecycle.PreStop.Sleep.Seconds) * time.Second
			}
			if program == "gateway" && before < 5*time.Second {
				t.Error("gateway: stops before the load balancer has heard of it")
			}
			// Background work and telemetry take two seconds each after the drain.
			if grace := time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second; grace < before+drain+5*time.Second {
				t.Errorf("%s: is killed %s after SIGTERM; it needs %s before, %s to drain and 5 s to end", program, grace, before, drain)
			}
			for probe, path := range map[*corev1.Probe]string{container.LivenessProbe: "/livez", container.ReadinessProbe: "/readyz",
				container.StartupProbe: "/livez"} {
				if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Path != path {
					t.Errorf("%s: no probe of %s", program, path)
				}
			}
			spread := map[string]bool{}
			for _, constraint := range pod.TopologySpreadConstraints {
				spread[constraint.TopologyKey] = true
				selects(t, program+"'s spread", constraint.LabelSelector, deployment.Spec.Template.Labels)
			}
			if !spread["topology.kubernetes.io/zone"] || !spread["kubernetes.io/hostname"] {
				t.Errorf("%s: is not spread over zones and nodes", program)
			}
		}
	})
}

// Selectors find what they are meant to find, and nothing of another program.
func TestSelectorsMatchOneProgram(t *testing.T) {
	forEach(t, func(t *testing.T, p *place) {
		for name, service := range all[*corev1.Service](p) {
			var found []string
			for pod, template := range p.pods() {
				if labels.SelectorFromSet(service.Spec.Selector).Matches(labels.Set(template.Labels)) && !strings.HasPrefix(pod, "Job ") {
					found = append(found, pod)
				}
			}
			if len(found) != 1 {
				t.Errorf("the service %s leads to %v", name, found)
			}
		}
		for name, deployment := range all[*appsv1.Deployment](p) {
			for job, each := range all[*batchv1.Job](p) {
				selector, err := metav1.LabelSelectorAsSelector(deployment.Spec.Selector)
				if err != nil {
					t.Fatal(err)
				}
				if selector.Matches(labels.Set(each.Spec.Template.Labels)) {
					t.Errorf("the deployment %s takes the pods of the job %s for its own", name, job)
				}
			}
		}
	})
}

func selects(t *testing.T, what string, by *metav1.LabelSelector, pod map[string]string) {
	t.Helper()
	selector, err := metav1.LabelSelectorAsSelector(by)
	if err != nil || selector.Empty() || !selector.Matches(labels.Set(pod)) {
		t.Errorf("%s does not select its pods", what)
	}
}
