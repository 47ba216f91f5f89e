#!/usr/bin/env bash
# Builds a pinned tool from the Go module proxy into the user's cache folder, once, and prints where it is:
#
#   deploy/tools/build.sh consul   →  ~/.cache/ams/consul-1.19.2
#   deploy/tools/build.sh lint     →  ~/.cache/ams/golangci-lint-2.15.0
#
# A tool is a folder here with a Go module of its own, outside go.work, so that nothing it depends on mixes with
# what the product depends on. Its go.mod and go.sum pin every version; checksums are always verified.
set -euo pipefail

case "${1:-}" in
  consul) name=consul        module=github.com/hashicorp/consul           note="about 7 minutes on two cores, 2 GB of memory" ;;
  lint)   name=golangci-lint module=github.com/golangci/golangci-lint/v2  note="about 2 minutes on two cores" ;;
  *) echo "usage: $0 consul|lint" >&2; exit 2 ;;
esac

folder="$(cd "$(dirname "$0")" && pwd)/$1"
version=$(awk -v module="$module" '$1 == module { sub("^v", "", $2); print $2; exit }' "$folder/go.mod")
package=$(awk '$1 == "tool" { print $2; exit }' "$folder/go.mod")
cache="${XDG_CACHE_HOME:-$HOME/.cache}/ams"
target="$cache/$name-$version"

if [ ! -x "$target" ]; then
  mkdir -p "$cache"
  exec 9>"$target.lock"
  if ! flock --nonblock 9; then
    echo "$name $version is being built by another process; waiting for it." >&2
    flock 9
  fi
  if [ ! -x "$target" ]; then
    echo "Building $name $version once, for this and every later checkout: $note." >&2
    started=$SECONDS
    # The build ends with this script, also when the script is killed.
    (cd "$folder" && GOWORK=off setpriv --pdeathsig KILL go build -trimpath -ldflags='-s -w' -o "$target.building" "$package")
    mv "$target.building" "$target"
    echo "Built $target in $((SECONDS - started)) s." >&2
  fi
fi
echo "$target"
