# Where the cluster of "make verify-cluster" keeps what it has, and what its parts are called. Sourced by the scripts beside this one.
# shellcheck shell=bash disable=SC2034
cluster="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
checkout="$(cd "$cluster/../../../.." && pwd)"
state="${AMS_CLUSTER_DIR:-/var/tmp/ams-cluster}" # everything of a run; the programs and the Debian tree are kept elsewhere, for the next
nodes=(1 2)

api=https://10.98.0.1:6443
services=10.96.0.0/16 # addresses of Services; the names' server has the tenth
dns=10.96.0.10
pods=10.244.0.0/16 # node N has 10.244.N.0/24

address() { echo "10.98.0.$1"; }         # of node N
namespace() { echo "ams-cluster-$1"; }   # the network of node N
groups=/sys/fs/cgroup                    # version 1: a folder for each kind
group_kinds=(cpu cpuacct cpuset memory devices freezer blkio pids systemd)

# inside N COMMAND…: in the network, the processes and the mounts of node N
inside() { local node=$1; shift; nsenter --target "$(cat "$state/init-$node.pid")" --net --pid --mount --uts --ipc "$@"; }

# processes UID: those of a pod, on whichever node.
processes() { grep -l "pod$1" /proc/[0-9]*/cgroup 2>/dev/null | cut -d/ -f3; }

source "$checkout/deploy/ops/compile.sh"
