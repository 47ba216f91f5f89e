# Makes the cluster, rolls the product out to it, and tries who reaches whom. Sourced by verify.sh, as the others here.
# shellcheck shell=bash disable=SC2154
"$cluster/up.sh"
say "secrets and roll-out, by the scripts of k8s/"
built=$SECONDS
kubectl create namespace ingress-nginx >/dev/null
k8s/overlays/local/secrets.sh > "$work/secrets.log" 2>&1 || { cat "$work/secrets.log"; fail "the secrets are not made"; }
k8s/deploy.sh local > "$work/deploy.log" 2>&1 || { tail -40 "$work/deploy.log"; fail "the roll-out does not work"; }
served=$((SECONDS - built))
echo "serving $served s after the cluster was there (promised: 120)"
[ $served -le 120 ] || broken=1

say "the first organization, key and record"
(while :; do ams port-forward deployment/ams-gateway 8080:8080 8081:8081 >/dev/null 2>&1 || true; sleep 0.2; done) &
forward=$!
eventually 20 "the operator's port does not answer" here "$state/programs/amsctl" status
here "$state/programs/amsctl" organizations create --name "Ville d'essai" --plan enterprise --administrator-email admin@example.ca --administrator-name Admin >/dev/null
(umask 077 && here "$state/programs/amsctl" -o json keys create --email admin@example.ca --name verify --scopes '*:*' --confirm-privacy | jq -er .value > "$state/key")
key=$(cat "$state/key")
made=$(here curl -sS --max-time 10 -H "Authorization: Bearer $key" -H 'Content-Type: application/json' -d '{"name": "École Saint-Joseph"}' http://127.0.0.1:8080/v1/sites)
jq -er .id <<<"$made" >/dev/null || fail "POST /v1/sites responds $made"
here "$state/programs/load" prepare http://127.0.0.1:8081 > "$work/organizations"
stop_forward
kubectl -n ingress-nginx create secret generic organizations --from-file=organizations="$work/organizations" >/dev/null
kubectl apply -f "$cluster/strangers.yaml" >/dev/null
kubectl wait --for=condition=Ready pod/stranger --timeout=30s >/dev/null
kubectl -n ingress-nginx wait --for=condition=Ready pod/ingress --timeout=30s >/dev/null

say "who reaches whom"
"$cluster/matrix.sh" || { broken=1; rows+=("who reaches whom||||as the manifests say||BROKEN"); }
kubectl delete pod stranger --now >/dev/null # a node with pods that nobody would make again is not drained
kubectl -n ingress-nginx delete pod ingress --now >/dev/null
