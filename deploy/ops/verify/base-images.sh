#!/usr/bin/env bash
# Stand-ins for the official images that Dockerfile and docker-compose.yml name, for a machine that reaches Debian but no
# registry: one Debian tree with PostgreSQL, Redis, Consul, clamd, an S3 server, Prometheus, a collector, Jaeger and Go, imported under those names. They
# prove our part (how images are built, started, checked and connected), not the official images. Grafana cannot be had.
set -euo pipefail
cd "$(dirname "$0")/../../.."

tree="$(deploy/ops/verify/base-tree.sh)"
named() { sed -nE "s#^ *(image:|FROM) ($1:[^ ]+).*#\\2#p" docker-compose.yml Dockerfile | head -1; }

stand_in() { # name, changes…
  local name="$1"; shift
  docker image inspect "$name" >/dev/null 2>&1 && return
  local changes=() change
  for change in "$@"; do changes+=(--change "$change"); done
  tar -C "$tree" --one-file-system --exclude=./proc --exclude=./sys --exclude=./var/cache "${exclude[@]}" -c . | docker import "${changes[@]}" - "$name" >&2
  echo "stand-in for $name" >&2
}
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
