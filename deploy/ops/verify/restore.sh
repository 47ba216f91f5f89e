#!/usr/bin/env bash
# "make verify-restore": does to private servers what docs/operations/restore.md tells people to do, with the same commands,
# and looks whether everything is there afterwards:
#
#   1. back to a moment before a mistake (base backup and archived WAL);
#   2. a dump into a new server;
#
# and what docs/scale.md says of a database for each service:
#
#   3. one service's schema into a server of its own, from where the service serves.
set -euo pipefail
cd "$(dirname "$0")/../../.."

say() { printf '\n--- %s\n' "$*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }

deploy/install.sh
programs=$(pwd)/bin
export PATH="$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1):$PATH"
work=$(mktemp -d "${TMPDIR:-/tmp}/ams-restore-XXXXXX")
chmod 755 "$work"
mkdir "$work/secrets" "$work/server"
server() { "$@"; } # PostgreSQL refuses to be root's
if [ "$(id -u)" = 0 ]; then
  chown postgres "$work/server"
  server() { setpriv --reuid=postgres --regid=postgres --init-groups env HOME="$work/server" "$@"; }
fi
repository=$(pwd)
cd "$work/server"
running=()
finish() {
  for data in "${running[@]}"; do server pg_ctl -D "$data" -m immediate -w stop >/dev/null 2>&1 || true; done
  cd / && rm -rf "$work"
}
trap finish EXIT

free_port() { while :; do port=$((20000 + RANDOM % 10000)); (: </dev/tcp/127.0.0.1/$port) 2>/dev/null || { echo $port; return; }; done; }
start() { # data folder, port, settings…
  local data=$1 port=$2; shift 2
  server pg_ctl -D "$data" -w -t 120 -l "$data.log" -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$work/server $*" start >/dev/null || { tail -20 "$data.log"; fail "no server in $data"; }
  running+=("$data")
}
make_server() { # data folder
  server initdb -D "$1" -U postgres --pwfile="$work/server/password" --auth=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 >/dev/null
}
password=$(od -An -vtx1 -N16 /dev/urandom | tr -d ' \n')
(umask 022; echo "$password" > "$work/server/password")
export PGPASSWORD=$password PGHOST=127.0.0.1 PGUSER=postgres
sql() { psql -X -q -A -t -v ON_ERROR_STOP=1 -p "$1" -d ams -c "$2"; }
# contents says what is in every table of ours: how many rows, and a sum over all they hold.
contents() {
  psql -X -A -t -p "$1" -d ams <<'S'
SELECT schemaname || '.' || tablename || ' ' ||
  (xpath('/row/r/text()', query_to_xml(format('SELECT count(*) || '' '' || coalesce(md5(string_agg(t::text, chr(10) ORDER BY t::text)), '''') AS r FROM %I.%I t', schemaname, tablename), false, true, '')))[1]::text
FROM pg_tables WHERE tableowner = 'ams_owner' ORDER BY 1
S
}

names=$(cd "$repository/services" && for each in */migrations; do dirname "$each"; done; echo gateway) # those that keep something
prepare() { # port
  local role
  for role in owner $names; do
    [ -s "$work/secrets/$role.password" ] || od -An -vtx1 -N16 /dev/urandom | tr -d ' \n' > "$work/secrets/$role.password"
    echo "postgres://ams_$role:$(cat "$work/secrets/$role.password")@127.0.0.1:$1/ams?sslmode=disable" > "$work/secrets/$role.url"
  done
  AMS_ADMIN_DATABASE_URL="postgres://postgres:$password@127.0.0.1:$1/postgres?sslmode=disable" "$programs/amsctl" database prepare "$work"/secrets/*.url
}

say "a server that archives what it writes"
port=$(free_port)
make_server "$work/server/first"
server mkdir "$work/server/archive"
start "$work/server/first" "$port" "-c wal_level=replica -c archive_mode=on -c archive_timeout=60 -c archive_command=cp\\ %p\\ $work/server/archive/%f"
prepare "$port"
for program in $names; do
  AMS_OWNER_DATABASE_URL_FILE="$work/secrets/owner.url" "$programs/$program" migrate >/dev/null || fail "$program does not migrate"
done
organization=018f0000-0000-7000-8000-000000000001
# document makes contents of documents as the service does: the bytes under the id of their row, then the row.
document() { # how many
  local id
  mkdir -p "$work/documents/objects/$organization"
  for _ in $(seq "$1"); do
    id=$(cat /proc/sys/kernel/random/uuid)
    head -c $((1 + RANDOM)) /dev/urandom > "$work/documents/objects/$organization/$id"
    echo "INSERT INTO documents.blob (organization_id, id, state, created_by, size, sha256, media_type, scan_status) VALUES ('$organization', '$id', 'ready',
      '{}', $(stat -c %s "$work/documents/objects/$organization/$id"), '\\x$(sha256sum < "$work/documents/objects/$organization/$id" | cut -d' ' -f1)',
      'application/octet-stream', 'clean');"
  done | psql -X -q -v ON_ERROR_STOP=1 -p "$port" -d ams
}
# documents says what rows and objects disagree about, as "< row" and "> object", each with its size and sha256.
documents() { # port, folder of the store
  diff <(sql "$1" "SELECT organization_id || '/' || id || ' ' || size || ' ' || encode(sha256, 'hex') FROM documents.blob WHERE state = 'ready'" | sort) \
    <(cd "$2/objects" && find . -type f -printf '%P\n' | while read -r key; do echo "$key $(stat -c %s "$key") $(sha256sum < "$key" | cut -d' ' -f1)"; done | sort) |
    grep '^[<>]' || true
}
document 20
sql "$port" "INSERT INTO assets.counter (organization_id, name, value) SELECT '$organization', 'before the backup ' || n, n FROM generate_series(1, 500) n"

say "base backup; more is written; then somebody makes a mistake"
server env PGPASSWORD="$password" pg_basebackup -p "$port" -D "$work/server/base" -X none --checkpoint=fast
sql "$port" "INSERT INTO assets.counter (organization_id, name, value) SELECT '$organization', 'after the backup ' || n, n FROM generate_series(1, 500) n"
document 20
[ -z "$(documents "$port" "$work/documents")" ] || fail "rows and objects disagree to begin with"
contents "$port" > "$work/wanted"
moment=$(sql "$port" "SELECT clock_timestamp()")
sleep 1
document 5 # after the moment
sql "$port" "DELETE FROM assets.counter; DELETE FROM documents.blob" # the service deletes objects 35 days after their rows
sql "$port" "SELECT pg_switch_wal()" >/dev/null
[ "$(sql "$port" 'SELECT count(*) FROM assets.counter')" = 0 ] || fail "the mistake was not made"
for _ in $(seq 100); do [ "$(sql "$port" "SELECT last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1) FROM pg_stat_archiver")" = t ] && break; sleep 0.2; done

say "the objects, after the database; then their disk is lost"
cp -a "$work/documents" "$work/documents-backup"
rm -rf "$work/documents"

say "1. back to $moment"
second=$(free_port)
server cp -a "$work/server/base" "$work/server/second"
server touch "$work/server/second/recovery.signal"
start "$work/server/second" "$second" "-c restore_command=cp\\ $work/server/archive/%f\\ %p -c recovery_target_time='$moment' -c recovery_target_action=promote"
for _ in $(seq 300); do [ "$(sql "$second" 'SELECT pg_is_in_recovery()')" = f ] && break; sleep 0.2; done
contents "$second" > "$work/have"
diff "$work/wanted" "$work/have" || fail "it is not what was there at that moment"
echo "$(wc -l < "$work/have") tables are what they were, $(sql "$second" 'SELECT count(*) FROM assets.counter') rows of the mistake are back"
cp -a "$work/documents-backup" "$work/documents"
documents "$second" "$work/documents" > "$work/unknown"
[ "$(grep -c '^<' "$work/unknown")" = 0 ] || fail "rows without their bytes: $(cat "$work/unknown")"
[ "$(grep -c '^>' "$work/unknown")" = 5 ] || fail "not the five objects that came after the moment are unknown: $(cat "$work/unknown")"
echo "$(sql "$second" "SELECT count(*) FROM documents.blob") contents have their bytes, five that came later are unknown"
object=$(sql "$second" "SELECT organization_id || '/' || id FROM documents.blob LIMIT 1")
mv "$work/documents/objects/$object" "$work/taken"
documents "$second" "$work/documents" | grep -q "^< $object" || fail "an object that is missing is not noticed"
(cat "$work/taken"; echo x) > "$work/documents/objects/$object"
documents "$second" "$work/documents" | grep -q "^< $object" || fail "an object of other bytes is not noticed"

say "2. a dump into a new server"
server env PGPASSWORD="$password" pg_dump -p "$second" -Fc -f "$work/server/ams.dump" ams
third=$(free_port)
make_server "$work/server/third"
start "$work/server/third" "$third"
prepare "$third"                                         # the roles and their passwords are not in a dump
psql -X -q -p "$third" -d postgres -c 'DROP DATABASE ams' # the dump brings the database with all that was granted on it
pg_restore -p "$third" -d postgres --create --exit-on-error "$work/server/ams.dump"
contents "$third" > "$work/have"
diff "$work/wanted" "$work/have" || fail "the dump is not what was there"
echo "$(wc -l < "$work/have") tables are what they were"

say "the programs' roles see what they did, and no more"
as_assets() { PGPASSWORD=$(cat "$work/secrets/assets.password") psql -X -q -A -t -p "$third" -U ams_assets -d ams -c "$1"; }
[ "$(as_assets 'SELECT count(*) FROM counter')" = 0 ] || fail "without an organization rows are shown"
[ "$(as_assets "SET ams.organization_id = '$organization'; SELECT count(*) FROM counter" | tail -1)" = 1000 ] || fail "the organization does not see its rows"
as_assets 'SELECT count(*) FROM users.counter' >/dev/null 2>&1 && fail "assets reads another schema"
for program in $names; do
  AMS_OWNER_DATABASE_URL_FILE="$work/secrets/owner.url" "$programs/$program" migrate >/dev/null || fail "$program finds its schema changed"
done
contents "$third" | diff "$work/wanted" - || fail "the migrations ran once more"
echo "row-level security holds, and nothing is left to migrate"
say "3. assets into a server of its own"
server env PGPASSWORD="$password" pg_dump -p "$third" -Fc -n assets -f "$work/server/assets.dump" ams
fourth=$(free_port)
make_server "$work/server/fourth"
start "$work/server/fourth" "$fourth"
for role in owner assets; do sed "s/:$third\//:$fourth\//" "$work/secrets/$role.url" > "$work/secrets/$role.fourth"; done
AMS_ADMIN_DATABASE_URL="postgres://postgres:$password@127.0.0.1:$fourth/postgres?sslmode=disable" "$programs/amsctl" database prepare "$work/secrets/owner.fourth" "$work/secrets/assets.fourth"
sql "$fourth" 'DROP SCHEMA assets' # the dump brings it with all that was granted on it
pg_restore -p "$fourth" -d ams --exit-on-error "$work/server/assets.dump"
contents "$fourth" > "$work/have"
diff <(grep '^assets\.' "$work/wanted") "$work/have" || fail "it is not what was there"
AMS_OWNER_DATABASE_URL_FILE="$work/secrets/owner.fourth" "$programs/assets" migrate
address="127.0.0.1:$(free_port)"
AMS_LISTEN=$address AMS_DATABASE_URL_FILE="$work/secrets/assets.fourth" AMS_PRINCIPAL_SECRETS=$password$password AMS_DISCOVERY=static "$programs/assets" > "$work/assets.log" 2>&1 &
assets=$!
for _ in $(seq 200); do AMS_LISTEN=$address "$programs/assets" ready 2>/dev/null && break; sleep 0.1; done
AMS_LISTEN=$address "$programs/assets" ready || { cat "$work/assets.log"; kill $assets; fail "assets does not serve from there"; }
kill $assets
wait $assets || fail "assets does not end in order: $(cat "$work/assets.log")"
echo "$(wc -l < "$work/have") tables are what they were, and the service is ready on them"
say "passed"
