#!/usr/bin/env bash
# Makes the secrets of docker-compose.yml, one file each, in deploy/ops/compose/secrets. What is there already is kept, so
# it may be run at any time; a secret is made anew by removing its file first (docs/operations/rotate-secrets.md).
# The folder is closed to others; the files in it are readable, because the programs in the containers are user 65532.
set -euo pipefail

here="$(cd "$(dirname "$0")" && pwd)"
folder="${1:-$here/secrets}"
# Secrets of a checkout that had this folder as deploy/compose stay in use: the database knows them.
[ -e "$here/secrets" ] || [ ! -d "$here/../../compose/secrets" ] || mv "$here/../../compose/secrets" "$here/secrets"
mkdir -p "$folder"
chmod 700 "$folder"
umask 022

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
for role in owner gateway assets users workorders los infrastructure projects requests meters forms planning accounting documents console webhooks mcp; do
  make_secret "${role}_database_url" "postgres://ams_$role:$(random)@postgres:5432/ams?sslmode=disable"
done

# The tokens by which programs register in Consul, which takes UUIDs only, and its own settings with the one that may do everything.
new_uuid() { cat /proc/sys/kernel/random/uuid 2>/dev/null || uuidgen | tr '[:upper:]' '[:lower:]'; }
make_secret consul_management_token "$(new_uuid)"
for program in gateway assets users workorders los infrastructure projects requests meters forms planning accounting documents console webhooks mcp search prometheus; do
  make_secret "${program}_consul_token" "$(new_uuid)"
done
management="$(cat "$folder/consul_management_token")"
make_secret consul_acl '{"acl": {"enabled": true, "default_policy": "deny", "tokens": {"initial_management": "'"$management"'", "agent": "'"$management"'"}}}'

# Who may come to the pooler, if there is one: the programs' roles with their passwords. The owner goes past it.
users=
for role in gateway assets users workorders los infrastructure projects requests meters forms planning accounting documents console webhooks mcp; do
  password="$(sed -E 's#^[a-z]+://[^:]+:([^@]+)@.*#\1#' "$folder/${role}_database_url")"
  users+="\"ams_$role\" \"$password\""$'\n'
done
make_secret pooler_users "$users"

# A second cell, if there is one (second-cell.yaml): its server, the addresses of the roles there, and AMS_CELLS of each program.
make_secret second-postgres_password "$(random)"
make_secret second-admin_database_url "postgres://postgres:$(cat "$folder/second-postgres_password")@postgres-second:5432/postgres?sslmode=disable"
for role in owner assets users workorders los infrastructure projects requests meters forms planning accounting documents webhooks; do
  make_secret "second-${role}_database_url" "postgres://ams_$role:$(random)@postgres-second:5432/ams?sslmode=disable"
  make_secret "${role}_cells" "second=$(cat "$folder/second-${role}_database_url")"
done
