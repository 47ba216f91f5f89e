#!/usr/bin/env bash
# "make clients": makes what deploy/clients has and git has not, from the services' golden documents: the document of the whole API and the Postman
# collection, then the types of each library.
#
#   deploy/tools/clients.sh        all of it; needs npm and Python
#   deploy/tools/clients.sh go     what Go programs of this checkout are compiled with
#
# Each is made only where it is not fresh: where a file that it is made from, the program that makes it, or what was made is another than the last time.
set -euo pipefail
cd "$(dirname "$0")/../.."
clients=deploy/clients
mkdir -p bin $clients/.made
exec 9>$clients/.made/lock
flock 9 # one at a time

# refresh NAME "INPUTS" "OUTPUTS" COMMAND…: the sums of both are in a file of that name, which is away while the command runs.
refresh() {
  local name=$1 inputs=$2 outputs=$3 sums
  shift 3
  # shellcheck disable=SC2086
  sums=$(sha256sum $inputs $outputs 2>/dev/null) && [ "$sums" = "$(cat $clients/.made/"$name" 2>/dev/null)" ] && return
  echo "Making $name for $clients." >&2
  rm -f $clients/.made/"$name"
  "$@"
  # shellcheck disable=SC2086
  sha256sum $inputs $outputs > $clients/.made/"$name.new"
  mv $clients/.made/"$name.new" $clients/.made/"$name"
}
in_folder() { (cd "$1" && shift && "$@"); }
typescript() { (cd $clients/typescript && npm ci --ignore-scripts --no-audit --no-fund && node tools/generate.mjs) >&2; }

go build -buildvcs=false -ldflags=-w -o bin/openapi ./gateway/openapi/write
refresh document "bin/openapi $(echo services/*/testdata/openapi.json)" "$clients/openapi.json $clients/postman.json" bin/openapi
refresh go "$clients/openapi.json $clients/go/internal/generate/main.go deploy/tools/oapi-codegen/go.mod" \
  "$clients/go/types.gen.go $clients/go/patches.gen.go" in_folder $clients/go go run ./internal/generate
[ "${1:-}" != go ] || exit 0
refresh python "$clients/openapi.json $clients/python/tools/generate.py" \
  "$(echo $clients/python/src/ams_client/{types,_collections,_version}.py)" /usr/bin/python3 $clients/python/tools/generate.py
refresh typescript "$clients/openapi.json $clients/typescript/tools/generate.mjs $clients/typescript/package-lock.json" \
  "$(echo $clients/typescript/src/{schema,collections,version}.ts)" typescript
