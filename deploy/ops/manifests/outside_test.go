package manifests

import (
	"net/netip"
	"slices"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
)

// callsOut are the programs that call what is not ours: webhooks the endpoints of customers, mcp the descriptions of assistants.
var callsOut = []string{"mcp", "webhooks"}

// The public internet is open to those who call out, and nothing private with it; to nobody else.
func TestOnlyWhoCallsOutReachesThePublicInternet(t *testing.T) {
	forEach(t, func(t *testing.T, p *place) {
		for _, program := range programs(t) {
			labels := p.pods()["Deployment ams-"+program].Labels
			for address, open := range map[string]bool{
				"93.184.215.14": true, "2606:2800:21f:cb07:6820:80da:af6b:8b2c": true,
				"127.0.0.1": false, "169.254.169.254": false, "100.100.100.200": false, "fd00::1": false,
			} {
				wanted := open && slices.Contains(callsOut, program)
				if got := reaches(t, p, labels, address, 443); got != wanted {
					t.Errorf("%s → %s: allowed %t, wanted %t", program, address, got, wanted)
				}
			}
			if reaches(t, p, labels, "93.184.215.14", 22) {
				t.Errorf("%s may reach port 22 of anybody", program)
			}
		}
	})
}

// The collector takes from every program, is read by what watches, and calls and serves nobody else.
func TestTheCollectorStandsBetweenProgramsAndWhatWatches(t *testing.T) {
	forEach(t, func(t *testing.T, p *place) {
		collector := p.pods()["Deployment ams-collector"].Labels
		for _, program := range programs(t) {
			labels := p.pods()["Deployment ams-"+program].Labels
			if !lets(t, p, networkingv1.PolicyTypeEgress, labels, collector, 4318) ||
				!lets(t, p, networkingv1.PolicyTypeIngress, collector, labels, 4318) {
				t.Errorf("%s does not reach the collector", program)
			}
			if lets(t, p, networkingv1.PolicyTypeEgress, collector, labels, 8080) &&
				lets(t, p, networkingv1.PolicyTypeIngress, labels, collector, 8080) {
				t.Errorf("the collector reaches %s", program)
			}
		}
		found := map[int32]bool{} // ports that are open between the collector and the namespace of what watches
		for _, policy := range all[*networkingv1.NetworkPolicy](p) {
			if !applies(t, policy, collector) {
				continue
			}
			for _, rule := range policy.Spec.Egress {
				note(found, rule.To, rule.Ports)
			}
			for _, rule := range policy.Spec.Ingress {
				note(found, rule.From, rule.Ports)
			}
		}
		if !found[4317] || !found[8889] {
			t.Errorf("Jaeger or Prometheus is not connected with the collector: %v", found)
		}
		if reaches(t, p, collector, "93.184.215.14", 443) {
			t.Error("the collector reaches the internet")
		}
	})
}

// note adds the ports of a rule that is about the namespace of what watches.
func note(found map[int32]bool, peers []networkingv1.NetworkPolicyPeer, ports []networkingv1.NetworkPolicyPort) {
	for _, peer := range peers {
		if peer.NamespaceSelector != nil && peer.NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"] == "observability" {
			for _, port := range ports {
				found[port.Port.IntVal] = true
			}
		}
	}
}

// reaches says whether a pod may call an address outside the cluster.
func reaches(t *testing.T, p *place, pod map[string]string, address string, at int32) bool {
	t.Helper()
	to := netip.MustParseAddr(address)
	within := func(cidr string) bool { return netip.MustParsePrefix(cidr).Contains(to) }
	for _, policy := range all[*networkingv1.NetworkPolicy](p) {
		if !applies(t, policy, pod) {
			continue
		}
		for _, rule := range policy.Spec.Egress {
			if !slices.ContainsFunc(rule.Ports, func(each networkingv1.NetworkPolicyPort) bool {
				return each.Port.IntVal <= at && at <= max(each.Port.IntVal, valueOr(each.EndPort, 0))
			}) {
				continue
			}
			for _, peer := range rule.To {
				if peer.IPBlock != nil && within(peer.IPBlock.CIDR) && !slices.ContainsFunc(peer.IPBlock.Except, within) {
					return true
				}
			}
		}
	}
	return false
}

func valueOr(value *int32, without int32) int32 {
	if value == nil {
		return without
	}
	return *value
}
