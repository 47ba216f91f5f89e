#!/usr/bin/env bash
# Makes what the parts of the cluster know each other by, in the folder $state/pki: an authority, certificates, and a token for each client.
set -euo pipefail
source "$(dirname "$0")/settings.sh"
pki="$state/pki"
mkdir -p "$pki"
chmod 700 "$pki"
cd "$pki"

openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=ams-cluster -keyout ca.key -out ca.crt 2>/dev/null
certificate() { # NAME SUBJECT ALTERNATIVE-NAMES USAGE
  openssl req -newkey rsa:2048 -nodes -subj "$2" -keyout "$1.key" -out "$1.csr" 2>/dev/null
  printf 'subjectAltName=%s\nextendedKeyUsage=%s\n' "$3" "$4" > "$1.ext"
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -extfile "$1.ext" -out "$1.crt" 2>/dev/null
}
certificate server /CN=kube-apiserver "DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:localhost,IP:${services%.0.0/*}.0.1,IP:127.0.0.1,IP:$(address 1)" serverAuth
certificate kubelet-client /O=system:masters/CN=kube-apiserver DNS:kube-apiserver clientAuth
certificate front-proxy /CN=front-proxy DNS:front-proxy clientAuth
for node in "${nodes[@]}"; do certificate "node-$node" "/O=system:nodes/CN=system:node:node-$node" "DNS:node-$node,IP:$(address "$node")" serverAuth,clientAuth; done
openssl genrsa -out accounts.key 2048 2>/dev/null

client() { # FILE USER GROUP
  local token
  token=$(od -An -vtx1 -N16 /dev/urandom | tr -d ' \n')
  echo "$token,$2,$2${3:+,\"$3\"}" >> tokens
  cat > "$state/$1.kubeconfig" <<K
apiVersion: v1
kind: Config
clusters: [{name: ams, cluster: {server: "$api", certificate-authority-data: "$(base64 -w0 ca.crt)"}}]
users: [{name: "$2", user: {token: "$token"}}]
contexts: [{name: ams, context: {cluster: ams, user: "$2"}}]
current-context: ams
K
  chmod 600 "$state/$1.kubeconfig"
}
rm -f tokens
client admin admin system:masters
client controller-manager system:kube-controller-manager
client scheduler system:kube-scheduler
client proxy system:kube-proxy
for node in "${nodes[@]}"; do client "node-$node" "system:node:node-$node" system:nodes; done
