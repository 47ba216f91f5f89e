#!/usr/bin/env bash
# Rolls an overlay out to the cluster that kubectl (1.29 or later) points to, in the order in which no request fails:
#
#   k8s/deploy.sh production
#
# what the programs stand on → roles and schemas → migrations, which the old programs can live with → the new programs,
# instance by instance. A step that fails ends it with a sentence that says why: what serves goes on serving.
# AMS_DEPLOY_PATIENCE is how many seconds a roll-out of a program may last (600), and how long a pod may be kept from starting (a fifth).
# AMS_DEPLOY_AT_ONCE is how many programs are rolled out at a time (4).
set -euo pipefail

overlay="${1:?usage: $0 local|production|production-us}"
folder="$(cd "$(dirname "$0")" && pwd)/overlays/$overlay"
patience="${AMS_DEPLOY_PATIENCE:-600}"
at_once="${AMS_DEPLOY_AT_ONCE:-4}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
whole="$work/whole.yaml"
component=app.kubernetes.io/component
ams() { kubectl -n ams "$@"; }
stop() { echo "The roll-out has stopped: $*. What served before goes on serving." >&2; exit 1; }

version=$(kubectl version --client -o yaml | sed -n 's/^  gitVersion: v1\.\([0-9]*\).*/\1/p')
[ "${version:-0}" -ge 29 ] || stop "kubectl is 1.${version:-?}, and 1.29 or later is needed"
[ -d "$folder" ] || stop "there is no overlay $overlay in k8s/overlays"
kubectl kustomize "$folder" > "$whole"

# Of what the programs are given, the secrets are made by somebody else. Without one of them nothing is begun.
ams get secrets -o name > "$work/secrets" || stop "the namespace ams cannot be read"
missing=$(sed -nE 's/.*(secret: \{name:|secretName:) ([a-z0-9-]+).*/\2/p; /^ *- secret:$/,/name:/s/^ *name: ([a-z0-9-]+)$/\1/p' "$whole" | sort -u |
  grep -vxFf <(sed 's#^secret/##' "$work/secrets") | paste -sd ' ' || true)
[ -z "$missing" ] || stop "the namespace ams has no secret ${missing// /, } (docs/operations/deploy.md says what each holds)"

# hindered SELECTOR: why a pod of these cannot start, in words; nothing where none is kept from it.
hindered() {
  ams get pods -l "$1" -o go-template='{{range .items}}{{$pod := .metadata.name}}{{if eq .status.phase "Pending"}}{{range .status.conditions}}{{if and (eq .type "PodScheduled") (eq .status "False")}}{{$pod}}	{{.reason}}	{{.message}}{{"\n"}}{{end}}{{end}}{{end}}{{range .status.containerStatuses}}{{with .state.waiting}}{{$pod}}	{{.reason}}	{{.message}}{{"\n"}}{{end}}{{end}}{{end}}' |
  while IFS=$'\t' read -r pod reason message; do
    case "$reason" in
      ErrImagePull | ImagePullBackOff | ErrImageNeverPull | InvalidImageName | CreateContainerConfigError | CreateContainerError | RunContainerError | Unschedulable)
        echo "$pod cannot start ($reason): $message" ;;
      CrashLoopBackOff)
        echo "$pod starts and ends: $(last_words "pod/$pod")" ;;
      ContainerCreating) # a folder that cannot be mounted is told as an event only
        ams get events --field-selector "involvedObject.name=$pod,type=Warning" -o go-template='{{range .items}}{{if or (eq .reason "FailedMount") (eq .reason "FailedCreatePodSandBox")}}'"$pod"' cannot start ({{.reason}}): {{.message}}{{"\n"}}{{end}}{{end}}' | tail -1 ;;
    esac
  done | head -1
}
# last_words POD|JOB: what it wrote last.
last_words() { ams logs "$1" --tail 1 2>/dev/null || ams logs "$1" --tail 1 --previous 2>/dev/null || echo "it wrote nothing"; }

# until_done SECONDS SELECTOR COMMAND: until the command says "done", with the sentence if it says another thing than "waiting", or if a
# pod of these has been kept from starting for a fifth of the time.
until_done() {
  local seconds=$1 selector=$2 started=$SECONDS since=0 state why told=0
  shift 2
  while :; do
    state=$("$@")
    [ "$state" != "done" ] || return 0
    [ "$state" = waiting ] || stop "$state"
    if why=$(hindered "$selector") && [ -n "$why" ]; then
      [ $since -ne 0 ] || since=$SECONDS
      [ $((SECONDS - since)) -lt $((patience / 5)) ] || stop "$why"
    else
      since=0
    fi
    [ $((SECONDS - started)) -lt "$seconds" ] || stop "after $seconds s it is not done${why:+; $why}"
    if [ $((SECONDS - started - told)) -ge 15 ]; then
      told=$((SECONDS - started))
      echo "  $told s${why:+: $why}"
    fi
    sleep 1
  done
}

job_state() { # NAME
  case " $(ams get "$1" -o jsonpath='{range .status.conditions[?(@.status=="True")]}{.type} {end}') " in
    *" Complete "*) echo "done" ;;
    *" Failed "*) echo "$1 has failed: $(last_words "$1")" ;;
    *) echo waiting ;;
  esac
}

program_state() { # NAME
  local status
  status=$(ams rollout status "$1" --watch=false 2>&1) || { echo "$1 does not become ready: $status"; return; }
  case "$status" in *"successfully rolled out"*) echo "done" ;; *) echo waiting ;; esac
}

kubectl apply -f "$whole" -l "$component notin (program, migration, preparation)"
for step in preparation migration; do
  # A finished job cannot be changed to another version; it has nothing to keep.
  ams delete job -l "$component=$step" --ignore-not-found
  for job in $(kubectl apply -f "$whole" -l "$component=$step" -o name | grep '^job' || true); do
    echo "$job"
    until_done 1800 "batch.kubernetes.io/job-name=${job#*/}" job_state "$job"
  done
done

# Some at a time: each new program has an instance more for a moment, and a cluster need not have the place for all of them at once.
mapfile -t programs < <(kubectl apply -f "$whole" -l "$component=program" --dry-run=client -o name | sed -n 's#^deployment.apps/ams-##p')
for ((first = 0; first < ${#programs[@]}; first += at_once)); do
  some=("${programs[@]:first:at_once}")
  kubectl apply -f "$whole" -l "$component=program,app.kubernetes.io/name in ($(IFS=,; echo "${some[*]}"))"
  for program in "${some[@]}"; do
    echo "deployment.apps/ams-$program"
    until_done "$patience" "$component=program,app.kubernetes.io/name=$program" program_state "deployment.apps/ams-$program"
  done
done

# Settings get a new name with each change. Those stay that this overlay names, and those that "kubectl rollout undo" may go back to.
ams get replicasets -o yaml | cat - "$whole" | sed -nE 's/^ *(- )?name: (ams-[a-z0-9-]+)$/\2/p' | sort -u > "$work/named"
for settings in $(ams get configmaps -l app.kubernetes.io/part-of=ams -o name); do
  grep -qx "${settings#*/}" "$work/named" || ams delete "$settings"
done
