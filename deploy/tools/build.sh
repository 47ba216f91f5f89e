#!/usr/bin/env bash
# Builds a pinned tool from the Go module proxy into the user's cache folder, once, and prints where it is:
#
#   deploy/tools/build.sh consul   →  ~/.cache/ams/consul-1.19.2
#   deploy/tools/build.sh lint     →  ~/.cache/ams/golangci-lint-2.15.0
#   deploy/tools/build.sh jaeger   →  ~/.cache/ams/jaeger-1.62.0, all of Jaeger in one process
#   deploy/tools/build.sh collector  →  ~/.cache/ams/otel-collector-0.139.0, for tests: production runs the official image
#   deploy/tools/build.sh versitygw  →  ~/.cache/ams/versitygw-1.8.0, an S3 server over a folder
#   deploy/tools/build.sh goaws  →  ~/.cache/ams/goaws-0.4.5, an SQS server
#   deploy/tools/build.sh compose | kubeconform | kube-score
#   deploy/tools/build.sh kubernetes  →  ~/.cache/ams/kubernetes-1.34.4, all of Kubernetes' programs in one: kubernetes kube-apiserver, …
#   deploy/tools/build.sh kube-router | coredns | metrics-server, which a cluster has besides
#   deploy/tools/build.sh cyclonedx-gomod | govulncheck | indexdb, which look through our images
#   deploy/tools/build.sh oasdiff, which compares two descriptions of the API | actionlint, which reads .github/workflows
#   deploy/tools/build.sh kubernetes-schemas  →  a folder of JSON schemas, from Kubernetes' own description of its API
#
# A tool is a folder here with a Go module of its own, outside go.work, so that nothing it depends on mixes with
# what the product depends on. Its go.mod and go.sum pin every version; checksums are always verified.
set -euo pipefail

case "${1:-}" in
  consul) name=consul        module=github.com/hashicorp/consul           note="about 7 minutes on two cores, 2 GB of memory" ;;
  lint)   name=golangci-lint module=github.com/golangci/golangci-lint/v2  note="about 2 minutes on two cores" ;;
  jaeger) name=jaeger        module=github.com/jaegertracing/jaeger       note="about 2 minutes on two cores" ;;
  collector)   name=otel-collector  module=go.opentelemetry.io/collector/otelcol  note="about a minute on two cores" ;;
  versitygw)   name=versitygw       module=github.com/versity/versitygw      note="about a minute and a half on two cores" ;;
  goaws)       name=goaws           module=github.com/Admiral-Piett/goaws    note="a few seconds" ;;
  compose)     name=docker-compose  module=github.com/docker/compose/v2  note="about 3 minutes on two cores" ;;
  kubeconform) name=kubeconform     module=github.com/yannh/kubeconform  note="a few seconds" ;;
  kube-score)  name=kube-score      module=github.com/zegl/kube-score    note="about a minute on two cores" ;;
  kubernetes)  name=kubernetes      module=k8s.io/kubernetes             note="about 7 minutes on two cores" ;;
  kube-router) name=kube-router     module=github.com/cloudnativelabs/kube-router/v2  note="about a minute and a half on two cores" ;;
  coredns)     name=coredns         module=github.com/coredns/coredns    note="about a minute on two cores" ;;
  metrics-server) name=metrics-server module=sigs.k8s.io/metrics-server  note="about 2 minutes on two cores" ;;
  cyclonedx-gomod) name=cyclonedx-gomod module=github.com/CycloneDX/cyclonedx-gomod  note="a few seconds" ;;
  govulncheck) name=govulncheck     module=golang.org/x/vuln             note="a few seconds" ;;
  indexdb)     name=vulndb-index    module=golang.org/x/vulndb           note="about a minute on two cores" ;;
  oasdiff)     name=oasdiff         module=github.com/oasdiff/oasdiff       note="about half a minute on two cores" ;;
  actionlint)  name=actionlint      module=github.com/rhysd/actionlint      note="a few seconds" ;;
  kubernetes-schemas) name=kubernetes-schemas module=k8s.io/kubernetes   note="a download of Kubernetes' source" ;;
  *) echo "usage: $0 consul|lint|jaeger|collector|versitygw|goaws|compose|kubeconform|kube-score|kubernetes|kubernetes-schemas|kube-router|coredns|metrics-server|cyclonedx-gomod|govulncheck|indexdb|oasdiff|actionlint" >&2; exit 2 ;;
esac

tools="$(cd "$(dirname "$0")" && pwd)"
folder="$tools/${1%-schemas}"
version=$(awk -v module="$module" '$1 == "require" { $1 = $2; $2 = $3 } $1 == module { sub("^v", "", $2); print $2; exit }' "$folder/go.mod")
package=$(awk '$1 == "tool" { print $2; exit }' "$folder/go.mod") # none: the folder itself is the program
cache="${XDG_CACHE_HOME:-$HOME/.cache}/ams"
target="$cache/$name-$version"

# The schemas are a folder that comes from the module's source; everything else is a program.
make_target() {
  if [ "$name" = kubernetes-schemas ]; then
    source=$(cd "$folder" && GOWORK=off go list -m -f '{{.Dir}}' "$module")
    [ -n "$source" ] || source=$(cd "$folder" && GOWORK=off go mod download -json "$module" | sed -n 's/.*"Dir": "\(.*\)",*/\1/p')
    rm -rf "$target.building"
    mkdir "$target.building"
    (cd "$tools/../ops/manifests" && GOWORK=off go run ./schemas "$source/api/openapi-spec/swagger.json" "$target.building")
  else
    # The build ends with this script, also when the script is killed.
    cd "$folder"
    flags='-s -w'
    if [ "$name" = kubernetes ]; then # its parts refuse each other without a version
      of=k8s.io/component-base/version
      flags+=" -X $of.gitVersion=v$version -X $of.gitMajor=${version%%.*} -X $of.gitMinor=$(cut -d. -f2 <<<"$version")"
    fi
    # Images of these hold nothing else.
    case "$name" in kube-router | coredns | metrics-server) export CGO_ENABLED=0 ;; esac
    GOWORK=off exec setpriv --pdeathsig KILL go build -trimpath -ldflags="$flags" -o "$target.building" "${package:-.}"
  fi
}

if [ ! -x "$target" ]; then
  mkdir -p "$cache"
  exec 9>"$target.lock"
  if ! flock --nonblock 9; then
    echo "$name $version is being built by another process; waiting for it." >&2
    flock 9
  fi
  if [ ! -x "$target" ]; then
    echo "Building $name $version once, for this and every later checkout: $note." >&2
    started=$SECONDS
    exec 8< <(make_target) # ends when it has ended
    builder=$!
    until read -r -t 30 -u 8; do
      [ $? -gt 128 ] || break
      echo "  $name: $((SECONDS - started)) s" >&2
    done
    wait "$builder"
    mv "$target.building" "$target"
    echo "Built $target in $((SECONDS - started)) s." >&2
  fi
fi
echo "$target"
