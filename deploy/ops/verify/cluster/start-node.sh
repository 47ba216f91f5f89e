#!/usr/bin/env bash
# Starts node N, for the first time or after its sudden death.
#
#   start-node.sh NUMBER
set -euo pipefail
source "$(dirname "$0")/settings.sh"
node=$1
nsenter --net="/run/netns/$(namespace "$node")" unshare --mount --uts --ipc --pid --fork --kill-child --mount-proc \
  bash "$cluster/node.sh" "$node" > "$state/node-$node.log" 2>&1 < /dev/null &
echo $! > "$state/node-$node.pid"
for _ in $(seq 100); do
  pgrep -P "$(cat "$state/node-$node.pid")" > "$state/init-$node.pid" && break
  sleep 0.05
done
