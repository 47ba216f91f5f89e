#!/usr/bin/env bash
# Stand-ins for the official images that Dockerfile and docker-compose.yml name, for a machine that reaches Debian but no
# registry: one Debian tree with PostgreSQL, Redis, Consul, clamd, an S3 server, Prometheus, a collector, Jaeger and Go, imported under those names. They
# prove our part (how images are built, started, checked and connected), not the official images. Grafana cannot be had.
set -euo pipefail
cd "$(dirname "$0")/../../.."

folder="${AMS_DOCKER_DIR:-/var/tmp/ams-docker}"
tree="$folder/bookworm"
named() { sed -nE "s#^ *(image:|FROM) ($1:[^ ]+).*#\\2#p" docker-compose.yml Dockerfile | head -1; }

if [ ! -e "$tree/.complete" ]; then
  [ -x "$tree/usr/bin/redis-server" ] || debootstrap --variant=minbase --include=ca-certificates,postgresql-15,redis-server,wget bookworm "$tree" >&2
  install -m 755 "$(deploy/tools/build.sh consul)" "$tree/usr/local/bin/consul"
  mkdir -p "$tree/usr/local/go" "$tree/consul/data" "$tree/data"
  cp -a "$(go env GOROOT)/." "$tree/usr/local/go/"
  chown -R 100:1000 "$tree/consul"
  chown 999:999 "$tree/data" # of Redis, as in the official image
  cat > "$tree/usr/local/bin/postgres-entrypoint" <<'S'
#!/bin/sh
# As in the official image: the first start makes the cluster with the password it is given.
set -e
PATH=/usr/lib/postgresql/15/bin:$PATH
data=/var/lib/postgresql/data
if [ "$(id -u)" = 0 ]; then
  mkdir -p $data /var/run/postgresql && chown postgres $data /var/run/postgresql && chmod 700 $data
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
if [ ! -s $data/PG_VERSION ]; then
  initdb -D $data -U postgres --pwfile="$POSTGRES_PASSWORD_FILE" --auth-host=scram-sha-256 --auth-local=trust --encoding=UTF8 --locale=C.UTF-8
  echo 'host all all all scram-sha-256' >> $data/pg_hba.conf
fi
exec "$@" -D $data -c listen_addresses='*'
S
  cat > "$tree/usr/local/bin/consul-entrypoint" <<'S'
#!/bin/sh
# As in the official image: data folder and address are added to "agent".
set -e
shift
exec consul agent -data-dir=/consul/data -bind="$(hostname -i | cut -d' ' -f1)" "$@"
S
  chmod 755 "$tree/usr/local/bin/postgres-entrypoint" "$tree/usr/local/bin/consul-entrypoint"
  touch "$tree/.complete"
fi

stand_in() { # name, changes…
  local name="$1"; shift
  docker image inspect "$name" >/dev/null 2>&1 && return
  local changes=() change
  for change in "$@"; do changes+=(--change "$change"); done
  tar -C "$tree" --one-file-system --exclude=./proc --exclude=./sys --exclude=./var/cache "${exclude[@]}" -c . | docker import "${changes[@]}" - "$name" >&2
  echo "stand-in for $name" >&2
}
# What watches, which came later than the rest: programs of their own, without what Debian's package would bring along.
if [ ! -e "$tree/.watching" ]; then
  (cd "$folder" && apt-get download prometheus >/dev/null && dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x -C "$tree" ./usr/bin/prometheus && rm prometheus_*.deb)
  install -m 755 "$(deploy/tools/build.sh collector)" "$tree/usr/local/bin/otelcol"
  install -m 755 "$(deploy/tools/build.sh jaeger)" "$tree/usr/local/bin/jaeger"
  mkdir -p "$tree/prometheus"
  chown 65534:65534 "$tree/prometheus"
  touch "$tree/.watching"
fi

# The scanner and the store of documents, later still. Of the libraries, those that the tree does not have.
if [ ! -e "$tree/.documents" ]; then
  mkdir -p "$folder/clamd"
  (cd "$folder/clamd" && rm -f ./*.deb && apt-get download clamav-daemon clamav-freshclam clamdscan $(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
    --no-replaces --no-enhances libclamav12 libcurl4 libncurses6 | grep '^lib' | grep -v -e ^libc6 -e ^libgcc | sort -u) >/dev/null 2>&1)
  for package in "$folder"/clamd/*.deb; do dpkg-deb --fsys-tarfile "$package" | tar -x -C "$tree" --keep-directory-symlink --skip-old-files; done
  mkdir -p "$tree/var/lib/clamav"
  chown 100:101 "$tree/var/lib/clamav"
  install -m 755 "$(deploy/tools/build.sh versitygw)" "$tree/usr/local/bin/versitygw"
  touch "$tree/.documents"
fi

exclude=()
stand_in "$(named golang)" 'ENV PATH=/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin:/sbin:/usr/sbin' 'ENV GOTOOLCHAIN=local' 'ENV GOFLAGS=-mod=vendor'
exclude=(--exclude=./usr/local/go)
stand_in "$(named postgres)" 'ENV PATH=/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/bin:/bin:/sbin:/usr/sbin' 'ENTRYPOINT ["postgres-entrypoint"]'
stand_in "$(named redis)"
stand_in "$(named versity/versitygw)"
stand_in "$(named clamav/clamav)" 'ENV PATH=/usr/local/bin:/usr/bin:/bin:/sbin:/usr/sbin'
stand_in "$(named hashicorp/consul)" 'ENTRYPOINT ["consul-entrypoint"]'
exclude+=(--exclude=./usr/lib/postgresql --exclude=./usr/local/bin/consul)
stand_in "$(named otel/opentelemetry-collector-contrib)" 'USER 10001' 'ENTRYPOINT ["/usr/local/bin/otelcol"]'
stand_in "$(named jaegertracing/all-in-one)" 'USER 10001' 'ENTRYPOINT ["/usr/local/bin/jaeger"]'
stand_in "$(named prom/prometheus)" 'USER 65534' 'ENTRYPOINT ["/usr/bin/prometheus"]'
