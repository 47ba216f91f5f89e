#!/usr/bin/env bash
# Tries from the network of every pod to every port of the product, and holds what is open against what the manifests say: the policies of
# the programs, and for the stores the list below. From a stranger and from where an Ingress is, too. Ends with 1 on a difference.
set -euo pipefail
source "$(dirname "$0")/settings.sh"
PATH="$cluster/bin:$PATH"
kubectl -n ams get networkpolicies -o json > "$state/policies.json"
kubectl get pods -A -o json > "$state/pods.json"

# What the policies of the programs say, as "caller target port".
jq -r '.items[] | select(.spec.policyTypes | index("Ingress")) | .spec.podSelector.matchLabels["app.kubernetes.io/name"] as $target | select($target)
  | .spec.ingress[] | .ports[].port as $port | .from[].podSelector.matchExpressions[]?.values[] | "\(.) \($target) \($port)"' "$state/policies.json" > "$state/ways"
# pods FILTER: "namespace uid address", of one running pod each.
pods() { jq -r ".items[] | select(.status.phase == \"Running\" and .metadata.deletionTimestamp == null) | select($1) | [.metadata.namespace, .metadata.uid, .status.podIP] | @tsv" "$state/pods.json" | head -1; }
labelled() { pods ".metadata.namespace == \"ams\" and .metadata.labels[\"app.kubernetes.io/name\"] == \"$1\""; }
reach() { # UID ADDRESS…
  local uid=$1
  shift
  nsenter --target "$(processes "$uid" | head -1)" --net "$state/programs/load" reach "$@"
}

mapfile -t programs < <(jq -r '.items[] | select(.metadata.labels["app.kubernetes.io/component"] == "program") | .metadata.labels["app.kubernetes.io/name"]' "$state/pods.json" | sort -u)
declare -A uid address
targets=() # "name port"
for name in "${programs[@]}" collector postgres redis objects; do
  IFS=$'\t' read -r _ uid[$name] address[$name] < <(labelled "$name")
done
for name in "${programs[@]}"; do targets+=("$name 8080"); done
targets+=("gateway 8081" "postgres 5432" "redis 6379" "objects 7070" "collector 4318" "agent 8500" "agent 8301" "server 8500" "server 8300")
IFS=$'\t' read -r _ uid[agent] address[agent] < <(pods '.metadata.namespace == "consul" and .metadata.labels.component == "client" and .spec.nodeName == "node-2"')
IFS=$'\t' read -r _ uid[server] address[server] < <(pods '.metadata.namespace == "consul" and .metadata.labels.component == "server"')
IFS=$'\t' read -r _ uid[stranger] _ < <(pods '.metadata.name == "stranger"')
IFS=$'\t' read -r _ uid[ingress] _ < <(pods '.metadata.name == "ingress"')

allowed() { # CALLER TARGET PORT
  case "$2 $3" in
    "postgres 5432") [[ " ${programs[*]} " == *" $1 "* ]] && [ "$1" != search ] ;;
    "redis 6379") [[ $1 == gateway || $1 == requests ]] ;;
    "objects 7070") [ "$1" = documents ] ;;
    "collector 4318" | "agent 8500") [[ " ${programs[*]} " == *" $1 "* ]] ;;
    "gateway 8080") [ "$1" = ingress ] || grep -qx "$1 $2 $3" "$state/ways" ;;
    agent* | server*) false ;;
    *) grep -qx "$1 $2 $3" "$state/ways" ;;
  esac
}

wrong=0 tried=0
for caller in "${programs[@]}" collector stranger ingress; do
  addresses=() names=()
  for target in "${targets[@]}"; do
    [ "${target% *}" != "$caller" ] || continue # a pod always reaches itself
    addresses+=("${address[${target% *}]}:${target#* }")
    names+=("$target")
  done
  mapfile -t found < <(reach "${uid[$caller]}" "${addresses[@]}")
  [ ${#found[@]} -eq ${#names[@]} ] || { echo "$caller cannot be looked through"; exit 1; }
  for i in "${!names[@]}"; do
    want=closed
    # shellcheck disable=SC2086
    if allowed "$caller" ${names[$i]}; then want=open; fi
    tried=$((tried + 1))
    [ "${found[$i]##* }" = $want ] || { echo "$caller → ${names[$i]} is ${found[$i]##* }, and should be $want"; wrong=$((wrong + 1)); }
  done
done
echo "$tried ways tried, $wrong of them not as the manifests say"
[ $wrong -eq 0 ]
