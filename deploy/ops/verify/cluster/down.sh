#!/usr/bin/env bash
# Takes the cluster away, whatever of it is there: its processes, networks, control groups and folder.
set -uo pipefail
source "$(dirname "$0")/settings.sh"

for node in "${nodes[@]}"; do
  [ ! -e "$state/node-$node.pid" ] || kill -KILL "$(cat "$state/node-$node.pid")" 2>/dev/null
done
for node in "${nodes[@]}"; do
  for _ in $(seq 100); do
    pgrep -f "$cluster/node.sh $node\$" >/dev/null || break
    sleep 0.1
  done
  [ ! -e "/run/netns/$(namespace "$node")" ] || ip netns del "$(namespace "$node")"
done
for kind in "${group_kinds[@]}" unified; do
  [ -d "$groups/$kind/ams-cluster" ] || continue
  for _ in $(seq 100); do # a group goes when the last process in it has
    find "$groups/$kind/ams-cluster" -depth -type d -exec rmdir {} \; 2>/dev/null
    [ -d "$groups/$kind/ams-cluster" ] || break
    sleep 0.1
  done
done
rm -rf "$state"
