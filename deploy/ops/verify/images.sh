#!/usr/bin/env bash
# "make verify-images": makes the image of the last commit twice, in two folders and with nothing compiled before, and ends with 1 unless both
# are the same to the byte; looks for known vulnerabilities of what the programs call; and pushes it to a registry with what is attached to it.
# Takes about ten minutes.
set -euo pipefail
checkout="$(cd "$(dirname "$0")/../../.." && pwd)"
cd "$checkout"
work="$(mktemp -d "${TMPDIR:-/var/tmp}/ams-images-XXXXXX")"
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
say() { printf '\n--- %s (%s s)\n' "$*" "$SECONDS"; }
fail() { echo "FAILED: $*" >&2; exit 1; }

say "a registry takes an image with what is attached"
(cd deploy/tools/images && GOWORK=off go test ./...)

for place in first "a folder of another name/second"; do
  say "made in $place"
  git clone -q "$checkout" "$work/$place"
  GOCACHE="$work/cache-$(basename "$place")" "$work/$place/deploy/ops/images.sh" "$work/$place/bin/images" > "$work/$(basename "$place")"
  rm -rf "$work/cache-$(basename "$place")"
done
cat "$work/first"
diff "$work/first" "$work/second" || fail "the images differ from one making to the next"
# Also what is attached to them: the layouts list the digest of each.
diff <(jq -S '.manifests | sort_by(.digest)' "$work/first/bin/images/index.json") \
  <(jq -S '.manifests | sort_by(.digest)' "$work/a folder of another name/second/bin/images/index.json") || fail "what is attached differs"
echo "the same both times, with a list of the parts of each program and how it was made"

say "known vulnerabilities"
# Go's own database, of the day that deploy/tools/indexdb/go.mod names, from its module: there may be no way to vuln.go.dev.
source=$(cd deploy/tools/indexdb && GOWORK=off go mod download -json golang.org/x/vulndb | jq -r .Dir)
"$(deploy/tools/build.sh indexdb)" -vulns "$source/data/osv" -out "$work/database"
check=$(deploy/tools/build.sh govulncheck)
source deploy/ops/compile.sh
mkdir "$work/programs"
compile -o "$work/programs/" ./deploy/cmd/ams ./deploy/cmd/amsctl
found=0
for program in "$work"/programs/*; do
  "$check" -db "file://$work/database" -mode binary "$program" > "$work/found" || { found=1; cat "$work/found"; }
  echo "$(basename "$program"): $(tail -1 "$work/found")"
done
[ $found -eq 0 ] || fail "a program has code with a known vulnerability"
say "passed"
