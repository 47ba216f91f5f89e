#!/usr/bin/env bash
# A second region beside the first, as two namespaces of the cluster: a Consul of its own that is joined with the first one's, and the gateway and
# assets of k8s/overlays/production-us. The data and the counts stay in the first region.
set -euo pipefail
source "$(dirname "$0")/../settings.sh"
PATH="$cluster/bin:$PATH"
cd "$checkout"
secret_of() { kubectl -n "$1" get secret "$2" -o "jsonpath={.data.$3}" | base64 -d; } # namespace, name, key

# Consul: that of the first region, with the names of the second.
kubectl apply -f "$cluster/region/home.yaml"
kubectl create namespace consul-us
management=$(secret_of consul consul-bootstrap-acl-token token)
kubectl -n consul-us create secret generic consul-acl \
  --from-literal=acl.json='{"primary_datacenter": "ca-central-1", "acl": {"enabled": true, "default_policy": "deny", "enable_token_replication": true, "tokens": {"agent": "'"$management"'", "replication": "'"$management"'"}}}' \
  --from-literal=server.json='{"retry_join_wan": ["consul-server.consul.svc"], "retry_interval_wan": "2s"}'
sed 's/namespace: consul\b/namespace: consul-us/; s/-datacenter=ca-central-1/-datacenter=us-east-1/; s/consul-\(server\|client\)\.consul\.svc/consul-\1.consul-us.svc/' "$cluster/consul.yaml" | kubectl apply -f -
for file in agent-service network; do
  sed 's/namespace: consul\b/namespace: consul-us/; s/metadata.name: ams}/metadata.name: ams-us}/; s#- ipBlock: {cidr: 10.30.0.0/16}#- namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: consul}}#; s#\[{ipBlock: {cidr: 10.30.0.0/16}}\]#[{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: consul}}}]#' \
    "k8s/consul/$file.yaml" | kubectl apply -f -
done
kubectl -n consul-us rollout status statefulset/consul-server --timeout=60s
kubectl -n consul-us rollout status daemonset/consul-client --timeout=60s

# The same secrets as in the first region, whose stores have longer names from here.
kubectl create namespace ams-us
for secret in ams-principal/secrets ams-operator/token ams-redis/url ams-database-gateway/url ams-database-assets/url ams-consul-gateway/token ams-consul-assets/token; do
  secret_of ams "${secret%/*}" "${secret#*/}" | sed 's#@postgres:#@postgres.ams.svc:#; s#@redis:#@redis.ams.svc:#' > "$state/secret"
  kubectl -n ams-us create secret generic "${secret%/*}" --from-file="${secret#*/}=$state/secret"
  rm "$state/secret"
done
kubectl kustomize "$cluster/region" | kubectl apply -f -
for program in gateway assets; do kubectl -n ams-us rollout status "deployment/ams-$program" --timeout=120s; done
