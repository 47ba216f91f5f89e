#!/usr/bin/env bash
# "make test" and "make night":
#
#   deploy/tools/test.sh          the tests of the day, with the race detector over what keeps and hands on work
#   deploy/tools/test.sh night    those of the night too (//go:build night), all with the race detector, and all scenarios of failures
#
# The tools that tests need are built while tests run that do not need them. A package is shown when it has ended.
set -uo pipefail
cd "$(dirname "$0")/../.."
night=${1:-}
[ -z "$night" ] || export GOFLAGS="$(go env GOFLAGS) -tags=night"
status=0
export AMS_TEST_STATEMENTS # conformance suites leave the statements there that they send, for deploy/test/citus
AMS_TEST_STATEMENTS=$(mktemp -d)
logs=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$AMS_TEST_STATEMENTS" "$logs"' EXIT

say() { printf '\n--- %s (after %d min)\n' "$1" $((SECONDS / 60)); }
# Those that take longest come first, so that none of them runs on its own in the end.
longest='^ams\.internal/(gateway|libs/resource|services/(accounting|assets|documents|webhooks)|deploy/test/(browser|clients/libraries|figures|mcp|site))$'
packages() {
  local all
  all=$(go list "$@") || exit 1
  grep -E "$longest" <<<"$all"
  grep -vE "$longest" <<<"$all"
}
# The first line of a first run comes minutes after its start: everything is compiled before.
check() { go test -count=1 -timeout=30m -ldflags=-w "$@" || status=1; }

# build TOOL…: in the background, at low priority; await waits for it, and shows what a failed one said.
declare -A building
build() {
  local tool
  for tool in "$@"; do
    nice deploy/tools/build.sh "$tool" >"$logs/$tool" 2>&1 &
    building[$tool]=$!
  done
}
await() {
  local tool
  for tool in "$@"; do
    wait "${building[$tool]}" || { cat "$logs/$tool" >&2; exit 1; }
  done
}
command -v consul >/dev/null && building[consul]=0 || build consul
build versitygw goaws
nice deploy/tools/clients.sh >"$logs/clients" 2>&1 &
building[clients]=$!

mapfile -t ours < <(packages ./libs/... ./services/... ./gateway/...)
mapfile -t raced < <(packages ./libs/{postgres,outbox,effects,leader,discovery,fairqueue,spool,service,telemetry}/... \
  ./gateway/... ./services/webhooks/...)
[ -z "$night" ] || raced=("${ours[@]}")
mapfile -t others < <(printf '%s\n' "${ours[@]}" | grep -vxFf <(printf '%s\n' "${raced[@]}"))
# Those whose stacks are a process for each program, or that take parts away, or load them as much as they can.
apart='^ams\.internal/deploy/test/(cells|documents|e2e|observability|regions|resilience)(/|$)'
mapfile -t stacks < <(packages ./deploy/... ./deploy/clients/go/... | grep -vE "$apart")
mapfile -t alone < <(packages ./deploy/... | grep -E "$apart")
processors=$(nproc)

# Tests wait for their database about a third of the time: one package more than there are processors.
if [ ${#others[@]} -gt 0 ]; then
  say "libs and services"
  check -p=$((processors + 1)) "${others[@]}"
fi
[ "${building[consul]}" = 0 ] || await consul
await versitygw goaws
[ -z "$night" ] || build jaeger collector
say "libs, services and the gateway, with the race detector"
check -race -p=$((processors + 1)) "${raced[@]}"
say "through a PgBouncer in transaction mode"
export AMS_TEST_POOLER=1
if [ -n "$night" ]; then
  check ./libs/... ./services/... ./gateway/...
else # these wait for three quarters of their time: beside what follows
  (check -p=$((processors + 1)) ./libs/postgres/... ./libs/outbox
    check -run 'TakenOver|WithoutItsLock|HandsOver' ./services/webhooks
    exit $status) &
  pooled=$!
fi
unset AMS_TEST_POOLER
[ -z "$night" ] || await jaeger collector
await clients
say "the whole product"
deploy/tools/compile.sh ./deploy/cmd/ams ./deploy/cmd/dev ./deploy/cmd/amsctl || exit 1
check -p="$processors" "${stacks[@]}" # each of these runs the product besides the tests: no more of them than processors
[ -z "${pooled:-}" ] || wait "$pooled" || status=1
say "the product as many processes, without one of its parts, or under attack"
check -p=1 "${alone[@]}" # nothing else may keep these from their promises
if [ -n "$night" ]; then
  say "all scenarios in their long form"
  go run ./deploy/test/resilience || status=1
fi
exit $status
