#!/usr/bin/env bash
# The version of the product stands once, in the document of the API (gateway/openapi/own.go). What cannot read it there while it is built has a copy:
#
#   deploy/ops/version.sh           prints it; ends with 1 where a copy says something else
#   deploy/ops/version.sh 0.1.0     writes it into all of them ("make release" does)
#
# Images and amsctl take it from AMS_VERSION. The MCP server has a version of its own (services/mcp/CHANGELOG.md): assistants cache its tools by it.
set -euo pipefail
cd "$(dirname "$0")/../.."

# FILE, what stands before the version on its line, what stands behind it. Each line of the file with both is a copy.
copies='gateway/openapi/own.go|    "version": "|",
gateway/documentation_test.go|`"version":"|"
deploy/clients/go/version.go|^const Version = "|"
deploy/clients/go/README.md|ams.internal/clients/go@v|
deploy/clients/python/README.md|ams-client-|\.tar\.gz
deploy/clients/typescript/package.json|^  "version": "|"
deploy/clients/typescript/README.md|ams-client-|\.tgz
deploy/clients/typescript/README.md|ams-typescript/|[`]
docs/guides/first-steps.md|ams-client-|\.t[ga][rz]
docs/guides/first-steps.md|clients/go@v|
docs/guides/premiers-pas.md|ams-client-|\.t[ga][rz]
docs/guides/premiers-pas.md|clients/go@v|
k8s/overlays/production/kustomization.yaml|newName: registry.example.ca/ams, newTag: |}
deploy/ops/manifests/policy_test.go|registry.example.ca/ams:|"'
number='[0-9][0-9]*\.[0-9][0-9]*\.[0-9][0-9]*'
source=gateway/openapi/own.go

if [ $# -gt 0 ]; then
  while IFS='|' read -r file before after; do
    [ ! -f "$file" ] || sed -i "s|\($before\)$number\($after\)|\1$1\2|g" "$file"
  done <<<"$copies"
  lock=deploy/clients/typescript/package-lock.json # names its own package twice
  sed -i "1,10s|\(\"version\": \"\)$number|\1$1|" "$lock"
fi
version=$(sed -n "s|^    \"version\": \"\($number\)\",\$|\1|p" "$source" | head -n 1)
wrong=0
while IFS='|' read -r file before after; do
  [ -f "$file" ] || continue
  found=$(grep -o "$before$number$after" "$file" | grep -o "$number" | sort -u | tr '\n' ' ' || true)
  if [ "$found" != "$version " ]; then
    echo "$file says ${found:-no version }and $source says $version: run deploy/ops/version.sh $version." >&2
    wrong=1
  fi
done <<<"$copies"
echo "$version"
exit $wrong
