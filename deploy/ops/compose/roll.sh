#!/usr/bin/env bash
# Replaces programs of the running stack without a failed request, with as many containers as there are: new ones beside the old,
# and when they are healthy, the old are told to stop, one after the other.
#
#   docker compose build prepare && deploy/ops/compose/roll.sh assets
#
# A gateway needs a free port beside its own for that: AMS_PORT=8080-8081, and a proxy before them that checks /readyz of each, once in
# two seconds at least. Migrations come first: docker compose up --no-deps prepare migrate.
set -euo pipefail
compose() { ${DOCKER_COMPOSE:-docker compose} "$@"; }
[ $# -gt 0 ] || { echo "usage: $0 program…" >&2; exit 2; }

for program in "$@"; do
  mapfile -t old < <(compose ps -q "$program")
  [ ${#old[@]} -gt 0 ] || { echo "$program does not run: docker compose up -d $program" >&2; exit 1; }
  compose up -d --no-deps --no-recreate --wait --wait-timeout 120 --scale "$program=$((2 * ${#old[@]}))" "$program"
  for container in "${old[@]}"; do
    docker stop --time 30 "$container" >/dev/null # it leaves Consul and finishes what runs
    docker rm "$container" >/dev/null
  done
  echo "$program: ${#old[@]} replaced"
done
