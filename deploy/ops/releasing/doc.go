// Package releasing tests what deploy/ops/release.sh, version.sh and compatible.sh promise.
package releasing
