#!/usr/bin/env bash
# Makes the images of the cluster without a registry and without Docker, and gives them to containerd of both nodes: ours as the Dockerfile
# makes them, the cluster's own, and one Debian tree that stands in for PostgreSQL, Redis, Consul, clamd, the S3 server and the collector.
#
#   images.sh COREDNS METRICS-SERVER     # programs
set -euo pipefail
source "$(dirname "$0")/settings.sh"
cd "$checkout"
coredns=$1 metrics_server=$2
source "$cluster/image-parts.sh"
begin_images

# Ours, with what Dockerfile says.
programs="$state/programs"
mkdir -p "$programs"
compile -o "$programs/" ./deploy/cmd/ams ./deploy/cmd/amsctl ./deploy/ops/verify/cluster/load
program_image ams "$programs/ams" docker.io/library/ams:local "$programs/amsctl"
program_image load "$programs/load" docker.io/ams/load:local
image load.tar "{$user,\"Entrypoint\":[\"/program\",\"pod\"]}" docker.io/ams/pod:local # what holds the namespaces of a pod
for program in "coredns $coredns" "metrics-server $metrics_server"; do
  mkdir -p "$work/root/tmp"
  install -m 755 "${program#* }" "$work/root/program"
  layer "${program% *}.tar" "$work/root" --owner=0 --group=0
  image "${program% *}.tar" '{"Entrypoint":["/program"]}' "docker.io/ams/${program% *}:local"
  rm -rf "$work/root"
done
import

# The stand-ins, under the names that the manifests have.
tree=$(deploy/ops/verify/base-tree.sh)
layer tree.tar "$tree" --one-file-system --exclude=./proc/* --exclude=./sys/* --exclude=./dev/* --exclude=./var/cache --exclude=./usr/local/go --exclude=./usr/share/doc --exclude=./usr/share/man \
  --exclude=./usr/share/locale --exclude=./usr/local/bin/jaeger --exclude=./usr/bin/prometheus
path='"Env":["PATH=/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/bin:/bin:/sbin:/usr/sbin"]'
stand_in() { # the part before the tag, its settings
  local name
  name=$(grep -rhoE "image: \"?$1:[^\" ,}]+" k8s deploy/ops/verify/cluster/*.yaml | sed 's/^image: "*//' | sort -u | head -1)
  case "$name" in */*) name="docker.io/$name" ;; *) name="docker.io/library/$name" ;; esac
  image tree.tar "$2" "$name"
}
stand_in postgres "{$path,\"Entrypoint\":[\"postgres-entrypoint\"],\"Cmd\":[\"postgres\"]}"
stand_in redis "{$path}"
stand_in versity/versitygw "{$path}"
stand_in clamav/clamav "{$path}"
image tree.tar "{$path,\"Entrypoint\":[\"consul\"]}" docker.io/hashicorp/consul:local
stand_in otel/opentelemetry-collector-contrib "{$path,\"User\":\"10001\",\"Entrypoint\":[\"/usr/local/bin/otelcol\"]}"
import
rm -rf "$work"
