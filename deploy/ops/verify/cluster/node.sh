#!/usr/bin/env bash
# A node: runs as process 1 of namespaces of its own, started by up.sh. When it ends, everything that it runs and has mounted is gone.
# The default paths of kubelet and containerd lead into the folder of this node, and the machine sees nothing of it.
#
#   node.sh NUMBER
set -euo pipefail
source "$(dirname "$0")/settings.sh"
node=$1
own="$state/node-$node"
mkdir -p "$own"/{lib,log,cni,sysctl}

mount --make-rprivate /
mount --make-rshared /
mount --bind "$own/lib" /var/lib
mount --bind "$own/log" /var/log
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock /run/containerd
hostname "node-$node"

# kubelet wants these of the machine. It is shown files with the values, and the machine keeps its own.
sysctl_is() { echo "$2" > "$own/sysctl/${1##*/}"; mount --bind "$own/sysctl/${1##*/}" "/proc/sys/$1"; }
sysctl_is vm/overcommit_memory 1
sysctl_is kernel/panic 10
sysctl_is kernel/panic_on_oops 1
# Of this network alone.
echo 1 > /proc/sys/net/ipv4/ip_forward
echo 1 > /proc/sys/net/bridge/bridge-nf-call-iptables
for kind in "${group_kinds[@]}"; do
  mkdir -p "$groups/$kind/ams-cluster/node-$node"
done
for folder in ams-cluster "ams-cluster/node-$node"; do
  for file in cpuset.cpus cpuset.mems; do cat "$groups/cpuset/$(dirname "$folder")/$file" > "$groups/cpuset/$folder/$file"; done
done
# All pods together have the weight of one process of the machine otherwise.
echo 8192 > "$groups/cpu/ams-cluster/cpu.shares"

cat > "$own/cni/10-bridge.conflist" <<C
{"cniVersion": "0.4.0", "name": "pods", "plugins": [
  {"type": "bridge", "bridge": "pods", "isGateway": true, "hairpinMode": true, "ipMasq": false, "mtu": 1500,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.244.$node.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
C
cat > "$own/containerd.toml" <<C
version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "docker.io/ams/pod:local"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$own/cni"
C
cat > "$own/kubelet.yaml" <<C
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: "$state/pki/ca.crt"}}
authorization: {mode: Webhook}
tlsCertFile: "$state/pki/node-$node.crt"
tlsPrivateKeyFile: "$state/pki/node-$node.key"
clusterDomain: cluster.local
clusterDNS: ["$dns"]
resolvConf: "$own/resolv.conf"
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
volumePluginDir: /var/lib/kubelet/volume-plugins
cgroupDriver: cgroupfs
cgroupRoot: /ams-cluster/node-$node
failCgroupV1: false
failSwapOn: false
protectKernelDefaults: true
evictionHard: {memory.available: 100Mi, nodefs.available: "0%", nodefs.inodesFree: "0%", imagefs.available: "0%", imagefs.inodesFree: "0%"}
imageGCHighThresholdPercent: 100
nodeStatusUpdateFrequency: 5s
shutdownGracePeriod: 0s
maxPods: 110
C
cat > "$own/proxy.yaml" <<C
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: iptables
clusterCIDR: $pods
hostnameOverride: node-$node
clientConnection: {kubeconfig: "$state/proxy.kubeconfig"}
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
C
echo "nameserver 127.0.0.1" > "$own/resolv.conf" # nothing outside the cluster is known

# run NAME COMMAND…: a part that ends is started again, as a machine's own supervisor would.
run() {
  local name=$1
  shift
  while :; do
    "$@" >> "$own/$name.log" 2>&1 || true
    sleep 1
  done &
}

if [ "$node" = 1 ]; then
  mount -t tmpfs tmpfs /mnt
  run etcd etcd --data-dir /mnt/etcd --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
    --listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 --initial-cluster default=http://127.0.0.1:2380 \
    --unsafe-no-fsync
  run apiserver "$state/bin/kubernetes" kube-apiserver --etcd-servers http://127.0.0.1:2379 --advertise-address "$(address 1)" --secure-port 6443 \
    --service-cluster-ip-range "$services" --token-auth-file "$state/pki/tokens" --authorization-mode Node,RBAC \
    --enable-admission-plugins NodeRestriction --client-ca-file "$state/pki/ca.crt" \
    --tls-cert-file "$state/pki/server.crt" --tls-private-key-file "$state/pki/server.key" --kubelet-certificate-authority "$state/pki/ca.crt" \
    --kubelet-client-certificate "$state/pki/kubelet-client.crt" --kubelet-client-key "$state/pki/kubelet-client.key" \
    --kubelet-preferred-address-types InternalIP \
    --service-account-issuer https://kubernetes.default.svc --service-account-key-file "$state/pki/accounts.key" \
    --service-account-signing-key-file "$state/pki/accounts.key" --requestheader-client-ca-file "$state/pki/ca.crt" \
    --requestheader-allowed-names front-proxy --requestheader-extra-headers-prefix X-Remote-Extra- --requestheader-group-headers X-Remote-Group \
    --requestheader-username-headers X-Remote-User --proxy-client-cert-file "$state/pki/front-proxy.crt" \
    --proxy-client-key-file "$state/pki/front-proxy.key" --enable-aggregator-routing
  # A node that says nothing for 20 seconds is not ready, as on clusters that are set up for it; its pods are replaced 20 seconds later.
  run controller-manager "$state/bin/kubernetes" kube-controller-manager --kubeconfig "$state/controller-manager.kubeconfig" \
    --use-service-account-credentials --service-account-private-key-file "$state/pki/accounts.key" --root-ca-file "$state/pki/ca.crt" \
    --leader-elect=false --allocate-node-cidrs=false --node-monitor-grace-period 20s --node-monitor-period 2s
  run scheduler "$state/bin/kubernetes" kube-scheduler --kubeconfig "$state/scheduler.kubeconfig" --leader-elect=false
fi
run containerd containerd --config "$own/containerd.toml"
run kubelet "$state/bin/kubernetes" kubelet --config "$own/kubelet.yaml" --kubeconfig "$state/node-$node.kubeconfig" --node-ip "$(address "$node")" \
  --hostname-override "node-$node" --node-labels "topology.kubernetes.io/zone=zone-$node"
run proxy "$state/bin/kubernetes" kube-proxy --config "$own/proxy.yaml"
run policies "$state/bin/kube-router" --kubeconfig "$state/admin.kubeconfig" --hostname-override "node-$node" --run-router=false --run-firewall=true \
  --run-service-proxy=false --service-cluster-ip-range "$services" --health-port 0 --metrics-port 0
wait
