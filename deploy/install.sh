#!/usr/bin/env bash
# Installs what the stack and its tests need from Debian or Ubuntu, and only what is missing:
# PostgreSQL 15 or later and Redis 7, unless AMS_DATABASE_URL and AMS_REDIS_ADDR name some; Chromium, in which the settings
# screens are tested; Node, in which a receiver of webhooks is; and npm, which fetches what the MCP server is tested with
# (deploy/test/mcp), Node 22 too; Prometheus, in which the alerts are tried (deploy/ops/monitoring); ip and iptables, by which a
# region is cut off (deploy/test/regions). As root, or with sudo.
# It starts no service: the stack runs its own private ones.
#
#   deploy/install.sh docker    a Docker engine besides, for make verify-compose
#   deploy/install.sh etcd      etcd besides, for make verify-k8s
set -euo pipefail

missing=()
[ -n "${AMS_DATABASE_URL:-}" ] || ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || command -v postgres >/dev/null || missing+=(postgresql)
[ -n "${AMS_REDIS_ADDR:-}" ] || command -v redis-server >/dev/null || missing+=(redis-server)
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || missing+=(chromium)
command -v node >/dev/null || missing+=(nodejs)
command -v npm >/dev/null || missing+=(npm)
command -v promtool >/dev/null && command -v prometheus >/dev/null || missing+=(prometheus)
[ -x /usr/sbin/ip ] || [ -x /sbin/ip ] || missing+=(iproute2) # not in the PATH of everybody
[ -x /usr/sbin/iptables ] || missing+=(iptables)
for wanted in "$@"; do
  case "$wanted" in
    docker)
      command -v dockerd >/dev/null || missing+=(docker.io)
      command -v debootstrap >/dev/null || missing+=(debootstrap) ;;
    etcd) command -v etcd >/dev/null || missing+=(etcd-server) ;;
    *) echo "usage: $0 [docker] [etcd]" >&2; exit 2 ;;
  esac
done

command -v go >/dev/null || {
  echo "Go is missing: install the version that go.work names from https://go.dev/dl, then start again." >&2
  exit 1
}
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "Missing: ${missing[*]}. This machine has no apt-get; install them, or give the stack AMS_DATABASE_URL and AMS_REDIS_ADDR." >&2
  exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "Missing: ${missing[*]}. Run as root: apt-get install ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi

echo "Installing from Debian: ${missing[*]} (once)"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
# Debian starts a service of each as it installs it, unless this file says no; the stack needs only the programs.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 0755 "$policy"
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
fi
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
echo "Installed: ${missing[*]}"
