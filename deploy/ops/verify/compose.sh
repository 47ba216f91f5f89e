#!/usr/bin/env bash
# "make verify-compose": builds our image and starts docker-compose.yml on a real Docker engine: first the product in one process, as README
# says, with an organization, a key and a record; then, on the same data, a process for each target, and uses that as a customer
# would: records, a webhook that arrives, an assistant's call, the settings screens; looks for the request in
# Jaeger and for its figures in Prometheus; and replaces every program while callers read and write. Everything it made is removed
# at the end.
set -euo pipefail
cd "$(dirname "$0")/../../.."

say() { printf '\n--- %s\n' "$*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }

eval "$(deploy/ops/verify/engine.sh start)"
compose_program="$(deploy/tools/build.sh compose)"
work="$(mktemp -d "${TMPDIR:-/var/tmp}/ams-compose-XXXXXX")"
# What is built stands in a copy: vendored where the builder has no network, and with secrets of its own.
deploy/tools/clients.sh go # the builder may have no network
tar -c --exclude=.git --exclude=.run* --exclude=bin --exclude=deploy/ops/compose/secrets . | tar -x -C "$work"
cd "$work"
export AMS_VERSION=verify COMPOSE_PROJECT_NAME=ams-verify COMPOSE_MENU=false COMPOSE_FILE=docker-compose.yml:deploy/ops/verify/compose.yaml
export DOCKER_COMPOSE="$compose_program"
docker buildx version >/dev/null 2>&1 || export DOCKER_BUILDKIT=0 # Debian's client has the classic builder only
compose() { "$compose_program" "$@"; }
finish() {
  status=$?
  [ $status -eq 0 ] || { compose ps -a; compose logs --tail 15; } || true
  touch "$work/load/stop" 2>/dev/null || true
  compose --profile '*' down -v --timeout 30 >/dev/null 2>&1 || true
  [ -z "$INSIDE" ] || deploy/ops/verify/engine.sh stop # an engine of our own; what it has built stays for the next time
  cd / && rm -rf "$work"
  exit $status
}
trap finish EXIT

rm -f .env # which a checkout that is used has
deploy/ops/compose/secrets.sh >/dev/null
mapfile -t programs < <(cd services && ls -d */ | tr -d /)
programs+=(gateway)
waited=()
if docker pull -q "$(sed -n 's/^FROM \(golang[^ ]*\).*/\1/p' Dockerfile)" >/dev/null 2>&1; then
  say "official images"
else
  say "no registry: stand-ins for golang, postgres, redis, consul, clamd, versitygw, collector, Jaeger and Prometheus; Grafana is left out"
  deploy/ops/verify/base-images.sh
  waited=("${programs[@]}" clamd collector jaeger prometheus)
fi
# The one signature that clamd has here.
printf 'Eicar-Test-Signature:0:*:%s\n' "$(printf '%s' 'X5O!P%@AP[4\PZX54(P^)7CC)7}$EIC' 'AR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*' | od -An -vtx1 | tr -d ' \n')" > eicar.ndb
# The receiver is what docs/webhooks.md gives people to start from; it is compiled here, with a network, before vendoring.
CGO_ENABLED=0 go build -o receiver ./deploy/examples/receiver-go
[ ${#waited[@]} -eq 0 ] || go work vendor >/dev/null

say "docker compose config"
compose --profile '*' config -q

say "build"
started=$SECONDS
compose build >"$work/build.log" 2>&1 || { tail -40 "$work/build.log"; fail "the image is not built"; }
echo "built in $((SECONDS - started)) s"
size=$(docker image inspect -f '{{.Size}}' "ams:$AMS_VERSION")
printf 'ams %5.1f MB\n' "$(awk -v n="$size" 'BEGIN { print n / 1e6 }')"
[ "$size" -lt 150000000 ] || fail "the image is over 150 MB"

say "up: the product in one process"
started=$SECONDS
compose up -d --wait --wait-timeout 300 >"$work/up.log" 2>&1 || { tail -40 "$work/up.log"; fail "not every service became healthy"; }
echo "healthy after $((SECONDS - started)) s"
compose ps --format 'table {{.Service}}\t{{.Status}}'
[ "$(compose ps --services | sort | xargs)" = "ams postgres redis" ] || fail "something else runs"

say "an organization, a key, a record, a document"
export AMS_PASSWORD="correct-horse-battery-9"
ctl() { compose --profile tools run --rm -T amsctl -o json "$@"; }
organization=$(ctl organizations create --name "Ville d'essai" --plan enterprise --administrator-email admin@example.ca --administrator-name Admin)
echo "$organization" | head -c 200; echo
key=$(ctl keys create --email admin@example.ca --name verify --scopes '*:*' --rate-limit 1000 --confirm-privacy | sed -n 's/.*"value": *"\([^"]*\)".*/\1/p')
[ -n "$key" ] || fail "no key was made"
call() { $INSIDE curl -sS --max-time 10 -H "Authorization: Bearer $key" -H 'Content-Type: application/json' "$@"; }
status=$(call -o "$work/made.json" -w '%{http_code}' -d '{"name": "École Saint-Joseph"}' http://127.0.0.1:8080/v1/sites)
[ "$status" = 201 ] || fail "POST /v1/sites responds $status: $(cat "$work/made.json")"
paths="/v1/sites /v1/users /v1/work-orders /v1/los/measures /v1/infrastructure/networks /v1/projects /v1/requests /v1/meters /v1/forms/templates /v1/planning/scenarios /v1/accounting/classes /v1/documents"
each_path() {
  local path
  for path in $paths; do
    status=$(call -o "$work/response.json" -w '%{http_code}' "http://127.0.0.1:8080$path")
    echo "GET $path → $status"
    [ "$status" = 200 ] || fail "GET $path responds $status: $(cat "$work/response.json")"
  done
}
each_path
echo "a document" > "$work/document.txt"
status=$($INSIDE curl -sS --max-time 10 -H "Authorization: Bearer $key" -o "$work/document.json" -w '%{http_code}' \
  -F "document={\"collection\": \"sites\", \"record_id\": \"$(jq -er .id "$work/made.json")\", \"kind\": \"other\"};type=application/json" \
  -F "file=@$work/document.txt;filename=document.txt;type=text/plain" http://127.0.0.1:8080/v1/documents)
[ "$status" = 201 ] || fail "POST /v1/documents responds $status: $(cat "$work/document.json")"
kept() { call "http://127.0.0.1:8080/v1/documents/$(jq -er .id "$work/document.json")/content" | grep -q 'a document'; }
for _ in $(seq 60); do kept && break; sleep 0.5; done
kept || fail "the document is not there"
docker inspect -f '{{.Config.User}} {{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}}' "$(compose ps -q ams)" |
  grep -qx '65532:65532 true \[ALL\]' || fail "ams is not confined"
compose down --timeout 30 >/dev/null 2>&1

say "up: a process for each target, on the same data"
export COMPOSE_PROFILES=distributed,observability,scanner AMS_DOCUMENTS_SCANNER=tcp://clamd:3310
started=$SECONDS
compose up -d --wait --wait-timeout 300 "${waited[@]}" >"$work/up.log" 2>&1 || { tail -40 "$work/up.log"; fail "not every service became healthy"; }
echo "healthy after $((SECONDS - started)) s"
compose ps --format 'table {{.Service}}\t{{.Status}}'
call http://127.0.0.1:8080/v1/sites | grep -q 'Saint-Joseph' || fail "the record of the one process is not there"
each_path
# The EICAR test file on the site, found by clamd: 409 for good, naming the signature.
eicar=$(sed 's/.*://' eicar.ndb)
printf "$(sed 's/../\\x&/g' <<<"$eicar")" > "$work/eicar"
status=$($INSIDE curl -sS --max-time 10 -H "Authorization: Bearer $key" -o "$work/document.json" -w '%{http_code}' \
  -F "document={\"collection\": \"sites\", \"record_id\": \"$(jq -er .id "$work/made.json")\", \"kind\": \"other\"};type=application/json" \
  -F "file=@$work/eicar;filename=eicar.txt;type=text/plain" http://127.0.0.1:8080/v1/documents)
[ "$status" = 201 ] || fail "POST /v1/documents responds $status: $(cat "$work/document.json")"
infected() { call "http://127.0.0.1:8080/v1/documents/$(jq -er .id "$work/document.json")/content" | grep -q Eicar-Test-Signature; }
for _ in $(seq 60); do infected && break; sleep 0.5; done
infected || fail "the EICAR test file is not found: $(call "http://127.0.0.1:8080/v1/documents/$(jq -er .id "$work/document.json")")"
echo "an EICAR test file is refused"
page=$($INSIDE curl -sS -w '%{http_code}' http://127.0.0.1:8080/settings/sign-in)
echo "GET /settings/sign-in → ${page: -3}"
[ "${page: -3}" = 200 ] && grep -q 'type="password"' <<<"$page" || fail "the settings screens responds $page"

field() { jq -er ".$1" "$2"; } # name, file
# eventually COMMAND…: until it succeeds, for two minutes at most.
eventually() { for _ in $(seq 240); do "$@" >/dev/null 2>&1 && return; sleep 0.5; done; return 1; }

say "a webhook arrives"
# The receiver must know the secret, and its address is known when it runs: plain http goes to addresses that are allowed only.
call -o "$work/endpoint.json" -d '{"url": "http://172.31.255.254:8090/", "event_types": ["asset.*"]}' http://127.0.0.1:8080/v1/webhook-endpoints
WEBHOOK_SECRET=$(sed -n 's/.*"\(whsec_[^"]*\)".*/\1/p' "$work/endpoint.json" | head -1)
[ -n "$WEBHOOK_SECRET" ] || fail "no endpoint was made: $(cat "$work/endpoint.json")"
export WEBHOOK_SECRET
compose up -d --no-deps receiver >/dev/null 2>&1
endpoint=$(field id "$work/endpoint.json")
address=$(docker inspect -f '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}' "$(compose ps -q receiver)")
status=$(call -X PATCH -o "$work/response.json" -w '%{http_code}' -d "{\"url\": \"http://$address:8090/\"}" "http://127.0.0.1:8080/v1/webhook-endpoints/$endpoint")
[ "$status" = 200 ] || fail "PATCH of the endpoint responds $status: $(cat "$work/response.json")"
status=$(call -o "$work/asset.json" -w '%{http_code}' -d '{"name": "Pompe de circulation"}' http://127.0.0.1:8080/v1/assets)
[ "$status" = 201 ] || fail "POST /v1/assets responds $status: $(cat "$work/asset.json")"
asset=$(field id "$work/asset.json")
received() { compose logs --no-color receiver > "$work/received" && grep "$asset" "$work/received" | grep '"asset.created"' | grep -q '"applied"'; }
eventually received || { compose logs receiver webhooks | tail -20; fail "the event did not arrive"; }
grep "$asset" "$work/received" | head -1

say "an assistant calls a tool"
rpc() { call -H 'Accept: application/json, text/event-stream' -H 'MCP-Protocol-Version: 2025-06-18' -d "$1" http://127.0.0.1:8080/mcp; }
rpc '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"verify","version":"1"}}}' > "$work/response.json"
grep -q '"serverInfo"' "$work/response.json" || fail "MCP does not initialize: $(cat "$work/response.json")"
rpc "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"get_asset\",\"arguments\":{\"id\":\"$asset\"}}}" > "$work/response.json"
grep -q 'Pompe de circulation' "$work/response.json" && ! grep -q '"isError": *true' "$work/response.json" || fail "get_asset responds $(cat "$work/response.json")"
echo "get_asset → $(head -c 120 "$work/response.json")…"

say "the request in Jaeger, its figures in Prometheus"
trace() {
  $INSIDE curl -sS -G http://127.0.0.1:16686/api/traces --data-urlencode service=gateway --data-urlencode limit=200 > "$work/traces.json"
  # The first trace that leads from the gateway through assets to a statement.
  jq -er 'first(.data[]
    | {id: .traceID, spans: (.spans | length), services: ([.processes[].serviceName] | unique),
       statements: ([.spans[].tags[] | select(.key == "db.query.text" or .key == "db.statement")] | length)}
    | select((.services | contains(["assets", "gateway"])) and .statements > 0)
    | "trace \(.id): \(.spans) spans of \(.services | join(", ")), \(.statements) statements")' "$work/traces.json" > "$work/trace"
}
eventually trace || fail "no trace leads from the gateway through assets to PostgreSQL"
cat "$work/trace"
figure() { # a query, whose first value must be above 0
  $INSIDE curl -sS -G http://127.0.0.1:9090/api/v1/query --data-urlencode "query=$1" > "$work/figure.json"
  value=$(sed -n 's/.*"value":\[[^,]*,"\([^"]*\)"\].*/\1/p' "$work/figure.json")
  [ -n "$value" ] && [ "$value" != 0 ]
}
for query in 'sum(http_server_request_duration_seconds_count{service_name="gateway"})' 'count(ams_outbox_lag_seconds)' 'min(up)'; do
  eventually figure "$query" || fail "Prometheus does not know $query: $(cat "$work/figure.json")"
  echo "$query = $value"
done

say "what the containers may do"
for program in "${programs[@]}"; do
  docker inspect -f '{{.Config.User}} {{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}}' "$(compose ps -q "$program")" |
    grep -qx '65532:65532 true \[ALL\]' || fail "$program is not confined"
done
secret=$(cat deploy/ops/compose/secrets/principal_secrets)
for container in $(compose ps -qa); do
  docker inspect "$container" | grep -qF "$secret" && fail "a container's description shows a secret"
done
echo "no program runs as root, may write to its root or shows a secret"

say "two of each, and each is replaced while callers read and write"
export AMS_PORT=8080-8083 # a gateway for each port, while they are replaced
twice=()
for program in "${programs[@]}"; do twice+=(--scale "$program=2"); done
compose up -d --wait --wait-timeout 300 "${twice[@]}" "${waited[@]}" >"$work/up.log" 2>&1 || { tail -40 "$work/up.log"; fail "two of each do not start"; }
mkdir -p load
$INSIDE "$work/deploy/ops/verify/callers.sh" "$work/load" "$key" 4 8080 8081 8082 8083 &
callers=$!
started=$SECONDS
deploy/ops/compose/roll.sh "${programs[@]}" >"$work/up.log" 2>&1 || { tail -40 "$work/up.log"; fail "the programs are not replaced"; }
docker restart --time 30 "$(compose ps -q assets | head -1)" >/dev/null
echo "all programs replaced, and one restarted, in $((SECONDS - started)) s"
touch load/stop
wait "$callers"
cat load/responses-* | sort | uniq -c
[ "$(cat load/responses-* | wc -l)" -gt 100 ] || fail "the callers hardly called"
! grep -vxE '200|201' load/responses-* || fail "requests failed while programs were replaced"
made=$(cat load/responses-* | grep -cx 201)
for port in 8080 8081 8082 8083; do $INSIDE curl -s -o /dev/null "http://127.0.0.1:$port/livez" && break; done
total() { call "http://127.0.0.1:$port/v1/assets?per_page=1" | grep -q "\"total\": *$((made + 1))[,}]"; }
eventually total || fail "not every acknowledged asset is there: $made were made, $(call "http://127.0.0.1:$port/v1/assets?per_page=1" | tail -c 200)"
echo "$made assets were acknowledged, and are there"

say "everything again on the data that is there"
unset AMS_PORT
compose stop --timeout 30 >/dev/null 2>&1
compose up -d --wait "${waited[@]}" >"$work/up.log" 2>&1 || { tail -40 "$work/up.log"; fail "it does not start again"; }
again() { call -o "$work/again.json" http://127.0.0.1:8080/v1/sites && grep -q 'Saint-Joseph' "$work/again.json"; }
eventually again || fail "the record is gone after a restart: $(cat "$work/again.json")"
echo "the record is there after a restart"
say "passed"
