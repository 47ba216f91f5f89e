#!/bin/sh
# Imports the City of Toronto's "Apartment Building Evaluations" file: wards as sites, buildings, one asset for each
# scored component, and a deficiency for each handrail that is not safe. What becomes of which column is written in the
# mappings beside this script (*.yaml).
#
#   AMS_API_KEY=ams_live_… deploy/examples/toronto/import.sh FILE
#
# The key needs sites:write, buildings:write, assets:write and deficiencies:write. The service is AMS_BASE_URL, else the running stack.
# Each stage goes on where it was interrupted; run again after it is complete, the file changes nothing.
# Rejected rows and the place to resume from are kept in AMS_IMPORT_DIR (default: import/ in the stack's folder).
# --restart forgets an interrupted run, for when the file has changed since.
#
# Exit status: 0 everything went in, 3 some rows were rejected (their files are named), 1 a stage stopped.
set -eu

restart=
if [ "${1:-}" = --restart ]; then
  restart=yes
  shift
fi
if [ $# -ne 1 ] || [ ! -f "$1" ]; then
  echo "usage: AMS_API_KEY=… $0 [--restart] FILE" >&2
  exit 1
fi
file=$1
here=$(cd "$(dirname "$0")" && pwd)
amsctl=${AMSCTL:-$here/../../../bin/amsctl}
if [ ! -x "$amsctl" ]; then
  echo "$amsctl is not there: build it with \"make build\"" >&2
  exit 1
fi
kept=${AMS_IMPORT_DIR:-${AMS_RUN_DIR:-.run}/import}
mkdir -p "$kept"

result=0
for collection in sites buildings assets deficiencies; do
  state=$kept/toronto-$collection.import.json
  [ -z "$restart" ] || rm -f "$state"
  status=0
  "$amsctl" import --collection "$collection" --file "$file" --mapping "$here/$collection.yaml" \
    --on-conflict update --rejects "$kept/toronto-$collection.rejects.csv" --state "$state" --resume || status=$?
  case $status in
    0) ;;
    3) result=3 ;;
    *) exit 1 ;;
  esac
done
exit $result
