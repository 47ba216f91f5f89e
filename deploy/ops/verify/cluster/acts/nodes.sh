# Two nodes with two of every program (two.sh): one is drained and comes back; Consul is replaced.
# shellcheck shell=bash disable=SC2154
say "nodes"
drain() { kubectl drain node-2 --ignore-daemonsets --delete-emptydir-data --timeout=180s && rolled; }
act "node-2 drained" none drain
# spread: every program runs on both nodes.
spread() {
  local placed
  placed=$(ams get pods -l "$component=program" --field-selector status.phase=Running -o jsonpath='{range .items[*]}{.metadata.labels.app\.kubernetes\.io/name} {.spec.nodeName}{"\n"}{end}' | sort -u)
  [ "$(wc -l <<<"$placed")" -eq $((2 * ${#programs[@]})) ] || { echo "$placed"; return 1; }
}
# The scheduler prefers the empty node to an even spread: the first roll-out goes there, the second is even.
back() { kubectl uncordon node-2 && all_at_once && { eventually 10 "not yet even" spread || { all_at_once && eventually 20 "a program runs on one node" spread; }; }; }
act "node-2 back, and every program spread again" none back
agent() { kubectl -n consul delete pod -l app=consul,component=client --field-selector spec.nodeName=node-2 && kubectl -n consul rollout status daemonset/consul-client --timeout=60s; }
act "Consul's agent of node-2 replaced" none agent
# joined: every agent names the server that is there now.
joined() {
  local address agent
  address=$(kubectl -n consul get pod consul-server-0 -o jsonpath='{.status.podIP}')
  for agent in $(kubectl -n consul get pods -l app=consul,component=client -o name); do
    kubectl -n consul exec "$agent" -- wget -qO- http://127.0.0.1:8500/v1/status/leader | grep -F "\"$address:" || return 1
  done
}
server() { kubectl -n consul delete pod consul-server-0 && kubectl -n consul rollout status statefulset/consul-server --timeout=90s && eventually 60 "an agent does not find the server" joined; }
act "Consul's server replaced" none server
