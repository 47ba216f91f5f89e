#!/usr/bin/env bash
# "make verify-citus": the conformance suite of every service on a Citus cluster that somebody has.
#
#   AMS_TEST_CITUS_URL=postgres://postgres:PASSWORD@coordinator:5432/postgres make verify-citus
#   … make verify-citus SERVICES="assets users"
#
# For each suite a database is made on every node, migrated, and distributed by docs/operations/distribute.sql. docs/scale.md has what that is
# known to cost, and what is not known to work.
set -euo pipefail
cd "$(dirname "$0")/../../.."

if [ -z "${AMS_TEST_CITUS_URL:-}" ]; then
  cat >&2 <<'S'
There is no cluster to try it on: set AMS_TEST_CITUS_URL to the address of a coordinator's database, as a superuser, such as
postgres://postgres:PASSWORD@coordinator:5432/postgres. It must be a cluster for tests (roles ams_* get test passwords) with
 - Citus 12.1 or later on PostgreSQL 15 or later, loaded on every node (shared_preload_libraries = 'citus'), and CREATE EXTENSION citus there;
 - its workers in pg_dist_node, with the same superuser and password as the coordinator, by names that this machine can reach too;
 - pg_hba.conf on every node that lets the nodes and this machine in by password.
Debian has no package of Citus; https://docs.citusdata.com/en/stable/installation/multi_node.html tells where there is one.
S
  exit 2
fi
deploy/install.sh
export PATH="$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1):$PATH"
psql -X -A -t -v ON_ERROR_STOP=1 "$AMS_TEST_CITUS_URL" -c "SELECT citus_version()" -c "SELECT count(*) || ' workers' FROM pg_dist_node WHERE noderole = 'primary' AND groupid <> 0" || {
  echo "AMS_TEST_CITUS_URL names no coordinator of a Citus cluster." >&2
  exit 2
}
suites=()
for service in ${SERVICES:-$(grep -l '^func TestConformance' services/*/*_test.go | xargs -n 1 dirname | sort -u | xargs -n 1 basename)}; do suites+=("./services/$service"); done
# One after the other: a cluster for tests is small, and every suite has databases of its own.
go test -count=1 -p=1 -timeout=60m -run '^TestConformance' "${suites[@]}"
