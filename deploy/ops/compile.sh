# compile ARGUMENTS…: go build as Dockerfile does it, of the release AMS_VERSION. Sourced; checkout is the folder of the source.
# shellcheck shell=bash disable=SC2154
compile() {
  GOOS='' GOARCH='' "$checkout/deploy/tools/clients.sh" go
  CGO_ENABLED=0 go build -trimpath -buildvcs=false "$(sed -n '/^RUN CGO_ENABLED/,/^    -o/p' "$checkout/Dockerfile" | grep -o -e '-tags [^ ]*' | sed 's/ /=/')" \
    -ldflags="-s -w -X ams.internal/libs/service.release=${AMS_VERSION:-local} -X main.release=${AMS_VERSION:-local}" "$@"
}
