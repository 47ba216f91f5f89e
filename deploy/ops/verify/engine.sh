#!/usr/bin/env bash
# Finds a Docker engine, or starts Debian's own in a network namespace, and prints how to reach it:
#
#   eval "$(deploy/ops/verify/engine.sh start)"    # sets DOCKER_HOST, and INSIDE: the prefix of commands that reach published ports
#   deploy/ops/verify/engine.sh stop
#
# An engine of ours keeps everything in $AMS_DOCKER_DIR (/var/tmp/ams-docker), never touches the machine's firewall, and
# reaches no network.
set -euo pipefail

folder="${AMS_DOCKER_DIR:-/var/tmp/ams-docker}"
space=ams-docker
socket="unix://$folder/docker.sock"

start() {
  if [ -z "${AMS_OWN_ENGINE:-}" ] && docker info >/dev/null 2>&1; then
    echo "echo using the Docker engine of this machine; INSIDE="
    return
  fi
  if ! command -v dockerd >/dev/null || ! command -v iptables >/dev/null || ! command -v debootstrap >/dev/null; then
    "$(dirname "$0")/../../install.sh" docker >&2
  fi
  mkdir -p "$folder"
  if ! DOCKER_HOST="$socket" docker info >/dev/null 2>&1; then
    ip netns list | grep -qw "$space" || ip netns add "$space"
    ip netns exec "$space" ip link set lo up
    # Not "ip netns exec": that would give the daemon a /sys of its own, without the control groups.
    nohup nsenter --net="/run/netns/$space" dockerd --data-root "$folder/data" --exec-root "$folder/run" \
      --pidfile "$folder/docker.pid" -H "$socket" --storage-driver overlay2 </dev/null >"$folder/dockerd.log" 2>&1 &
    for _ in $(seq 120); do
      DOCKER_HOST="$socket" docker info >/dev/null 2>&1 && break
      sleep 0.5
    done
    DOCKER_HOST="$socket" docker info >/dev/null || { tail -20 "$folder/dockerd.log" >&2; exit 1; }
  fi
  echo "export DOCKER_HOST=$socket; INSIDE='nsenter --net=/run/netns/$space'"
}

stop() {
  [ -f "$folder/docker.pid" ] || return 0
  kill "$(cat "$folder/docker.pid")" 2>/dev/null || true
  for _ in $(seq 60); do [ -f "$folder/docker.pid" ] || break; sleep 0.5; done
  ip netns del "$space" 2>/dev/null || true
}

case "${1:-}" in start) start ;; stop) stop ;; *) echo "usage: $0 start|stop" >&2; exit 2 ;; esac
