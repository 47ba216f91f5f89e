#!/usr/bin/env bash
# "make verify-restore": does to private servers what docs/operations/restore.md tells people to do, with the same commands,
# and looks whether everything is there afterwards:
#
#   1. back to a moment before a mistake (base backup and archived WAL);
#   2. a dump into a new server;
#   3. one cell of two back to a moment, and nothing of the other;
#
# and what docs/scale.md says of a database for each service:
#
#   4. one service's schema into a server of its own, from where the service serves.
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
prepare() { # port, programs (all of them), folder of the addresses
  local role folder=${3:-$work/secrets}
  mkdir -p "$folder"
  for role in owner ${2:-$names}; do
    [ -s "$work/secrets/$role.password" ] || od -An -vtx1 -N16 /dev/urandom | tr -d ' \n' > "$work/secrets/$role.password"
    echo "postgres://ams_$role:$(cat "$work/secrets/$role.password")@127.0.0.1:$1/ams?sslmode=disable" > "$folder/$role.url"
  done
  AMS_ADMIN_DATABASE_URL="postgres://postgres:$password@127.0.0.1:$1/postgres?sslmode=disable" "$programs/amsctl" database prepare "$folder"/*.url
}
migrate() { # programs, address of the owner
  local program
  for program in $1; do
    AMS_OWNER_DATABASE_URL_FILE=$2 "$programs/ams" migrate "$program" >/dev/null || fail "$program does not migrate"
  done
}
archived() { # port: what was written so far is in the archive
  local file
  file=$(sql "$1" "SELECT pg_walfile_name(pg_switch_wal())")
  for _ in $(seq 100); do
    [ "$(sql "$1" "SELECT last_archived_wal >= '$file' FROM pg_stat_archiver")" = t ] && return
    sleep 0.2
  done
  fail "the server at $1 does not archive"
}
recover() { # base backup, archive, moment, data folder, port
  server cp -a "$1" "$4"
  server touch "$4/recovery.signal"
  start "$4" "$5" "-c restore_command=cp\\ $2/%f\\ %p -c recovery_target_time='$3' -c recovery_target_action=promote"
  for _ in $(seq 300); do [ "$(sql "$5" 'SELECT pg_is_in_recovery()')" = f ] && return; sleep 0.2; done
  fail "the server at $5 does not end its recovery"
}
ready() { # log, variables of an assets service, which becomes ready and ends in order
  local log=$1 address; shift
  address="127.0.0.1:$(free_port)"
  env AMS_LISTEN="$address" AMS_PRINCIPAL_SECRETS="$password$password" AMS_DISCOVERY=static "$@" "$programs/ams" serve assets > "$log" 2>&1 &
  local assets=$!
  for _ in $(seq 200); do AMS_LISTEN=$address "$programs/ams" ready 2>/dev/null && break; sleep 0.1; done
  AMS_LISTEN=$address "$programs/ams" ready || { cat "$log"; kill $assets; fail "assets does not serve from there"; }
  kill $assets
  wait $assets || fail "assets does not end in order: $(cat "$log")"
}

say "a server that archives what it writes"
port=$(free_port)
make_server "$work/server/first"
server mkdir "$work/server/archive"
start "$work/server/first" "$port" "-c wal_level=replica -c archive_mode=on -c archive_timeout=60 -c archive_command=cp\\ %p\\ $work/server/archive/%f"
prepare "$port"
migrate "$names" "$work/secrets/owner.url"
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
[ "$(sql "$port" 'SELECT count(*) FROM assets.counter')" = 0 ] || fail "the mistake was not made"
archived "$port"

say "the objects, after the database; then their disk is lost"
cp -a "$work/documents" "$work/documents-backup"
rm -rf "$work/documents"

say "1. back to $moment"
second=$(free_port)
recover "$work/server/base" "$work/server/archive" "$moment" "$work/server/second" "$second"
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
  AMS_OWNER_DATABASE_URL_FILE="$work/secrets/owner.url" "$programs/ams" migrate "$program" >/dev/null || fail "$program finds its schema changed"
done
contents "$third" | diff "$work/wanted" - || fail "the migrations ran once more"
echo "row-level security holds, and nothing is left to migrate"
say "3. one cell of two"
inhabited=$(printf '%s\n' $names | grep -vxE 'gateway|console|mcp') # the control plane is in the first cell alone
cell=$(free_port)
make_server "$work/server/cell"
server mkdir "$work/server/cell-archive"
start "$work/server/cell" "$cell" "-c wal_level=replica -c archive_mode=on -c archive_timeout=60 -c archive_command=cp\\ %p\\ $work/server/cell-archive/%f"
prepare "$cell" "$inhabited" "$work/cell-secrets"
migrate "$inhabited" "$work/cell-secrets/owner.url"
stays=018f0000-0000-7000-8000-000000000002 # in the second cell
moves=018f0000-0000-7000-8000-000000000003 # from there into the first, after the moment
rows() { # port, organization, how many, name: in the tables of two programs
  sql "$1" "INSERT INTO assets.counter (organization_id, name, value) SELECT '$2', '$4 ' || n, n FROM generate_series(1, $3) n;
    INSERT INTO workorders.counter (organization_id, name, value) SELECT '$2', '$4 ' || n, n FROM generate_series(1, $3) n"
}
rows "$cell" $stays 500 'before the backup'
rows "$cell" $moves 200 'before the backup'
server env PGPASSWORD="$password" pg_basebackup -p "$cell" -D "$work/server/cell-base" -X none --checkpoint=fast
rows "$cell" $stays 500 'after the backup'
contents "$cell" > "$work/wanted-cell"
moment=$(sql "$cell" "SELECT clock_timestamp()")
sleep 1
sql "$cell" "DELETE FROM assets.counter; DELETE FROM workorders.counter WHERE organization_id = '$moves'" # a mistake, and a move
rows "$third" $moves 200 'before the backup'
rows "$third" $organization 300 'after the moment' # the other cell goes on
archived "$cell"
server pg_ctl -D "$work/server/cell" -m fast -w stop >/dev/null
rows "$third" $organization 100 'while the cell is away'
contents "$third" > "$work/wanted-other"

restored=$(free_port)
recover "$work/server/cell-base" "$work/server/cell-archive" "$moment" "$work/server/cell-restored" "$restored"
contents "$restored" > "$work/have"
diff "$work/wanted-cell" "$work/have" || fail "the cell is not what it was at that moment"
contents "$third" | diff "$work/wanted-other" - || fail "the other cell has changed"
[ "$(sql "$third" "SELECT count(*) FROM assets.counter WHERE name ~ '^(after the moment|while the cell)'")" = 400 ] || fail "the other cell lacks what was written after the moment"
echo "$(wc -l < "$work/have") tables of the cell are what they were; the other cell has what was written after that moment, and while the cell was away"
mark=$(sed -n '/psql -d ams -v organization=/,/^ *S$/p' "$repository/docs/operations/restore.md") # the command of the runbook
[ -n "$mark" ] || fail "docs/operations/restore.md has no command that marks an organization"
(export PGPORT=$restored PGOPTIONS='-c client_min_messages=warning'; eval "$(sed -E "s/^ +//; s/organization=[0-9a-f-]+/organization=$moves/" <<< "$mark")") >/dev/null
as_cell() { PGPASSWORD=$(cat "$work/secrets/assets.password") psql -X -q -A -t -v ON_ERROR_STOP=1 -p "$restored" -U ams_assets -d ams -c "SET ams.organization_id = '$1'" -c "$2"; }
enter() { as_cell "$1" "SELECT enter_moving(m.organization, m.state, 'read') FROM organization_move m WHERE m.organization = '$1'"; } # what a transaction begins with
[ "$(as_cell $stays "SELECT count(*) FROM counter")" = 1000 ] || fail "the organization does not see its rows in the restored cell"
[ "$(sql "$restored" "SELECT count(*) FROM workorders.organization_move WHERE state = 'absent'")" = 1 ] || fail "not every schema knows who has moved away"
enter $stays >/dev/null || fail "the organization is not served there"
if enter $moves >/dev/null 2>&1; then fail "an organization that has moved away since is served from the restored cell"; fi
for role in owner assets; do sed "s/:$cell\//:$restored\//" "$work/cell-secrets/$role.url" > "$work/cell-secrets/$role.restored"; done
migrate "$inhabited" "$work/cell-secrets/owner.restored"
for role in owner assets; do sed "s/@127.0.0.1:[0-9]*\//@127.0.0.1:$third\//" "$work/secrets/$role.url" > "$work/cell-secrets/$role.first"; done
ready "$work/cell.log" AMS_DATABASE_URL_FILE="$work/cell-secrets/assets.first" AMS_CELLS="second=$(cat "$work/cell-secrets/assets.restored")"
echo "assets is ready on both cells; who moved away after the moment is refused in the restored one"
# The other cell is what it was before, for what follows.
sql "$third" "DELETE FROM assets.counter WHERE organization_id = '$moves' OR name ~ '^(after the moment|while the cell)';
  DELETE FROM workorders.counter WHERE organization_id IN ('$moves', '$organization')"

say "4. assets into a server of its own"
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
AMS_OWNER_DATABASE_URL_FILE="$work/secrets/owner.fourth" "$programs/ams" migrate assets
ready "$work/assets.log" AMS_DATABASE_URL_FILE="$work/secrets/assets.fourth"
echo "$(wc -l < "$work/have") tables are what they were, and the service is ready on them"
say "passed"
