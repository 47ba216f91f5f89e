#!/usr/bin/env bash
# "make verify-small": the product with PostgreSQL, Redis and the demonstration organizations in a control group of 2 GB, as on the server
# of a small town, under 50 requests a second for two minutes. It fails when a request does, or when the kernel ended a process. As root.
set -euo pipefail
cd "$(dirname "$0")/../../.."
limit=$((2 << 30))

[ "$(id -u)" -eq 0 ] || { echo "make verify-small makes a control group, which takes root: sudo make verify-small" >&2; exit 1; }
deploy/tools/compile.sh ./deploy/cmd/ams ./deploy/cmd/dev
go build -o bin/verify-small ./deploy/ops/verify/small

name=ams-small-$$
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  group=/sys/fs/cgroup/$name
  mkdir "$group"
  echo $limit > "$group/memory.max"
  echo 0 > "$group/memory.swap.max" 2>/dev/null || true
  most() { cat "$group/memory.peak"; }
  killed() { awk '$1 == "oom_kill" { print $2 }' "$group/memory.events"; }
else
  group=/sys/fs/cgroup/memory/$name
  mkdir "$group"
  echo $limit > "$group/memory.limit_in_bytes"
  echo $limit > "$group/memory.memsw.limit_in_bytes" 2>/dev/null || true
  most() { cat "$group/memory.max_usage_in_bytes"; }
  killed() { awk '$1 == "oom_kill" { print $2 }' "$group/memory.oom_control"; }
fi
folder=$(mktemp -d "${TMPDIR:-/var/tmp}/ams-small-XXXXXX")
chmod 755 "$folder"
launcher=
finish() {
  [ -z "$launcher" ] || { kill -INT "$launcher" 2>/dev/null; wait "$launcher" || true; }
  for _ in $(seq 50); do rmdir "$group" 2>/dev/null && break; sleep 0.2; done
  rm -rf "$folder" bin/verify-small
}
trap finish EXIT

begin=$SECONDS
AMS_RUN_DIR=$folder/run bash -c "echo \$\$ > $group/cgroup.procs; exec bin/dev" &
launcher=$!
until [ -e "$folder/run/stack.json" ]; do
  kill -0 $launcher 2>/dev/null || { echo "the product has ended by itself" >&2; exit 1; }
  [ $((SECONDS - begin)) -lt 600 ] || { echo "no stack.json after ten minutes" >&2; exit 1; }
  sleep 1
done
sleep 60 # what follows the demonstration data (events, search, months), and until the connections that it took are closed
bin/verify-small -folder "$folder/run"
printf 'the most that all held, pages of files included: %d MB of %d; ended by the kernel: %d processes\n' \
  $(($(most) >> 20)) $((limit >> 20)) "$(killed)"
[ "$(killed)" -eq 0 ]
