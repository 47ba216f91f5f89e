#!/usr/bin/env bash
# Callers for "make verify-compose": they read and write until the file "stop" appears in a folder, each to one of the gateways that
# are ready, as a proxy before them would. Every response becomes a line of FOLDER/responses-N.
#
#   callers.sh FOLDER KEY HOW-MANY PORT…
set -euo pipefail
folder=$1 key=$2 many=$3
shift 3
ports=("$@")

request() { # number of the request, further arguments of curl
  local number=$1 status port
  shift
  for attempt in $(seq 0 $((${#ports[@]} - 1))); do
    port=${ports[(number + attempt) % ${#ports[@]}]}
    curl -sf --max-time 2 -o /dev/null "http://127.0.0.1:$port/readyz" || continue
    status=$(curl -sS --max-time 15 -o "$body" -w '%{http_code}' -H "Authorization: Bearer $key" -H 'Content-Type: application/json' "$@" "http://127.0.0.1:$port/v1/assets" 2>"$body.error") || status="broken: $(cat "$body.error")"
    echo "$status"
    return
  done
  echo "no gateway is ready"
}

caller() {
  local body="$folder/body-$1" number=0
  while [ ! -e "$folder/stop" ]; do
    number=$((number + 1))
    request $number >> "$folder/responses-$1"
    sleep 0.3 # a key has 1,000 requests a minute
    request $number -d "{\"name\": \"Asset $1-$number\"}" >> "$folder/responses-$1"
  done
}

for n in $(seq "$many"); do caller "$n" & done
wait
