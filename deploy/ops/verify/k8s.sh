#!/usr/bin/env bash
# "make verify-k8s": sends every overlay to a real Kubernetes API server, which checks it as it would before storing it
# (--dry-run=server). A warning, of Pod Security for instance, is a failure too. The server and its etcd are private ones
# on loopback addresses, and are gone at the end.
set -euo pipefail
cd "$(dirname "$0")/../../.."

deploy/install.sh etcd
server=$(deploy/tools/build.sh kubernetes)
work=$(mktemp -d)
pids=()
finish() { kill "${pids[@]}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"; }
trap finish EXIT

free_port() { while :; do port=$((20000 + RANDOM % 10000)); (: </dev/tcp/127.0.0.1/$port) 2>/dev/null || { echo $port; return; }; done; }
etcd_port=$(free_port) peer_port=$(free_port) secure_port=$(free_port)

etcd --data-dir "$work/etcd" --listen-client-urls "http://127.0.0.1:$etcd_port" --advertise-client-urls "http://127.0.0.1:$etcd_port" \
  --listen-peer-urls "http://127.0.0.1:$peer_port" --initial-advertise-peer-urls "http://127.0.0.1:$peer_port" \
  --initial-cluster "default=http://127.0.0.1:$peer_port" >"$work/etcd.log" 2>&1 &
pids+=($!)
openssl genrsa -out "$work/accounts.key" 2048 2>/dev/null
token=$(od -An -vtx1 -N16 /dev/urandom | tr -d ' \n')
echo "$token,admin,admin,system:masters" > "$work/tokens"
"$server" kube-apiserver --etcd-servers "http://127.0.0.1:$etcd_port" --bind-address 127.0.0.1 --secure-port "$secure_port" --cert-dir "$work/certificates" \
  --service-account-issuer https://kubernetes.invalid --service-account-key-file "$work/accounts.key" --service-account-signing-key-file "$work/accounts.key" \
  --service-cluster-ip-range 10.255.0.0/24 --token-auth-file "$work/tokens" --authorization-mode RBAC >"$work/server.log" 2>&1 &
pids+=($!)

ctl() { KUBECONFIG=/dev/null kubectl --server "https://127.0.0.1:$secure_port" --insecure-skip-tls-verify --token "$token" "$@"; }
for _ in $(seq 240); do ctl get --raw /readyz >/dev/null 2>&1 && break; sleep 0.5; done
ctl get --raw /readyz >/dev/null || { tail -20 "$work/server.log"; exit 1; }
echo "$(basename "$server") is ready"

ctl create namespace consul >/dev/null
ctl apply -f k8s/base/namespace.yaml >/dev/null
for overlay in local production production-us; do
  (cd deploy/ops/manifests && GOWORK=off go run ./render "../../../k8s/overlays/$overlay") > "$work/$overlay.yaml"
  ctl apply --dry-run=server --validate=true -f "$work/$overlay.yaml" >"$work/response" 2>"$work/complaints" || { cat "$work/complaints"; exit 1; }
  grep -v 'last-applied-configuration' "$work/complaints" > "$work/warnings" || true
  [ ! -s "$work/warnings" ] || { cat "$work/warnings"; echo "FAILED: the server warns about $overlay" >&2; exit 1; }
  echo "$overlay: $(wc -l < "$work/response") objects accepted, no warning"
done
ctl apply --dry-run=server --validate=true -f k8s/consul/agent-service.yaml -f k8s/consul/network.yaml
