#!/usr/bin/env bash
# "make downloads": packs what /docs/downloads offers into a folder, which is made anew: the client libraries for TypeScript (npm), Python (a
# wheel) and Go (what a module proxy serves, below go/), and amsctl for Linux. The same checkout makes the same bytes. Set
# AMS_DOWNLOADS of the gateway to the folder. AMS_VERSION is the release that amsctl reports (git describe). Needs npm, python3-build, Go.
#
#   deploy/ops/downloads.sh bin/downloads
set -euo pipefail
checkout="$(cd "$(dirname "$0")/../.." && pwd)"
folder="$(realpath -m "${1:-$checkout/bin/downloads}")"
cd "$checkout"
source deploy/ops/compile.sh
AMS_VERSION="${AMS_VERSION:-$(git describe --tags --always)}"
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
export AMS_VERSION SOURCE_DATE_EPOCH
umask 022
work="$(mktemp -d)"
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
mkdir "$work/made"
deploy/tools/clients.sh

# What people have built or installed beside the sources is left behind.
tar -C deploy/clients --exclude=node_modules --exclude=dist --exclude='*.egg-info' --exclude=__pycache__ -cf - typescript python | tar -C "$work" -xf -
echo "The library for TypeScript." >&2
(cd "$work/typescript" && npm ci --ignore-scripts --no-audit --no-fund && npm run build && npm pack --ignore-scripts --pack-destination "$work/made") >&2
echo "The library for Python." >&2
(cd "$work/python" && /usr/bin/python3 -m build --wheel --no-isolation --outdir "$work/made") > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }

echo "The library for Go." >&2
module=ams.internal/clients/go
version=v$(sed -n 's/^const Version = "\(.*\)"$/\1/p' deploy/clients/go/version.go)
proxy="$work/made/go/$module/@v"
mkdir -p "$proxy"
echo "$version" > "$proxy/list"
cp deploy/clients/go/go.mod "$proxy/$version.mod"
printf '{"Version":"%s","Time":"%s"}\n' "$version" "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)" > "$proxy/$version.info"
/usr/bin/python3 - "$proxy/$version.zip" "$module@$version" <<'PYTHON'
import pathlib, sys, zipfile

archive, prefix = sys.argv[1:]
folder = pathlib.Path("deploy/clients/go")
with zipfile.ZipFile(archive, "w") as out:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.endswith("_test.go") and "internal" not in path.parts:
            entry = zipfile.ZipInfo(f"{prefix}/{path.relative_to(folder).as_posix()}")  # as old as a zip can say
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            out.writestr(entry, path.read_bytes())
PYTHON

for architecture in amd64 arm64; do # of Linux: what amsctl shares with the services asks Linux about sockets
  echo "amsctl for Linux on $architecture." >&2
  GOOS=linux GOARCH=$architecture compile -o "$work/made/amsctl-linux-$architecture" ./deploy/cmd/amsctl
done

chmod -R a+rX "$work/made"
rm -rf "$folder"
mkdir -p "$(dirname "$folder")"
mv "$work/made" "$folder"
echo "$folder"
