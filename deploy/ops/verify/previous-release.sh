#!/usr/bin/env bash
# Code runs before and after its migration: while a release is rolled out, the programs of the one before serve on the new schema.
# This puts the migrations of this checkout under the programs of the last release and runs that release's own tests of them.
#
#   deploy/ops/verify/previous-release.sh        of what has other migrations now: its conformance suites and golden files, all its tests where it
#                                                has no suite; of every service where what all share has changed
#   deploy/ops/verify/previous-release.sh night  all tests of everything that has a schema
#
# deploy/ops/verify/released has a line per release, the newest first: version, commit, date. "make release" writes it, and until the first release it
# is empty. Where no migration was added or changed since, there is nothing to try. deploy/ops/verify/superseded names tests of that release which
# are left out, each with its reason.
set -euo pipefail
cd "$(dirname "$0")/../../.."

read -r _ released _ < deploy/ops/verify/released || true
if [ -z "${released:-}" ]; then
  echo "Nothing is released yet: there are no programs that could meet this schema."
  exit 0
fi
git cat-file -e "$released^{commit}" 2>/dev/null || git fetch -q --depth 1 origin "$released" || {
  echo "The commit of the last release, $released, is not in this checkout: fetch it, then start again." >&2
  exit 1
}
if git diff --quiet "$released" -- '*/migrations/*.sql'; then
  echo "No migration has changed since the last release ($(git log -1 --format='%h, %as' "$released"))."
  exit 0
fi
git diff --stat=120 "$released" -- '*/migrations/*.sql'
changed=$(git diff --name-only "$released" -- '*/migrations/*.sql' | xargs -n 1 dirname | xargs -n 1 dirname | sort -u)

checkout=$(mktemp -d)
trap 'git worktree remove --force "$checkout/released" >/dev/null; rm -rf "$checkout"' EXIT
git worktree add -q --detach "$checkout/released" "$released"
for folder in $(cd "$checkout/released" && git ls-files '*/migrations/*.sql' | xargs -n 1 dirname | sort -u); do
  rm "$checkout/released/$folder"/*.sql
  cp "$folder"/*.sql "$checkout/released/$folder/"
done
echo "The tests of $(git -C "$checkout/released" log -1 --format=%h) on the schema of this checkout:"
superseded=$(sed -n 's/^\(Test[A-Za-z0-9_]*\) .*/\1/p' deploy/ops/verify/superseded | paste -sd '|')
echo "left out: ${superseded:-nothing}"
cd "$checkout/released"
for test in ${superseded//|/ }; do
  git grep -q "^func $test(" -- '*_test.go' || { echo "The last release has no $test: take it out of deploy/ops/verify/superseded." >&2; exit 1; }
done

# try PATTERN PACKAGE… runs tests. Those of a release cannot be mended any more: a package that fails is tried once more by itself, without
# anything else that runs.
skip="^(${superseded:-none})\$"
log="$checkout/log"
try() {
  local pattern=$1 failed
  shift
  go test -run "$pattern" -skip "$skip" "$@" 2>&1 | tee "$log" && return
  failed=$(awk '$1 == "FAIL" && $2 ~ /^ams\.internal\// {print $2}' "$log")
  [ -n "$failed" ] || return 1
  printf 'These failed, and are tried once more, one after the other:\n%s\n' "$failed"
  # shellcheck disable=SC2086
  go test -count=1 -p=1 -run "$pattern" -skip "$skip" $failed
}

if [ "${1:-}" = night ]; then
  try . ./libs/postgres/... ./libs/outbox/... ./services/... ./gateway/...
  exit
fi
suites=() whole=()
for folder in $changed; do
  if [ "$folder" = libs/postgres ]; then
    suites+=(./services/...)
  elif git grep -q '^func TestConformance' -- "$folder/*_test.go"; then
    suites+=("./$folder")
  elif [ -d "$folder" ]; then
    whole+=("./$folder/...")
  fi
done
[ ${#suites[@]} -eq 0 ] || try 'Conformance|Golden' "${suites[@]}"
[ ${#whole[@]} -eq 0 ] || try . "${whole[@]}"
