#!/usr/bin/env bash
# "make images": makes the images of all programs without a container engine, the same bytes from the same commit, into an OCI image layout, and
# prints their digests. To each is attached what it is made of (CycloneDX) and how it was made (an in-toto statement with SLSA's predicate).
# AMS_VERSION is the release (git describe).
#
#   deploy/ops/images.sh bin/images                                          # the folder is made anew
#   cd deploy/tools/images && GOWORK=off go run . push ../../../bin/images registry.example.ca 1.0.0    # "docker login" before it
set -euo pipefail
checkout="$(cd "$(dirname "$0")/../.." && pwd)"
folder="$(realpath -m "${1:-$checkout/bin/images}")"
cd "$checkout"
source deploy/ops/compile.sh
[ -z "$(git status --porcelain)" ] || { echo "There are changes that are not committed: an image is made of a commit." >&2; exit 1; }
AMS_VERSION="${AMS_VERSION:-$(git describe --tags --always)}"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
AMS_CERTIFICATES="${AMS_CERTIFICATES:-/etc/ssl/certs/ca-certificates.crt}"
export AMS_VERSION SOURCE_DATE_EPOCH AMS_CERTIFICATES
cyclonedx=$(deploy/tools/build.sh cyclonedx-gomod)
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

echo "Compiling the programs." >&2
mkdir "$work/programs"
compile -o "$work/programs/" ./gateway ./services/... ./deploy/cmd/amsctl
all=()
for program in "$work"/programs/*; do
  name=$(basename "$program")
  "$cyclonedx" bin -json -noserial -std -version "$AMS_VERSION" -output "$work/$name.sbom" "$program" 2> "$work/log" || { cat "$work/log" >&2; exit 1; }
  # A list that says when it was made would be another one each time.
  jq 'del(.metadata.timestamp)' "$work/$name.sbom" > "$work/$name.sbom.json"
  jq -n --arg name "ams/$name" --arg version "$AMS_VERSION" --arg commit "$(git rev-parse HEAD)" --arg go "$(go env GOVERSION)" \
    --arg certificates "$(sha256sum "$AMS_CERTIFICATES" | cut -d' ' -f1)" '{
    _type: "https://in-toto.io/Statement/v1",
    subject: [{name: $name, digest: {sha256: "IMAGE_SHA256"}}],
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "deploy/ops/images.sh",
        externalParameters: {program: $name, version: $version},
        internalParameters: {go: $go},
        resolvedDependencies: [{name: "source", digest: {gitCommit: $commit}}, {name: "ca-certificates.crt", digest: {sha256: $certificates}}]
      },
      runDetails: {builder: {id: "deploy/ops/images.sh"}}
    }}' > "$work/$name.provenance"
  all+=("ams/$name=$program=$work/$name.sbom.json=$work/$name.provenance")
done
rm -rf "$folder"
(cd deploy/tools/images && GOWORK=off go build -o "$work/images" .)
"$work/images" make "$folder" "${all[@]}"
