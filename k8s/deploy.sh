#!/usr/bin/env bash
# Rolls an overlay out to the cluster that kubectl points to, in the order in which no request fails:
#
#   k8s/deploy.sh production
#
# what the programs stand on → roles and schemas → migrations, which the old programs can live with → the new programs,
# instance by instance. A step that fails ends it: what serves goes on serving.
set -euo pipefail

overlay="${1:?usage: $0 local|production|production-us}"
folder="$(cd "$(dirname "$0")" && pwd)/overlays/$overlay"
whole="$(mktemp)"
trap 'rm -f "$whole"' EXIT
kubectl kustomize "$folder" > "$whole"
component=app.kubernetes.io/component

kubectl apply -f "$whole" -l "$component notin (program, migration, preparation)"
for step in preparation migration; do
  # A finished job cannot be changed to another version; it has nothing to keep.
  kubectl -n ams delete job -l "$component=$step" --ignore-not-found
  jobs=$(kubectl apply -f "$whole" -l "$component=$step" -o name | grep '^job' || true)
  for job in $jobs; do
    kubectl -n ams wait "$job" --for=condition=complete --timeout=30m || { kubectl -n ams logs "$job" --tail 50; exit 1; }
  done
done
kubectl apply -f "$whole" -l "$component=program"
for program in $(kubectl -n ams get deployment -l "$component=program" -o name); do
  kubectl -n ams rollout status "$program" --timeout=10m
done
