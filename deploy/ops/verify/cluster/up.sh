#!/usr/bin/env bash
# Makes a Kubernetes cluster of two nodes on this machine: real kubelets, containerd, policies that are enforced, names, figures for the
# autoscaler, Consul on it, and our images in it. A node is a process in namespaces of its own. As root; needs Linux with control groups of
# version 1. down.sh takes all of it away. kubectl for it is bin/kubectl here.
set -euo pipefail
source "$(dirname "$0")/settings.sh"
[ "$(id -u)" = 0 ] || { echo "A cluster is made as root." >&2; exit 1; }
[ -d "$groups/cpuset" ] || { echo "This machine has no control groups of version 1." >&2; exit 1; }
cd "$checkout"

say() { printf '\n--- %s (%s s)\n' "$*" "$SECONDS"; }
# eventually SECONDS WHAT COMMAND…
eventually() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || { echo "FAILED: $what" >&2; "$@" >&2 || true; return 1; }
    sleep 0.5
  done
}

say "programs"
deploy/install.sh cluster
declare -A tool
for name in kubernetes kube-router coredns metrics-server; do tool[$name]=$(deploy/tools/build.sh $name); done

"$cluster/down.sh"
mkdir -p "$state/bin"
chmod 711 "$state"
ln -s "${tool[kubernetes]}" "$state/bin/kubernetes"
ln -s "${tool[kube-router]}" "$state/bin/kube-router"
"$cluster/certificates.sh"

say "two nodes"
for node in "${nodes[@]}"; do
  ip netns add "$(namespace "$node")"
  ip -n "$(namespace "$node")" link set lo up
done
ip -n "$(namespace 1)" link add eth0 type veth peer name eth0 netns "$(namespace 2)"
for node in "${nodes[@]}"; do
  ip -n "$(namespace "$node")" addr add "$(address "$node")/24" dev eth0
  ip -n "$(namespace "$node")" link set eth0 up
done
for node in "${nodes[@]}"; do
  other=$((3 - node))
  ip -n "$(namespace "$node")" route add default dev eth0
  ip -n "$(namespace "$node")" route add "10.244.$other.0/24" via "$(address "$other")"
done
"$cluster/start-node.sh" 1
"$cluster/start-node.sh" 2
PATH="$cluster/bin:$PATH"
eventually 60 "the API server is not ready" kubectl get --raw /readyz
eventually 60 "containerd does not answer" inside 1 ctr version
eventually 60 "containerd does not answer" inside 2 ctr version

say "images"
"$cluster/images.sh" "${tool[coredns]}" "${tool[metrics-server]}"

say "what the product stands on"
eventually 60 "the nodes are not ready" kubectl wait --for=condition=Ready --timeout=1s node/node-1 node/node-2
kubectl apply -f "$cluster/system.yaml" >/dev/null
mkdir -p "$state"/volumes/{1..5}
chmod 777 "$state"/volumes/*
sed "s#STATE#$state#" "$cluster/volumes.yaml" | kubectl apply -f - >/dev/null
token=$(cat /proc/sys/kernel/random/uuid)
kubectl -n consul create secret generic consul-bootstrap-acl-token --from-literal=token="$token" >/dev/null
kubectl -n consul create secret generic consul-acl --from-literal=acl.json='{"acl": {"enabled": true, "default_policy": "deny", "tokens": {"initial_management": "'"$token"'", "agent": "'"$token"'"}}}' >/dev/null
kubectl apply -f "$cluster/consul.yaml" -f k8s/consul/agent-service.yaml -f k8s/consul/network.yaml >/dev/null
for workload in -n\ kube-system\ deployment/coredns -n\ kube-system\ deployment/metrics-server -n\ consul\ statefulset/consul-server -n\ consul\ daemonset/consul-client; do
  # shellcheck disable=SC2086
  kubectl rollout status $workload --timeout=120s
done
say "a cluster of two nodes is there"
