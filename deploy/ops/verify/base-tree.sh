#!/usr/bin/env bash
# A Debian tree with what the official images of docker-compose.yml and k8s/ hold: PostgreSQL, Redis, Consul, clamd, an S3 server,
# Prometheus, a collector, Jaeger and Go. Made once, and kept. For a machine that reaches Debian but no registry. Prints where it is.
set -euo pipefail
cd "$(dirname "$0")/../../.."

folder="${AMS_DOCKER_DIR:-/var/tmp/ams-docker}"
tree="$folder/bookworm"

if [ ! -e "$tree/.complete" ]; then
  rm -rf "$tree" # what is left of one that did not come to its end
  debootstrap --variant=minbase --include=ca-certificates,postgresql-15,redis-server,wget bookworm "$tree" >&2
  install -m 755 "$(deploy/tools/build.sh consul)" "$tree/usr/local/bin/consul"
  mkdir -p "$tree/usr/local/go" "$tree/consul/data" "$tree/data"
  cp -a "$(go env GOROOT)/." "$tree/usr/local/go/"
  chown -R 100:1000 "$tree/consul"
  chown 999:999 "$tree/data" # of Redis, as in the official image
  touch "$tree/.complete"
fi

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

# The accounts of the official images, and how these start.
grep -q ':999:' "$tree/etc/passwd" || echo 'stores:x:999:999::/nonexistent:/usr/sbin/nologin' >> "$tree/etc/passwd"
cat > "$tree/usr/local/bin/postgres-entrypoint" <<'S'
#!/bin/sh
# As in the official image: the first start makes the cluster with the password it is given.
set -e
PATH=/usr/lib/postgresql/15/bin:$PATH
data=${PGDATA:-/var/lib/postgresql/data}
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
echo "$tree"
