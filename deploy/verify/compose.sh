#!/usr/bin/env bash
# "make verify-compose": builds our images and starts docker-compose.yml on a real Docker engine, then uses it as a
# customer would: an organization, a key, a record written and read. Everything it made is removed at the end.
set -euo pipefail
cd "$(dirname "$0")/../.."

say() { printf '\n--- %s\n' "$*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }

eval "$(deploy/verify/engine.sh start)"
compose_program="$(deploy/tools/build.sh compose)"
work="$(mktemp -d "${TMPDIR:-/var/tmp}/ams-compose-XXXXXX")"
# What is built stands in a copy: vendored where the builder has no network, and with secrets of its own.
tar -c --exclude=.git --exclude=.run* --exclude=bin --exclude=deploy/compose/secrets . | tar -x -C "$work"
cd "$work"
export AMS_VERSION=verify COMPOSE_PROJECT_NAME=ams-verify COMPOSE_MENU=false
docker buildx version >/dev/null 2>&1 || export DOCKER_BUILDKIT=0 # Debian's client has the classic builder only
compose() { "$compose_program" "$@"; }
finish() {
  status=$?
  [ $status -eq 0 ] || { compose ps -a; compose logs --tail 15; } || true
  compose --profile tools down -v --timeout 30 >/dev/null 2>&1 || true
  [ -z "$INSIDE" ] || deploy/verify/engine.sh stop # an engine of our own; what it has built stays for the next time
  cd / && rm -rf "$work"
  exit $status
}
trap finish EXIT

deploy/compose/secrets.sh >/dev/null
mapfile -t programs < <(cd services && ls -d */ | tr -d /)
programs+=(gateway)
waited=()
if docker pull -q "$(sed -n 's/^FROM \(golang[^ ]*\).*/\1/p' Dockerfile)" >/dev/null 2>&1; then
  say "official images"
else
  say "no registry: stand-ins for postgres, redis, consul and golang; collector, Jaeger, Prometheus and Grafana are left out"
  deploy/verify/base-images.sh
  go work vendor >/dev/null
  waited=("${programs[@]}")
fi

say "docker compose config"
compose --profile tools config -q

say "build"
started=$SECONDS
compose build gateway >"$work/build.log" 2>&1 || { tail -40 "$work/build.log"; fail "the first image is not built"; }
compose build >"$work/build.log" 2>&1 || { tail -40 "$work/build.log"; fail "the images are not built"; }
echo "built in $((SECONDS - started)) s"
for program in "${programs[@]}" amsctl; do
  size=$(docker image inspect -f '{{.Size}}' "ams/$program:$AMS_VERSION")
  printf '%-16s %5.1f MB\n' "$program" "$(awk -v n="$size" 'BEGIN { print n / 1e6 }')"
  [ "$size" -lt 30000000 ] || fail "the image of $program is over 30 MB"
done

say "up"
started=$SECONDS
compose up -d --wait --wait-timeout 300 "${waited[@]}" >"$work/up.log" 2>&1 || { tail -40 "$work/up.log"; fail "not every service became healthy"; }
echo "healthy after $((SECONDS - started)) s"
compose ps --format 'table {{.Service}}\t{{.Status}}'

say "an organization, a key, a record"
export AMS_PASSWORD="correct-horse-battery-9"
ctl() { compose --profile tools run --rm -T amsctl -o json "$@"; }
organization=$(ctl organizations create --name "Ville d'essai" --plan enterprise --administrator-email admin@example.ca --administrator-name Admin)
echo "$organization" | head -c 200; echo
key=$(ctl keys create --email admin@example.ca --name verify --scopes '*:*' --confirm-privacy | sed -n 's/.*"value": *"\([^"]*\)".*/\1/p')
[ -n "$key" ] || fail "no key was made"
call() { $INSIDE curl -sS --max-time 10 -H "Authorization: Bearer $key" -H 'Content-Type: application/json' "$@"; }
status=$(call -o "$work/made.json" -w '%{http_code}' -d '{"name": "École Saint-Joseph"}' http://127.0.0.1:8080/v1/sites)
[ "$status" = 201 ] || fail "POST /v1/sites answers $status: $(cat "$work/made.json")"
for path in /v1/sites /v1/users /v1/work-orders /v1/los/measures /v1/infrastructure/networks /v1/projects; do
  status=$(call -o "$work/answer.json" -w '%{http_code}' "http://127.0.0.1:8080$path")
  echo "GET $path → $status"
  [ "$status" = 200 ] || fail "GET $path answers $status: $(cat "$work/answer.json")"
done
status=$($INSIDE curl -sS -o /dev/null -w '%{http_code}' http://127.0.0.1:8080/settings/sign-in)
echo "GET /settings/sign-in → $status"
[ "$status" = 200 ] || fail "the settings screens answer $status"

say "what the containers may do"
for program in "${programs[@]}"; do
  docker inspect -f '{{.Config.User}} {{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}}' "$(compose ps -q "$program")" |
    grep -qx '65532:65532 true \[ALL\]' || fail "$program is not confined"
done
secret=$(cat deploy/compose/secrets/principal_secrets)
for container in $(compose ps -qa); do
  docker inspect "$container" | grep -qF "$secret" && fail "a container's description shows a secret"
done
echo "no program runs as root, may write to its root or shows a secret"

say "two of assets, then everything again on the data that is there"
compose up -d --wait --scale assets=2 "${waited[@]}" >"$work/up.log" 2>&1 || { tail -40 "$work/up.log"; fail "a second instance of assets does not start"; }
compose stop --timeout 30 >/dev/null 2>&1
compose up -d --wait "${waited[@]}" >"$work/up.log" 2>&1 || { tail -40 "$work/up.log"; fail "it does not start again"; }
for _ in $(seq 50); do call -o "$work/again.json" http://127.0.0.1:8080/v1/sites; grep -q 'Saint-Joseph' "$work/again.json" && break; sleep 0.2; done
grep -q 'Saint-Joseph' "$work/again.json" || fail "the record is gone after a restart: $(cat "$work/again.json")"
echo "the record is there after a restart"
say "passed"
