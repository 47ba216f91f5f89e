#!/usr/bin/env bash
# Makes the secrets of docker-compose.yml, one file each, in deploy/ops/compose/secrets, and .env, which says what runs. What is there already is kept, so
# it may be run at any time; a secret is made anew by removing its file first (docs/operations/rotate-secrets.md).
# The folder is closed to others; the files in it are readable, because the programs in the containers are user 65532.
set -euo pipefail

here="$(cd "$(dirname "$0")" && pwd)"
folder="${1:-$here/secrets}"
# Secrets of a checkout that had this folder as deploy/compose stay in use: the database knows them.
[ -e "$here/secrets" ] || [ ! -d "$here/../../compose/secrets" ] || mv "$here/../../compose/secrets" "$here/secrets"
before=
[ ! -s "$folder/principal_secrets" ] || before=yes
mkdir -p "$folder"
chmod 700 "$folder"
umask 022
mkdir -p "$folder/databases" "$folder/tokens" "$folder/second" "$folder/cells"
# What stood beside the other secrets until each kind got a folder, in which a process for one target sees its own file.
for file in "$folder"/*_database_url "$folder"/*_consul_token "$folder"/*_cells; do
  name="$(basename "$file")"
  [ -f "$file" ] || continue
  case "$name" in
    admin_* | owner_* | second-admin_* | second-owner_*) ;;
    second-*) name="${name#second-}" && mv "$file" "$folder/second/${name%_database_url}" ;;
    *_database_url) mv "$file" "$folder/databases/${name%_database_url}" ;;
    *_consul_token) mv "$file" "$folder/tokens/${name%_consul_token}" ;;
    *_cells) mv "$file" "$folder/cells/${name%_cells}" ;;
  esac
done

random() { od -An -vtx1 -N32 /dev/urandom | tr -d ' \n'; } # 256 bits; letters and digits, so that a URL needs no escaping

make_secret() { # file, content
  [ -s "$folder/$1" ] || { printf '%s\n' "$2" > "$folder/$1.new" && mv "$folder/$1.new" "$folder/$1"; echo "made $folder/$1"; }
}

make_secret principal_secrets "$(random)"
make_secret webhook_secrets "$(random)"
make_secret mcp_secrets "$(random)"
make_secret operator_token "$(random)"
make_secret postgres_password "$(random)"
make_secret redis_password "$(random)"
make_secret grafana_password "$(random)"
make_secret documents_access_key "$(random)"
make_secret documents_secret_key "$(random)"

make_secret admin_database_url "postgres://postgres:$(cat "$folder/postgres_password")@postgres:5432/postgres?sslmode=disable"
make_secret redis_url "redis://:$(cat "$folder/redis_password")@redis:6379"
make_secret redis_configuration "requirepass $(cat "$folder/redis_password")
dir /data
appendonly yes
maxmemory 256mb
maxmemory-policy volatile-ttl"
make_secret owner_database_url "postgres://ams_owner:$(random)@postgres:5432/ams?sslmode=disable"
for role in gateway assets users workorders los infrastructure projects requests meters forms planning accounting documents console webhooks mcp; do
  make_secret "databases/$role" "postgres://ams_$role:$(random)@postgres:5432/ams?sslmode=disable"
done

# The tokens by which programs register in Consul, which takes UUIDs only, and its own settings with the one that may do everything.
new_uuid() { cat /proc/sys/kernel/random/uuid 2>/dev/null || uuidgen | tr '[:upper:]' '[:lower:]'; }
make_secret consul_management_token "$(new_uuid)"
for program in gateway assets users workorders los infrastructure projects requests meters forms planning accounting documents console webhooks mcp search prometheus; do
  make_secret "tokens/$program" "$(new_uuid)"
done
management="$(cat "$folder/consul_management_token")"
make_secret consul_acl '{"acl": {"enabled": true, "default_policy": "deny", "tokens": {"initial_management": "'"$management"'", "agent": "'"$management"'"}}}'

# Who may come to the pooler, if there is one: the programs' roles with their passwords. The owner goes past it.
users=
for role in gateway assets users workorders los infrastructure projects requests meters forms planning accounting documents console webhooks mcp; do
  password="$(sed -E 's#^[a-z]+://[^:]+:([^@]+)@.*#\1#' "$folder/databases/$role")"
  users+="\"ams_$role\" \"$password\""$'\n'
done
make_secret pooler_users "$users"

# A second cell, if there is one (second-cell.yaml): its server, the addresses of the roles there, and AMS_CELLS of each program.
make_secret second-postgres_password "$(random)"
make_secret second-admin_database_url "postgres://postgres:$(cat "$folder/second-postgres_password")@postgres-second:5432/postgres?sslmode=disable"
make_secret second-owner_database_url "postgres://ams_owner:$(random)@postgres-second:5432/ams?sslmode=disable"
make_secret cells/owner "second=$(cat "$folder/second-owner_database_url")"
for role in assets users workorders los infrastructure projects requests meters forms planning accounting documents webhooks; do
  make_secret "second/$role" "postgres://ams_$role:$(random)@postgres-second:5432/ams?sslmode=disable"
  make_secret "cells/$role" "second=$(cat "$folder/second/$role")"
done

# What runs, unless somebody has said it: the product in one process. Where there were secrets before, what ran then goes on.
settings="$here/../../../.env"
if ! grep -qs '^COMPOSE_PROFILES=' "$settings"; then
  if [ -n "$before" ]; then
    printf 'COMPOSE_PROFILES=distributed,observability,scanner\nAMS_DOCUMENTS_SCANNER=tcp://clamd:3310\nAMS_SHARED_BUFFERS=512MB\n'
  else
    echo 'COMPOSE_PROFILES=small'
  fi >> "$settings"
  echo "made .env: $(grep '^COMPOSE_PROFILES=' "$settings")"
fi
