#!/usr/bin/env bash
# "make verify-fresh": the two commands of README.md, on a machine that has nothing but what README.md asks for. An empty Debian 12
# gets Go, make and ca-certificates, and a clone of HEAD; of this machine it sees the kernel, the network and the way to the
# package registries (addresses, proxies, certificates), but no program, cache, home or environment. So a step that is missing
# in deploy/install.sh fails here. As root; about 45 minutes on two cores, 15 GB in TMPDIR (default /var/tmp).
#
# Port 8080 must be free, or AMS_PORT must name one that is. When something fails, the output and the logs are kept.
set -euo pipefail
cd "$(dirname "$0")/../../.."

[ "$(id -u)" -eq 0 ] || { echo "make verify-fresh makes a Debian to change into, which takes root: sudo make verify-fresh" >&2; exit 1; }
say() { printf '\n--- %s (after %d min)\n' "$1" $((SECONDS / 60)); }
deploy/install.sh debootstrap
[ -z "$(git status --porcelain)" ] || echo "Files that are not committed are left out."
revision=$(git rev-parse HEAD)
goroot=$(go env GOROOT)

work=$(mktemp -d "${TMPDIR:-/var/tmp}/ams-fresh-XXXXXX")
tree=$work/debian
pid=
finish() {
  status=$?
  trap '' INT TERM
  # With the first process of the Debian all others end, and its mounts are gone.
  [ -z "$pid" ] || { kill -KILL "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; }
  [ $status -eq 0 ] || cp -a "$tree/root/ams/.run/logs" "$work/logs" 2>/dev/null || true
  rm -rf --one-file-system "$tree"
  if [ $status -eq 0 ]; then
    rm -rf "$work"
  else
    printf '\nFAILED (%d). The output is in %s, logs of the stack in %s.\n' $status "$work/output" "$work/logs" >&2
  fi
}
trap finish EXIT
trap 'exit 130' INT TERM

say "an empty Debian"
# From where this machine gets its Debian packages; a machine of another kind takes the server that debootstrap knows.
sources=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
  awk '$2 ~ /^bookworm/ { print "deb", $0 }')
mirror=$(awk '$3 == "bookworm" { print $2; exit }' <<<"$sources")
packages=${XDG_CACHE_HOME:-$HOME/.cache}/ams/debian-bookworm.tar
debian() { debootstrap --variant=minbase --include=ca-certificates,make "$@" bookworm "$tree" ${mirror:+"$mirror"}; }
if [ ! -e "$packages" ]; then
  mkdir -p "$(dirname "$packages")"
  debian --make-tarball="$packages.new"
  mv "$packages.new" "$packages"
fi
debian --unpack-tarball="$packages" | tail -1

# The way to the registries, and nothing else of this machine.
[ -z "$sources" ] || echo "$sources" > "$tree/etc/apt/sources.list"
cp /etc/resolv.conf /etc/hosts "$tree/etc/"
apt-config dump | grep -E '^Acquire::(https?::|Check-)' > "$tree/etc/apt/apt.conf.d/90network" || true
cp /usr/local/share/ca-certificates/*.crt "$tree/usr/local/share/ca-certificates/" 2>/dev/null || true
chroot "$tree" update-ca-certificates >/dev/null 2>&1
network=(NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt)
for name in GOPROXY GOSUMDB GONOSUMDB; do network+=("$name=$(go env $name)"); done
for name in HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy AMS_PORT; do
  [ -z "${!name:-}" ] || network+=("$name=${!name}")
done
if command -v npm >/dev/null; then
  echo "registry=$(npm config get registry 2>/dev/null)" > "$tree/root/.npmrc"
fi

echo force-unsafe-io > "$tree/etc/dpkg/dpkg.cfg.d/90fast" # it is thrown away

git clone --quiet --no-hardlinks . "$tree/root/ams"
git -C "$tree/root/ams" checkout --quiet --detach "$revision"
mkdir -p "$tree/usr/local/go"

# What is done in there: make run, until a request is answered, and Ctrl-C; then make test.
cat > "$tree/root/commands" <<'S'
set -euo pipefail
cd /root/ams
say() { printf '\n--- %s (after %d min)\n' "$1" $((SECONDS / 60)); }

say "make run"
started=$SECONDS
set -m # make run is a process group of its own, as in a terminal: Ctrl-C goes to all of it
make run > >(tee /root/run.output) 2>&1 &
run=$!
until [ -e .run/stack.json ]; do
  kill -0 $run 2>/dev/null || { echo "make run has ended by itself" >&2; exit 1; }
  [ $((SECONDS - started)) -lt 3600 ] || { echo "no .run/stack.json after an hour" >&2; exit 1; }
  sleep 1
done
API=$(jq -r .base_url .run/stack.json)
KEY=$(jq -r '.organizations[0].keys.full' .run/stack.json)
curl -sS --fail-with-body -H "Authorization: Bearer $KEY" "$API/v1/me"
run_took=$((SECONDS - started))
parts=$(awk '/Schemas are up to date|ams is ready|Demonstration data/ { sub(/^ +/, ""); print "    " $0 }' /root/run.output)
kill -INT -- -$run
wait $run || [ $? -eq 130 ] # make says so of what was interrupted
set +m

say "make test"
started=$SECONDS
make test 2>&1 | tee /root/test.output
printf '\nmake run was ready with data after %d s, by the launcher'"'"'s own clock, which begins after installing and compiling:\n%s\n' $run_took "$parts"
printf 'make test took %d s; its parts:\n' $((SECONDS - started))
grep -- '^--- ' /root/test.output | sed 's/^/    /'
S

say "README's commands in it, at $(git log -1 --format='%h %s')"
export tree goroot
# The mounts are in a namespace of their own, and so are the processes: nothing outlives this script.
enter='
mount --rbind /dev "$tree/dev"
mount -t tmpfs tmpfs "$tree/dev/shm"
mount -t proc proc "$tree/proc"
mount -t sysfs sysfs "$tree/sys"
mount -t tmpfs tmpfs "$tree/run"
mount --bind "$goroot" "$tree/usr/local/go"
mount -o remount,bind,ro "$tree/usr/local/go"
exec chroot "$tree" env -i --default-signal=INT HOME=/root \
  PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" bash /root/commands'
unshare --mount --pid --ipc --uts --fork --kill-child bash -euc "$enter" enter "${network[@]}" </dev/null > >(tee "$work/output") 2>&1 &
pid=$!
wait $pid
