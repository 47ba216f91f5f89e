package manifests

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// overlays are the places that the system is deployed to.
var overlays = []string{"local", "production", "production-us"}

// kinds are all that k8s/ may use, by the types of the Kubernetes API itself.
var kinds = map[string]func() metav1.Object{
	"v1/Namespace":                           func() metav1.Object { return &corev1.Namespace{} },
	"v1/ConfigMap":                           func() metav1.Object { return &corev1.ConfigMap{} },
	"v1/Service":                             func() metav1.Object { return &corev1.Service{} },
	"v1/ServiceAccount":                      func() metav1.Object { return &corev1.ServiceAccount{} },
	"apps/v1/Deployment":                     func() metav1.Object { return &appsv1.Deployment{} },
	"apps/v1/StatefulSet":                    func() metav1.Object { return &appsv1.StatefulSet{} },
	"batch/v1/Job":                           func() metav1.Object { return &batchv1.Job{} },
	"autoscaling/v2/HorizontalPodAutoscaler": func() metav1.Object { return &autoscalingv2.HorizontalPodAutoscaler{} },
	"policy/v1/PodDisruptionBudget":          func() metav1.Object { return &policyv1.PodDisruptionBudget{} },
	"networking.k8s.io/v1/NetworkPolicy":     func() metav1.Object { return &networkingv1.NetworkPolicy{} },
	"networking.k8s.io/v1/Ingress":           func() metav1.Object { return &networkingv1.Ingress{} },
}

// place is one overlay, rendered and decoded.
type place struct {
	name    string
	yaml    []byte
	objects []metav1.Object
}

var rendered struct {
	sync.Mutex
	places map[string]*place
}

// render gives an overlay as kubectl apply -k would send it. A field that the API does not know fails.
func render(t *testing.T, overlay string) *place {
	t.Helper()
	rendered.Lock()
	defer rendered.Unlock()
	if known := rendered.places[overlay]; known != nil {
		return known
	}
	folder := filepath.Join(root, "k8s/overlays", overlay)
	if overlay == inCells {
		folder = withComponent(t, "add-a-cell.md", "second-cell")
	}
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		t.Fatal(err)
	}
	p := &place{name: overlay}
	for _, resource := range resources.Resources() {
		text, err := resource.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		p.yaml = append(append(p.yaml, "---\n"...), text...)
		kind := resource.GetApiVersion() + "/" + resource.GetKind()
		if kind == "v1/Secret" {
			t.Errorf("%s: %s is a secret: secrets are named in k8s/, and made elsewhere", overlay, resource.GetName())
		}
		create, known := kinds[kind]
		if !known {
			t.Errorf("%s: %s is of a kind (%s) that nothing here checks", overlay, resource.GetName(), kind)
			continue
		}
		object := create()
		if err := yaml.UnmarshalStrict(text, object, yaml.DisallowUnknownFields); err != nil {
			t.Errorf("%s: %s %s: %v", overlay, kind, resource.GetName(), err)
		}
		if object.GetNamespace() != "ams" && kind != "v1/Namespace" {
			t.Errorf("%s: %s %s is in the namespace %q", overlay, kind, resource.GetName(), object.GetNamespace())
		}
		p.objects = append(p.objects, object)
	}
	if rendered.places == nil {
		rendered.places = map[string]*place{}
	}
	rendered.places[overlay] = p
	return p
}

// all gives the objects of one kind by name.
func all[T metav1.Object](p *place) map[string]T {
	found := map[string]T{}
	for _, object := range p.objects {
		if typed, ok := object.(T); ok {
			found[typed.GetName()] = typed
		}
	}
	return found
}

// pods are all pod templates of a place, by the kind and name of what makes them.
func (p *place) pods() map[string]corev1.PodTemplateSpec {
	found := map[string]corev1.PodTemplateSpec{}
	for name, each := range all[*appsv1.Deployment](p) {
		found["Deployment "+name] = each.Spec.Template
	}
	for name, each := range all[*appsv1.StatefulSet](p) {
		found["StatefulSet "+name] = each.Spec.Template
	}
	for name, each := range all[*batchv1.Job](p) {
		found["Job "+name] = each.Spec.Template
	}
	return found
}

// forEach runs a test over every overlay.
func forEach(t *testing.T, test func(t *testing.T, p *place)) {
	entries, err := os.ReadDir(filepath.Join(root, "k8s/overlays"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if strings.Join(names, " ") != strings.Join(overlays, " ") {
		t.Errorf("the overlays are %v", names)
	}
	for _, overlay := range append(slices.Clone(overlays), inCells) {
		t.Run(overlay, func(t *testing.T) { test(t, render(t, overlay)) })
	}
}

// What the local overlay asks for leaves half of a machine with two cores to spare.
func TestTheLocalOverlayAsksForOneCoreAtMost(t *testing.T) {
	p := render(t, "local")
	var asked int64
	for name, pod := range p.pods() {
		if strings.HasPrefix(name, "Job ") { // gone before the programs come
			continue
		}
		for _, container := range pod.Spec.Containers {
			asked += container.Resources.Requests.Cpu().MilliValue()
			if limit := container.Resources.Limits.Cpu(); limit.MilliValue() > 2000 || limit.IsZero() {
				t.Errorf("%s/%s may take %s of two cores", name, container.Name, limit)
			}
		}
	}
	if asked == 0 || asked > 1000 {
		t.Errorf("the pods ask for %d thousandths of a core", asked)
	}
}

// What production asks for and allows is what docs/scale.md reckons with.
func TestTheScalePlanReckonsWithWhatProductionAsksFor(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/scale.md"))
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| ([0-9.]+)[^|]*\\| set \\|").FindAllStringSubmatch(string(text), -1) {
		said[row[1]] = row[2]
	}
	p := render(t, "production")
	found, held := map[string]string{}, 0.0
	for _, program := range programs(t) {
		resources := all[*appsv1.Deployment](p)["ams-"+program].Spec.Template.Spec.Containers[0].Resources
		scaler := all[*autoscalingv2.HorizontalPodAutoscaler](p)["ams-"+program].Spec
		name := "program_request"
		if program == "gateway" || program == "documents" {
			name = program + "_request"
		}
		values := map[string]string{
			name: number(resources.Requests.Cpu().AsApproximateFloat64()), "program_limit": number(resources.Limits.Cpu().AsApproximateFloat64()),
			"scaled_at": number(float64(*scaler.Metrics[0].Resource.Target.AverageUtilization) / 100),
		}
		if program != "documents" && program != "planning" { // which decode pictures, and have inventories in memory
			values["program_memory"] = number(resources.Limits.Memory().AsApproximateFloat64() / (1 << 20))
			values["asked_memory"] = number(resources.Requests.Memory().AsApproximateFloat64() / (1 << 20))
		}
		if program == "gateway" || program == "assets" {
			values["most_pods"], values["fewest_pods"] = number(float64(scaler.MaxReplicas)), number(float64(*scaler.MinReplicas))
		}
		if !slices.Contains(keepsNothing, program) {
			held++
			values["pool"] = poolOf(t, all[*appsv1.Deployment](p)["ams-"+program].Spec.Template.Spec.Containers[0])
			if program != "gateway" && program != "assets" {
				values["other_most_pods"], values["other_fewest_pods"] = number(float64(scaler.MaxReplicas)), number(float64(*scaler.MinReplicas))
			}
		}
		for name, value := range values {
			if said[name] != value {
				t.Errorf("%s: %s is %s, and %q in docs/scale.md", program, name, value, said[name])
			}
			found[name] = value
		}
	}
	found["database_programs"] = number(held)
	if said["database_programs"] != found["database_programs"] {
		t.Errorf("%s programs have a database, and %q in docs/scale.md", found["database_programs"], said["database_programs"])
	}
	if len(found) != len(said) {
		t.Errorf("docs/scale.md says %v; the manifests %v", said, found)
	}
}

// poolOf is how many connections a container may have: what it is told, or what the configuration has where nothing is said.
func poolOf(t *testing.T, container corev1.Container) string {
	t.Helper()
	for _, variable := range container.Env {
		if variable.Name == "AMS_DATABASE_CONNECTIONS" {
			return variable.Value
		}
	}
	text, err := os.ReadFile(filepath.Join(root, "docs/configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `AMS_DATABASE_CONNECTIONS` \\| `([0-9]+)`").FindStringSubmatch(string(text))
	if row == nil {
		t.Fatal("docs/configuration.md does not say how many connections a program has")
	}
	return row[1]
}

func number(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }
