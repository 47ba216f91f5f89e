# What ends without a word: processes, the database, a node. The last: the node does not come back.
# shellcheck shell=bash disable=SC2154
say "sudden deaths"
# kill_pod POD: what runs in its containers, with SIGKILL. (A pod that is deleted by force may run on beside its successor, which no database survives.)
kill_pod() {
  local pid
  for pid in $(processes "$(ams get pod "$1" -o jsonpath='{.metadata.uid}')"); do
    [ "$(tr '\0' ' ' < "/proc/$pid/cmdline")" = "/program pod " ] || kill -KILL "$pid" 2>/dev/null || true # that one holds the pod's network
  done
}
killed() { # PROGRAM…: the youngest pod of each, one after the other
  local program
  for program in "$@"; do
    kill_pod "$(pod_of "$program")"
    sleep 2
  done
  rolled
}
services=()
for program in "${programs[@]}"; do [ "$program" = gateway ] || services+=("$program"); done
act "one of two of every service, kill -9" sudden killed "${services[@]}"
act "one of two gateways, kill -9" gateway killed gateway
postgres() { kill_pod postgres-0 && sleep 1 && eventually 60 "PostgreSQL does not come back" ams wait --for=condition=Ready pod/postgres-0 --timeout=1s; }
act "PostgreSQL, kill -9" outage postgres
sleep 10
death() {
  ip -n "$(namespace 2)" link set eth0 down
  kill -KILL "$(cat "$state/node-2.pid")"
  sleep 60
}
act "node-2 dies" node death
