# A second region, as two namespaces of the cluster.
# shellcheck shell=bash disable=SC2154
say "two regions"
act "a second region beside it, as a namespace" none "$cluster/region/up.sh"
# ask GATEWAY PIN: a list of assets from a gateway's port, pinned to a region or not. It gives the status, the region that served, and the code of a refusal.
ask() {
  local pin=()
  [ -z "$2" ] || pin=(-H "X-Region: $2")
  here curl -sS --max-time 10 -D "$work/head" -o "$work/body" -H "Authorization: Bearer $key" "${pin[@]}" "http://127.0.0.1:$1/v1/assets?per_page=1"
  echo "$(sed -n '1s/^[^ ]* \([0-9]*\).*/\1/p' "$work/head") $(sed -n 's/^X-Served-Region: \([a-z0-9-]*\).*/\1/Ip' "$work/head") $(jq -r '.code // ""' "$work/body")"
}
answers() { # GATEWAY PIN WANTED
  [ "$(ask "$1" "$2" | sed 's/ *$//')" = "$3" ] || { echo "asked at $1, pinned to '$2': $(ask "$1" "$2"), not $3"; return 1; }
}
pinned() {
  eventually 30 "assets of the other region is not asked" answers 8080 us-east-1 "200 us-east-1" &&
    eventually 20 "the other region's gateway does not answer" answers 8090 "" "200 us-east-1" &&
    answers 8080 "" "200 ca-central-1" && answers 8090 ca-central-1 "200 ca-central-1"
}
alone() { # nobody is left there: a pin says so, and everything else is asked of the region that has instances
  kubectl -n ams-us scale deployment/ams-assets --replicas=0 &&
    eventually 60 "an instance of the other region stays" answers 8080 us-east-1 "503 ca-central-1 region_unavailable" &&
    answers 8090 "" "200 ca-central-1" && answers 8090 us-east-1 "503 us-east-1 region_unavailable" && answers 8080 "" "200 ca-central-1"
}
(while :; do ams port-forward deployment/ams-gateway 8080:8080 >/dev/null 2>&1 || true; sleep 0.2; done) &
forward=$!
(while :; do kubectl -n ams-us port-forward deployment/ams-gateway 8090:8080 >/dev/null 2>&1 || true; sleep 0.2; done) &
forward="$forward $!"
act "a request pinned to the other region is served there" none pinned
act "pinned to a region that has no instance" none alone
stop_forward
kubectl delete namespace ams-us >/dev/null
kubectl delete namespace consul-us >/dev/null
for volume in $(kubectl get persistentvolume -o jsonpath='{.items[?(@.status.phase=="Released")].metadata.name}'); do # for the next one
  rm -rf "${state:?}$(kubectl get persistentvolume "$volume" -o jsonpath='{.spec.local.path}' | sed "s#^$state##")"/*
  kubectl patch persistentvolume "$volume" -p '{"spec": {"claimRef": null}}' >/dev/null
done
# It is gone for good, so that nobody goes on asking for it.
kubectl -n consul exec consul-server-0 -- env CONSUL_HTTP_TOKEN="$(kubectl -n consul get secret consul-bootstrap-acl-token -o jsonpath='{.data.token}' | base64 -d)" consul force-leave -wan -prune consul-server-0.us-east-1
