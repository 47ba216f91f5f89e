#!/usr/bin/env bash
# "make images": makes the image of the product without a container engine, the same bytes from the same commit, into an OCI image layout, and
# prints its digest. Attached are what its programs are made of (CycloneDX) and how it was made (an in-toto statement with SLSA's predicate).
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
compile -o "$work/programs/" ./deploy/cmd/ams ./deploy/cmd/amsctl
for name in amsctl ams; do
  "$cyclonedx" bin -json -noserial -std -version "$AMS_VERSION" -output "$work/$name.sbom" "$work/programs/$name" 2> "$work/log" || { cat "$work/log" >&2; exit 1; }
  # A list that says when it was made would be another one each time.
  jq 'del(.metadata.timestamp)' "$work/$name.sbom" > "$work/$name.sbom.json"
done
jq -n --arg version "$AMS_VERSION" --arg commit "$(git rev-parse HEAD)" --arg go "$(go env GOVERSION)" \
  --arg certificates "$(sha256sum "$AMS_CERTIFICATES" | cut -d' ' -f1)" '{
  _type: "https://in-toto.io/Statement/v1",
  subject: [{name: "ams", digest: {sha256: "IMAGE_SHA256"}}],
  predicateType: "https://slsa.dev/provenance/v1",
  predicate: {
    buildDefinition: {
      buildType: "deploy/ops/images.sh",
      externalParameters: {programs: ["ams", "amsctl"], version: $version},
      internalParameters: {go: $go},
      resolvedDependencies: [{name: "source", digest: {gitCommit: $commit}}, {name: "ca-certificates.crt", digest: {sha256: $certificates}}]
    },
    runDetails: {builder: {id: "deploy/ops/images.sh"}}
  }}' > "$work/provenance"
rm -rf "$folder"
(cd deploy/tools/images && GOWORK=off go build -o "$work/images" .)
"$work/images" make "$folder" ams "$work/provenance" "/amsctl=$work/programs/amsctl=$work/amsctl.sbom.json" "/program=$work/programs/ams=$work/ams.sbom.json"
