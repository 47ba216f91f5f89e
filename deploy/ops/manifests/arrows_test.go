package manifests

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// arrows are who calls whom inside the cluster, as ARCHITECTURE.md says. The rest of what a program reaches is the
// same for all: PostgreSQL, Consul, the collector.
var arrows = map[string][]string{
	// forwards, signs people in, merges the trail
	"gateway": {"assets", "users", "workorders", "los", "infrastructure", "projects", "requests", "meters", "forms", "planning", "accounting",
		"documents", "console", "webhooks", "mcp", "search"},
	// refers to people; looks for dependents before a delete; open work; the organizations whose figures it keeps; events
	"assets": {"users", "workorders", "los", "infrastructure", "projects", "requests", "meters", "forms", "planning", "accounting",
		"documents", "webhooks", "gateway-internal"},
	// ends the keys of people who leave; looks for dependents before a team goes; events
	"users": {"gateway-internal", "workorders", "requests", "webhooks"},
	// refers to records of these, and changes them by effects; looks for dependents before a delete; plans of organizations; events
	"workorders": {"assets", "users", "infrastructure", "projects", "requests", "meters", "forms", "documents", "webhooks",
		"gateway-internal"},
	// refers to records, and reads metrics of others; the land area of the organization; events
	"los": {"assets", "users", "workorders", "infrastructure", "documents", "webhooks", "gateway-internal"},
	// refers to sites; open work; looks for dependents before a delete; the organizations whose figures it keeps; events
	"infrastructure": {"assets", "workorders", "los", "projects", "requests", "meters", "forms", "accounting", "documents", "webhooks",
		"gateway-internal"},
	// refers to records of these, changes them by effects; looks for dependents before a delete; events
	"projects": {"assets", "users", "workorders", "infrastructure", "requests", "meters", "accounting", "documents", "webhooks"},
	// refers to records of these; makes work orders; plans of organizations that strangers come to; events
	"requests": {"assets", "users", "workorders", "infrastructure", "documents", "webhooks", "gateway-internal"},
	"meters":   {"assets", "infrastructure", "documents", "webhooks"}, // refers to records of these; events
	// refers to records of these, and changes them by effects; looks for dependents before a delete; events
	"forms": {"assets", "workorders", "infrastructure", "meters", "documents", "webhooks"},
	// refers to price indexes; reads inventories, makes projects of what was chosen; the organizations whose jobs it does; events
	"planning": {"assets", "infrastructure", "projects", "webhooks", "gateway-internal"},
	// refers to records of these; the organizations whose years it closes; events
	"accounting": {"assets", "infrastructure", "projects", "webhooks", "gateway-internal"},
	// asks about the records that documents are on; the organizations whose contents it works on; events
	"documents": {"assets", "workorders", "los", "infrastructure", "projects", "requests", "meters", "forms", "webhooks", "gateway-internal"},
	"webhooks":  {"assets", "gateway-internal"},  // refers to sites; reads the organization's plan
	"mcp":       {"gateway", "gateway-internal"}, // calls the API with the caller's key; looks up the key
	// asks owners for what people look for
	"search":  {"assets", "users", "workorders", "los", "infrastructure", "projects", "requests", "meters", "accounting"},
	"console": {"users", "documents", "webhooks", "mcp", "assets", "search", "gateway-internal"}, // acts for administrators; names of sites
}

// The network lets through these arrows, and no other.
func TestTheNetworkAllowsTheArrowsOnly(t *testing.T) {
	ports := map[string]int32{"gateway": 8080, "gateway-internal": 8081}
	forEach(t, func(t *testing.T, p *place) {
		pods := map[string]map[string]string{}
		for name, template := range p.pods() {
			kind, name, _ := strings.Cut(name, " ")
			if kind == "Deployment" && name != "ams-collector" && name != "ams-clamd" && name != "ams-pooler" {
				pods[strings.TrimPrefix(name, "ams-")] = template.Labels
			}
		}
		for from, fromLabels := range pods {
			for _, to := range append(programs(t), "gateway-internal") {
				if from == to || from == "gateway" && to == "gateway-internal" {
					continue
				}
				port := ports[to]
				if port == 0 {
					port = 8080
				}
				toLabels := pods[strings.TrimSuffix(to, "-internal")]
				allowed := lets(t, p, networkingv1.PolicyTypeEgress, fromLabels, toLabels, port) &&
					lets(t, p, networkingv1.PolicyTypeIngress, toLabels, fromLabels, port)
				if wanted := slices.Contains(arrows[from], to); allowed != wanted {
					t.Errorf("%s → %s: allowed %t, wanted %t", from, to, allowed, wanted)
				}
			}
		}
	})
}

func TestOnlyTheLoadBalancerReachesThePublicPort(t *testing.T) {
	forEach(t, func(t *testing.T, p *place) {
		for name, policy := range all[*networkingv1.NetworkPolicy](p) {
			for _, rule := range policy.Spec.Ingress {
				if len(rule.From) == 0 || len(rule.Ports) == 0 {
					t.Errorf("%s: lets in anybody, or to any port", name)
				}
				for _, peer := range rule.From {
					outside := peer.NamespaceSelector != nil
					if outside && !(name == "gateway" && rule.Ports[0].Port.IntVal == 8080 && len(rule.Ports) == 1) && name != "collector" {
						t.Errorf("%s: lets in another namespace", name)
					}
				}
			}
		}
	})
}

// Every pod is under a policy that forbids by itself, and the database and Redis are reached by those who need them.
func TestNothingIsOpenByDefault(t *testing.T) {
	forEach(t, func(t *testing.T, p *place) {
		policies := all[*networkingv1.NetworkPolicy](p)
		nothing := policies["nothing"]
		if nothing == nil || len(nothing.Spec.PolicyTypes) != 2 || len(nothing.Spec.Ingress)+len(nothing.Spec.Egress) != 0 ||
			fmt.Sprint(nothing.Spec.PodSelector) != fmt.Sprint(metav1.LabelSelector{}) {
			t.Error("not everything is forbidden to begin with")
		}
		for name, template := range p.pods() {
			_, short, _ := strings.Cut(name, " ")
			program := strings.TrimPrefix(strings.TrimPrefix(short, "ams-"), "migrate-")
			ours := slices.Contains(programs(t), program) || program == "prepare"
			if got := applies(t, policies["database"], template.Labels); got != (ours && !slices.Contains(keepsNothing, program)) {
				t.Errorf("%s: reaches the database %t", name, got)
			}
			migration := strings.HasPrefix(name, "Job ")
			reachesConsul := slices.Contains(programs(t), program) && !strings.HasPrefix(name, "Job ") || program == "prepare-consul"
			if got := applies(t, policies["consul"], template.Labels); got != reachesConsul {
				t.Errorf("%s: reaches Consul %t", name, got)
			}
			if got := applies(t, policies["redis"], template.Labels); got != ((program == "gateway" || program == "requests") && !migration) {
				t.Errorf("%s: reaches Redis %t", name, got)
			}
			for _, policy := range []string{"objects", "scanner"} {
				if got := applies(t, policies[policy], template.Labels); got != (program == "documents" && !migration) {
					t.Errorf("%s: is under the policy %s: %t", name, policy, got)
				}
			}
			if got := applies(t, policies["programs"], template.Labels); got != (ours && !migration) {
				t.Errorf("%s: reaches the other programs %t", name, got)
			}
		}
	})
}

// lets says whether the policies of a place let a pod take from, or send to, a peer at a port.
func lets(t *testing.T, p *place, direction networkingv1.PolicyType, pod, peer map[string]string, at int32) bool {
	t.Helper()
	for _, policy := range all[*networkingv1.NetworkPolicy](p) {
		if !applies(t, policy, pod) || !slices.Contains(policy.Spec.PolicyTypes, direction) {
			continue
		}
		if direction == networkingv1.PolicyTypeIngress {
			for _, rule := range policy.Spec.Ingress {
				if among(t, rule.From, peer) && through(rule.Ports, at) {
					return true
				}
			}
			continue
		}
		for _, rule := range policy.Spec.Egress {
			if among(t, rule.To, peer) && through(rule.Ports, at) {
				return true
			}
		}
	}
	return false
}

func applies(t *testing.T, policy *networkingv1.NetworkPolicy, pod map[string]string) bool {
	t.Helper()
	selector, err := metav1.LabelSelectorAsSelector(&policy.Spec.PodSelector)
	if err != nil {
		t.Fatal(err)
	}
	return selector.Matches(labels.Set(pod))
}

// among says whether a pod of our namespace is one of the peers.
func among(t *testing.T, peers []networkingv1.NetworkPolicyPeer, pod map[string]string) bool {
	t.Helper()
	return slices.ContainsFunc(peers, func(peer networkingv1.NetworkPolicyPeer) bool {
		if peer.PodSelector == nil || peer.NamespaceSelector != nil {
			return false
		}
		selector, err := metav1.LabelSelectorAsSelector(peer.PodSelector)
		if err != nil {
			t.Fatal(err)
		}
		return selector.Matches(labels.Set(pod))
	})
}

func through(ports []networkingv1.NetworkPolicyPort, at int32) bool {
	return slices.ContainsFunc(ports, func(each networkingv1.NetworkPolicyPort) bool {
		return each.Port.IntVal == at && (each.Protocol == nil || *each.Protocol == corev1.ProtocolTCP)
	})
}
