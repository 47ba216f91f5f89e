#!/bin/sh
# Calculates five scenarios over the components that import.sh has imported, prints what each comes to as CSV, and calculates
# them again to show that the result is the same. What a component costs, how long it lasts and what is done about it are our
# assumptions (planning/*): the City's file has scores only.
#
#   AMS_API_KEY=ams_live_… deploy/examples/toronto/plan.sh [DOLLARS_A_YEAR]
#
# A budget is 20 million dollars a year unless you give another.
# The key needs planning:write and planning:read, and the :read of sites, buildings, systems, assets, price indexes and
# infrastructure. The service is AMS_BASE_URL, else that on AMS_PORT (8080).
set -eu

budget=${1:-20000000}
here=$(cd "$(dirname "$0")" && pwd)
amsctl=${AMSCTL:-$here/../../../bin/amsctl}
if [ ! -x "$amsctl" ]; then
  echo "$amsctl is not there: build it with \"make build\"" >&2
  exit 1
fi
AMS_BASE_URL=${AMS_BASE_URL:-http://127.0.0.1:${AMS_PORT:-8080}}
export AMS_BASE_URL
kept=${AMS_IMPORT_DIR:-${AMS_RUN_DIR:-.run}/import}
mkdir -p "$kept"

import() { # collection, file
  "$amsctl" import --collection "planning/$1" --file "$2" --on-conflict update --rejects "$kept/toronto-$1.rejects" --state "$kept/toronto-$1.import.json" >&2
}
get() { # path, media type
  curl -sSf "$AMS_BASE_URL$1" -H "Authorization: Bearer $AMS_API_KEY" -H "Accept: $2"
}
id() { # collection, external id
  get "/v1/planning/$1?external_id=$2&fields=id" application/json | sed -n 's/.*"id":"\([^"]*\)".*/\1/p'
}

import deterioration-models "$here/planning/deterioration-models.csv"
import asset-classes "$here/planning/asset-classes.ndjson"
import treatments "$here/planning/treatments.ndjson"
printf 'external_id,name,asset_class_external_id,treatment_ids,is_default\ntoronto-strategy,"Repair, then replace",toronto-components,%s;%s,true\n' \
  "$(id treatments toronto-repair)" "$(id treatments toronto-replace)" >"$kept/toronto-strategies.csv"
import strategies "$kept/toronto-strategies.csv"
sed "s/\"amount\":20000000/\"amount\":$budget/" "$here/planning/scenarios.ndjson" >"$kept/toronto-scenarios.ndjson"
import scenarios "$kept/toronto-scenarios.ndjson"

run=$("$amsctl" planning run --scenarios TO-NOTHING,TO-BUDGET,TO-KEEP,TO-REACH,TO-UNLIMITED --name "Toronto" --wait --output json)
field() { # name
  printf '%s\n' "$run" | sed -n "s/^ *\"$1\": *\"\([^\"]*\)\".*/\1/p" | head -1
}
get "/v1/planning/runs/$(field id)/compare?baseline=TO-NOTHING" text/csv
"$amsctl" planning verify "$(field code)" >&2
