# Two of every program: a roll-out and the autoscaler.
# shellcheck shell=bash disable=SC2154
say "two of every program"
two() { ams get hpa -o name | xargs -I{} kubectl -n ams patch {} -p '{"spec": {"minReplicas": 2}}' && sleep 20 && rolled; }
act "a second instance of every program" none two
act "all programs rolled out at once, two of each" none all_at_once
gateways() { [ "$(ams get deployment ams-gateway -o jsonpath='{.status.readyReplicas}/{.spec.replicas}')" = "$1/$1" ]; }
# What the callers use is far above a tenth of what a gateway asks for.
more() {
  ams patch hpa ams-gateway -p '{"spec": {"maxReplicas": 3, "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 10}}}]}}' &&
    eventually 120 "there is no third gateway" gateways 3
}
act "the autoscaler adds a third gateway" none more
fewer() { ams patch hpa ams-gateway -p '{"spec": {"maxReplicas": 2}}' && eventually 60 "the third gateway stays" gateways 2 && sleep 15; }
act "the autoscaler takes it away" none fewer
