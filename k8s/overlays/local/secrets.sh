#!/usr/bin/env bash
# Makes the secrets of the local overlay in the cluster that kubectl points to, from the ones of docker-compose.yml
# (made first if need be). May be run again: it replaces them.
set -euo pipefail

here="$(cd "$(dirname "$0")" && pwd)"
folder="$here/../../../deploy/ops/compose/secrets"
"$here/../../../deploy/ops/compose/secrets.sh" "$folder"

secret() { # name, key, file
  kubectl -n ams create secret generic "$1" --from-file="$2=$3" --dry-run=client -o yaml | kubectl apply -f -
}

kubectl apply -f "$here/../../base/namespace.yaml"
secret ams-principal secrets "$folder/principal_secrets"
secret ams-operator token "$folder/operator_token"
secret ams-redis url "$folder/redis_url"
secret ams-webhooks secrets "$folder/webhook_secrets"
kubectl -n ams create secret generic ams-documents-store --from-file="access-key=$folder/documents_access_key" \
  --from-file="secret-key=$folder/documents_secret_key" --dry-run=client -o yaml | kubectl apply -f -
secret ams-mcp secrets "$folder/mcp_secrets"
secret postgres password "$folder/postgres_password"
secret redis password "$folder/redis_password"
secret ams-database-admin url "$folder/admin_database_url"
secret ams-database-owner url "$folder/owner_database_url"
for file in "$folder"/databases/*; do
  secret "ams-database-$(basename "$file")" url "$file"
done
for file in "$folder"/tokens/*; do
  secret "ams-consul-$(basename "$file")" token "$file"
done
# Consul's own, as its chart has made it.
management="$(kubectl -n consul get secret consul-bootstrap-acl-token -o jsonpath='{.data.token}')" ||
  { echo "Install Consul first (k8s/consul/values.yaml says how): its management token, the secret consul-bootstrap-acl-token, is not there." >&2; exit 1; }
secret ams-consul-management token <(base64 -d <<<"$management")
secret ams-database-second-admin url "$folder/second-admin_database_url" # from here on of the component second-cell, if it is there
secret ams-database-second-owner url "$folder/second-owner_database_url"
for file in "$folder"/second/*; do
  secret "ams-database-second-$(basename "$file")" url "$file"
done
for file in "$folder"/cells/*; do
  secret "ams-cells-$(basename "$file")" cells "$file"
done
