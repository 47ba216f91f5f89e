#!/usr/bin/env bash
# Part of "make check": what /v1 promised in the last release holds still (docs/compatibility.md). Compares the document of this checkout with that of the
# last release, which is made of that release's golden files by its own programs, once per commit.
#
#   deploy/ops/compatible.sh                    this checkout with the last release
#   deploy/ops/compatible.sh BEFORE AFTER       two documents
set -euo pipefail
cd "$(dirname "$0")/../.."

compare() {
  local oasdiff
  oasdiff=$(deploy/tools/build.sh oasdiff)
  "$oasdiff" breaking --fail-on WARN --severity-levels deploy/ops/compatible.levels "$1" "$2" || {
    echo "These break programs that use /v1: docs/compatibility.md says how the same is done without." >&2
    return 1
  }
}
if [ $# -eq 2 ]; then
  compare "$1" "$2"
  exit
fi

read -r version commit _ < deploy/ops/verify/released || true
if [ -z "${commit:-}" ]; then
  echo "Nothing is released yet: there is no document to compare with."
  exit
fi
git cat-file -e "$commit^{commit}" 2>/dev/null || git fetch -q --depth 1 origin "$commit" || {
  echo "The commit of release $version, $commit, is not in this checkout: fetch it, then start again." >&2
  exit 1
}
before="${XDG_CACHE_HOME:-$HOME/.cache}/ams/openapi-$commit.json"
work=$(mktemp -d)
trap 'git worktree remove --force "$work/tree" 2>/dev/null || true; rm -rf "$work"' EXIT
if [ ! -s "$before" ]; then
  git worktree add -q --detach "$work/tree" "$commit"
  (cd "$work/tree" && go run ./gateway/openapi/write -full) > "$work/before.json"
  mkdir -p "${before%/*}"
  mv "$work/before.json" "$before"
fi
go run ./gateway/openapi/write -full > "$work/after.json"
compare "$before" "$work/after.json"
echo "/v1 is as release $version promised."
