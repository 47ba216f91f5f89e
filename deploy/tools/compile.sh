#!/usr/bin/env bash
# Compiles programs of this checkout into bin/, and shows how far it is while that takes long:
#
#   deploy/tools/compile.sh ./deploy/cmd/ams ./deploy/cmd/dev
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p bin
deploy/tools/clients.sh go
# With -v the compiler names each package that it compiles; every five seconds a line says how many that were.
go build -v -ldflags=-w -o bin/ "$@" 2>&1 | {
  compiled=0 named=0 shown=$SECONDS
  while :; do
    status=0
    IFS= read -r -t 5 line || status=$?
    if [ $status -eq 0 ]; then
      case "$line" in
        *' '*) printf '%s\n' "$line" >&2 ;; # an error, or what is downloaded
        *) compiled=$((compiled + 1)) ;;
      esac
    elif [ $status -le 128 ]; then
      break
    fi
    if [ $((SECONDS - shown)) -ge 5 ] && [ $compiled -gt $named ]; then
      all=${all:-$(go list -deps "$@" | wc -l)}
      printf '  compiling: %d of at most %d packages\n' $compiled "$all"
      shown=$SECONDS named=$compiled
    fi
  done
}
