#!/usr/bin/env bash
# Part of "make check": the go.mod of every module that we write says what its code imports, and modules of the workspace name the same version.
# The tools of deploy/tools are pinned, and have no code of ours to be tidy with.
set -euo pipefail
cd "$(dirname "$0")/../.."
status=0
for module in . libs gateway services deploy deploy/clients/go deploy/ops/manifests; do
  (cd "$module" && GOWORK=off go mod tidy -diff) || { echo "$module/go.mod is not tidy: run (cd $module && GOWORK=off go mod tidy)." >&2; status=1; }
done
twice=$(awk '$1 ~ /\./ && $2 ~ /^v/ {print $1, $2}' libs/go.mod gateway/go.mod services/go.mod deploy/go.mod deploy/clients/go/go.mod | sort -u |
  awk '{n[$1]++; all[$1] = all[$1] " " $2} END {for (m in n) if (n[m] > 1) print m all[m]}')
[ -z "$twice" ] || { printf 'Modules of the workspace name more than one version of these:\n%s\n' "$twice" >&2; status=1; }
exit $status
