# How images are made without Docker. Sourced by images.sh and image.sh.
# shellcheck shell=bash disable=SC2154
work="$state/images"
begin_images() { rm -rf "$work"; mkdir -p "$work"; }

digest() { sha256sum "$1" | cut -d' ' -f1; }
manifest=()
# image LAYER CONFIG NAME: an image of the layer (a tar) under the name.
image() {
  local layer=$1 config=$2 name=$3 file
  file="$(digest <(echo "$name")).json"
  printf '{"architecture":"amd64","os":"linux","config":%s,"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' "$config" "$(cat "$work/$layer.digest")" > "$work/$file"
  manifest+=("{\"Config\":\"$file\",\"RepoTags\":[\"$name\"],\"Layers\":[\"$layer\"]}")
}
# layer NAME FOLDER…: a tar of what is in the folder; the same bytes for the same files.
layer() {
  local name=$1 folder=$2
  shift 2
  tar -C "$folder" --sort=name --mtime=@0 --numeric-owner "$@" -c . > "$work/$name"
  digest "$work/$name" > "$work/$name.digest"
}
import() {
  (IFS=,; echo "[${manifest[*]}]") > "$work/manifest.json"
  local ours=() node
  for node in "${nodes[@]}"; do
    (cd "$work" && tar -c -- *.json *.tar | inside "$node" ctr -n k8s.io images import --digests=false - > "$work/import-$node.log" 2>&1) &
    ours+=($!)
  done
  for node in "${ours[@]}"; do wait "$node" || { cat "$work"/import-*.log >&2; exit 1; }; done
  rm -f "$work"/*.tar "$work"/*.json
  manifest=()
}

# program_image LAYER PROGRAM NAME [AMSCTL]: as Dockerfile makes it.
user='"User":"65532:65532"'
program_image() {
  mkdir -p "$work/root/etc/ssl/certs" "$work/root/tmp"
  chmod 777 "$work/root/tmp"
  install -m 755 "$2" "$work/root/program"
  [ -z "${4:-}" ] || install -m 755 "$4" "$work/root/amsctl"
  cp /etc/ssl/certs/ca-certificates.crt "$work/root/etc/ssl/certs/"
  layer "$1.tar" "$work/root" --owner=0 --group=0
  image "$1.tar" "{$user,\"Entrypoint\":[\"/program\"]}" "$3"
  rm -rf "$work/root"
}
