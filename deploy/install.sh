#!/usr/bin/env bash
# Installs what "make run" uses from Debian or Ubuntu, and only what is missing; go and make are there already. As root, or with sudo. It
# starts no service: the stack runs its own private ones. make verify-fresh shows that the lists are complete.
#
#   deploy/install.sh tests        what "make test" uses besides
#   deploy/install.sh pooler       PgBouncer besides, for make run POOLER=1
#   deploy/install.sh standby      Patroni besides, for make run STANDBY=1
#   deploy/install.sh docker       a Docker engine besides, for make verify-compose
#   deploy/install.sh etcd         etcd and kubectl besides, for make verify-k8s
#   deploy/install.sh cluster      what a Kubernetes cluster is made of besides, for make verify-cluster
#   deploy/install.sh debootstrap  debootstrap besides, for make verify-fresh
set -euo pipefail

missing=()
# need PACKAGE PROGRAM…: the package, unless one of the programs is there. /usr/sbin is not in the PATH of everybody.
need() {
  local package=$1 program
  shift
  for program in "$@"; do
    PATH="$PATH:/usr/sbin:/sbin" command -v "$program" >/dev/null && return
  done
  missing+=("$package")
}

# The product. Servers that are named are used instead of private ones.
[ -n "${AMS_DATABASE_URL:-}" ] || compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || need postgresql postgres # 15 or later
[ -n "${AMS_REDIS_ADDR:-}" ] || need redis-server redis-server # 7
need curl curl # with jq, what README.md calls the API with
need jq jq
[ -n "${AMS_DOCUMENTS_SCANNER:-}" ] || need clamav-daemon clamd # 1.4: looks for malware in documents; 25 MB on disk, without signatures

standby() { # that takes over; with Debian's client of Consul. Patroni's service does nothing without a configuration of its own
  need patroni patroni
  /usr/bin/python3 -c 'import consul' 2>/dev/null || missing+=(python3-consul)
}
tests() {
  need gcc gcc # with the headers of C: the race detector
  [ -e /usr/include/stdlib.h ] || missing+=(libc6-dev)
  need chromium-headless-shell chromium-headless-shell # the settings screens; they are tested without windows
  need nodejs node                                      # a receiver of webhooks
  need npm npm                                          # fetches what the MCP server is tested with, Node 22 too
  # The Python library: Debian's Python, with what the package needs, is checked and packed with.
  /usr/bin/python3 -c 'import httpx' 2>/dev/null || missing+=(python3-httpx)
  /usr/bin/python3 -c 'import build' 2>/dev/null || missing+=(python3-build)
  /usr/bin/python3 -c 'import setuptools, wheel' 2>/dev/null || missing+=(python3-setuptools python3-wheel)
  /usr/bin/python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
  /usr/bin/python3 -c 'import mypy' 2>/dev/null || missing+=(mypy)
  /usr/bin/python3 -c 'import dateutil' 2>/dev/null || missing+=(python3-dateutil) # its dates are those of libs/recurrence
  need prometheus promtool                              # the alerts
  need iproute2 ip                                      # with iptables: a region is cut off
  need iptables iptables
  need wrk wrk # the benchmark
  need unzip unzip # reads the archives of documents as other people do
  need hledger hledger # reads the journal of capital assets as accountants do
  need pgbouncer pgbouncer # 1.18: a part of the tests goes through one
  standby
}

for wanted in "$@"; do
  case "$wanted" in
    tests) tests ;;
    pooler) need pgbouncer pgbouncer ;;
    standby) standby ;;
    docker)
      need docker.io dockerd
      need debootstrap debootstrap ;;
    etcd)
      need etcd-server etcd
      need kubernetes-client kubectl
      need openssl openssl ;;
    cluster)
      need containerd containerd
      need runc runc
      [ -x /usr/lib/cni/bridge ] || missing+=(containernetworking-plugins)
      need ipset ipset
      need conntrack conntrack
      need etcd-server etcd
      need openssl openssl
      need debootstrap debootstrap ;;
    debootstrap) need debootstrap debootstrap ;;
    *) echo "usage: $0 [tests] [pooler] [standby] [docker] [etcd] [cluster] [debootstrap]" >&2; exit 2 ;;
  esac
done

command -v go >/dev/null || {
  echo "Go is missing: install the version that go.work names from https://go.dev/dl, then start again." >&2
  exit 1
}
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "Missing: ${missing[*]}. This machine has no apt-get; install them, or give the stack AMS_DATABASE_URL, AMS_REDIS_ADDR and AMS_DOCUMENTS_SCANNER." >&2
  exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "Missing: ${missing[*]}. Run as root: apt-get install ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi

echo "Installing from Debian, once: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
# Debian starts a service of each as it installs it, unless this file says no; the stack needs only the programs.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 0755 "$policy"
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
fi
# Of what apt-get says, one line for every fifth that is downloaded and installed; errors are shown as they are.
"${as_root[@]}" apt-get install -y -qq --no-install-recommends -o APT::Status-Fd=1 "${missing[@]}" | {
  shown=
  while IFS=: read -r kind _ percent _; do
    case "$kind" in dlstatus) done=downloaded ;; pmstatus) done=installed ;; *) continue ;; esac
    fifth="$done $((${percent%.*} / 20 * 20)) %"
    [ "$fifth" = "$shown" ] || echo "  $fifth"
    shown=$fifth
  done
}
# Debian would start them when the machine starts again: freshclam to download 200 MB of signatures, clamd to hold them in 1.3 GB of memory.
if [[ " ${missing[*]} " == *" clamav-daemon "* ]] && command -v systemctl >/dev/null; then
  "${as_root[@]}" systemctl --quiet disable clamav-daemon.service clamav-daemon.socket clamav-freshclam.service
fi
echo "Installed: ${missing[*]}"
