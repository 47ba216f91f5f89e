// Package releasing holds what deploy/ops/release.sh, version.sh and compatible.sh promise.
package releasing
