#!/usr/bin/env bash
# "make verify-cluster": makes a cluster of two nodes on this machine (up.sh), rolls k8s/overlays/local out to it with its own scripts, and
# does to it what happens to clusters, while callers read and write: roll-outs, changed settings, migrations, drains, kills, bad input.
# Prints a table of acts, and ends with 1 on a broken promise. Everything it made is removed at the end, also after Ctrl-C.
# RATE is the requests a second (200); 60 while there are two of everything, for which two cores do not suffice. KEEP=1 leaves the cluster;
# with SECTIONS="two deaths", for instance, these alone are tried then on a cluster that was left: changes refused regions two nodes deaths.
set -euo pipefail
source "$(dirname "$0")/settings.sh"
cd "$checkout"
PATH="$cluster/bin:$PATH"
rate="${RATE:-200}"
work="$(mktemp -d)"
rows=() broken=0 from=
say() { printf '\n--- %s (%s s)\n' "$*" "$SECONDS"; }
fail() { echo "FAILED: $*" >&2; exit 1; }
ams() { kubectl -n ams "$@"; }
component=app.kubernetes.io/component

forward= # the processes that keep a way to the ports of gateways
stop_forward() {
  [ -n "$forward" ] || return 0
  # shellcheck disable=SC2046,SC2086
  kill $forward $(pgrep -P "${forward// /,}") 2>/dev/null || true # the loops, and what they run
  forward=
}
finish() {
  status=$?
  if [ $status -ne 0 ]; then
    tail -40 "$work/act.log" 2>/dev/null || true
    kubectl get pods -A -o wide || true
    ams get events --field-selector type=Warning --sort-by=.lastTimestamp | tail -20 || true
  fi
  [ ${#rows[@]} -eq 0 ] || table
  stop_forward
  if [ -z "${KEEP:-}" ]; then "$cluster/down.sh"; fi # KEEP=1 leaves it for whoever has to find out why
  rm -rf "$work"
  exit $status
}
trap finish EXIT
trap 'exit 130' INT TERM

# begun FROM TO: what became of the requests that began between two moments, once every response has come.
begun() { kubectl get --raw "/api/v1/namespaces/ingress-nginx/pods/load:9000/proxy/begun?from=$1&to=$2"; }
# act NAME none|sudden|gateway|node|outage COMMAND…: does it under load, and notes what became of the requests since the act before, or since it
# began. A 503 is what the product says, a 502 what an Ingress says of a request that waited for a gateway that is gone.
#   none: no request fails   sudden: at most 0.5 %, each a 503   outage: as long as it lasts, each a 503
#   gateway: at most 0.5 %, each a 503 or 502   node: at most 0.5 % a 503; a 502 what waits for its gateway, for 3 s
act() {
  local name=$1 promise=$2 ended requests failed cut others longest outcomes example verdict=kept promised before=$SECONDS
  shift 2
  echo "· $name"
  [ -n "$from" ] || from=$(date +%s.%N)
  if ! "$@" > "$work/act.log" 2>&1; then
    tail -40 "$work/act.log"
    fail "$name does not work"
  fi
  sleep 3
  ended=$(date +%s.%N)
  IFS=$'\t' read -r requests failed cut others longest outcomes example < <(begun "$from" "$ended")
  from=$ended
  case "$promise" in
    none) promised="none failed"; [ "$failed" -eq 0 ] || verdict=BROKEN ;;
    sudden) promised="at most 0.5 %, all 503"; [ $((failed * 200)) -le "$requests" ] && [ $((cut + others)) -eq 0 ] || verdict=BROKEN ;;
    gateway) promised="at most 0.5 %, cut off"; [ $((failed * 200)) -le "$requests" ] && [ "$others" -eq 0 ] || verdict=BROKEN ;;
    node) promised="at most 0.5 %, and 3 s cut off"; [ $(((failed - cut) * 200)) -le "$requests" ] && [ "$cut" -le $((calling * 3 / 2)) ] && [ "$others" -eq 0 ] || verdict=BROKEN ;;
    outage) promised="all 503"; [ $((cut + others)) -eq 0 ] || verdict=BROKEN ;;
  esac
  [ "$requests" -gt 0 ] || { verdict=BROKEN outcomes="no request was made"; }
  [ $verdict = kept ] || broken=1
  rows+=("$name|$((SECONDS - before)) s|$requests|$failed|$promised|$longest ms|$verdict")
  printf '  %s s, %s requests, %s failed, longest %s ms: %s\n' $((SECONDS - before)) "$requests" "$failed" "$longest" "$verdict"
  [ "$failed" -eq 0 ] || printf '  %s; for instance %s\n' "$outcomes" "$example"
}
table() { (echo "act|lasted|requests|failed|promised|longest|verdict"; printf '%s\n' "${rows[@]}") | column -t -s'|'; }
eventually() { # SECONDS WHAT COMMAND…
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || { echo "FAILED: $what: $("$@" 2>&1 | tail -3)" >&2; return 1; }
    sleep 0.5
  done
}
# callers PER-SECOND: from now on there are these.
callers() {
  dismiss
  sed "s/RATE/$1/" "$cluster/load.yaml" | kubectl apply -f - >/dev/null
  kubectl -n ingress-nginx wait --for=condition=Ready pod/load --timeout=30s >/dev/null
  calling=$1
  sleep 10
  from=
}
calling= # how often a second
# dismiss ends the callers, and reads back what was acknowledged to them.
dismiss() {
  if [ -n "$calling" ]; then
    say "everything that was acknowledged"
    kubectl create --raw "/api/v1/namespaces/ingress-nginx/pods/load:9000/proxy/end" -f /dev/null > "$work/end" || broken=1
    cat "$work/end"
    [ "$(wc -l < "$work/end")" -eq 1 ] && ! grep -q '^0 records' "$work/end" || broken=1
    calling=
  fi
  kubectl -n ingress-nginx delete pod load --ignore-not-found --now >/dev/null
}
pod_of() { ams get pods -l "app.kubernetes.io/name=$1,$component=program" --field-selector status.phase=Running --sort-by=.metadata.creationTimestamp -o jsonpath='{.items[-1:].metadata.name}'; }
rolled() { # every program
  local deployment
  for deployment in $(ams get deployment -l "$component=program" -o name); do ams rollout status "$deployment" --timeout=180s; done
}

mapfile -t programs < <(sed -n '/service\.Main(/,/^}/p' deploy/cmd/ams/main.go | grep -o '[a-z]*\.Program' | cut -d. -f1)
here() { nsenter --net="/run/netns/$(namespace 1)" env AMS_BASE_URL=http://127.0.0.1:8080 AMS_OPERATOR_URL=http://127.0.0.1:8081 \
  AMS_OPERATOR_TOKEN="$(ams get secret ams-operator -o jsonpath='{.data.token}' | base64 -d)" AMS_PASSWORD=correct-horse-battery-9 "$@"; }

sections="${SECTIONS:-make changes refused regions two nodes deaths}"
[[ " $sections " != *" make "* ]] || source "$cluster/acts/make.sh"
key=$(cat "$state/key")

# The overlay as somebody who works on it has it.
mkdir "$work/checkout"
cp -r k8s "$work/checkout/"
mine="$work/checkout/k8s"

# The product with a further migration of assets: one that the version before can live with, and one that fails.
variant() { # NAME NUMBER STATEMENT: with the further migrations so far
  printf -- '-- +goose Up\n%s;\n' "$3" > "$work/$2_$1.sql"
  further+=("\"$checkout/services/assets/migrations/$2_$1.sql\": \"$work/$2_$1.sql\"")
  (IFS=,; echo "{\"Replace\": {${further[*]}}}") > "$work/overlay.json"
  compile -overlay "$work/overlay.json" -o "$work/ams-$1" ./deploy/cmd/ams
  "$cluster/image.sh" "$work/ams-$1" "docker.io/library/ams:$1" "$state/programs/amsctl"
}
further=()
tagged() { sed -i "s#{name: ams, newTag: [a-z]*}#{name: ams, newTag: $1}#" "$mine/overlays/local/kustomization.yaml"; }
all_at_once() { ams rollout restart deployment -l "$component=program" && rolled; }

for section in $sections; do
  case "$section" in two | nodes | deaths) want=$((rate * 3 / 10)) ;; *) want=$rate ;; esac
  [ "$section" = make ] || [ "$calling" = "$want" ] || callers "$want"
  # shellcheck disable=SC1090
  [ "$section" = make ] || source "$cluster/acts/$section.sh"
done

dismiss
table
rows=()
[ $broken -eq 0 ] || fail "a promise is broken"
say "passed"
