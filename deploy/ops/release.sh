#!/usr/bin/env bash
# "make release VERSION=0.1.0": makes a release of what main has, and stops before the push.
#
# Everything that may refuse it is asked first. Then version, record and changelog are written and committed in a worktree of its own, images and packages
# are made of that commit, and only when they are there does main move and get its tag: a release that fails leaves nothing behind.
# The record (deploy/ops/verify/released, newest first) names the commit that was released, which the release commit stands on: a commit cannot name itself.
#
#   deploy/ops/release.sh 0.1.0
#   deploy/ops/release.sh check 0.1.0    only asks
set -euo pipefail
cd "$(dirname "$0")/../.."

refuse() { echo "$*" >&2; exit 1; }
only=
if [ "${1:-}" = check ]; then only=check; shift; fi
version=${1:-}
record=deploy/ops/verify/released

check() {
  local last breaking
  [[ "$version" =~ ^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$ ]] || refuse "VERSION is \"$version\": write three numbers, such as make release VERSION=0.1.0."
  [ -z "$(git status --porcelain)" ] || refuse "There are changes that are not committed: a release is made of a commit."
  [ "$(git symbolic-ref --short -q HEAD)" = main ] || refuse "This is not main: a release is made of main."
  last=$(awk 'NR == 1 { print $1 }' "$record")
  if [ -n "$last" ] && [ "$(printf '%s\n' "$last" "$version" | sort -V | tail -n 1)" != "$version" ] || [ "$version" = "$last" ]; then
    refuse "VERSION is $version, and $last is released: a release has a higher version than the one before."
  fi
  ! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || refuse "There is a tag v$version: choose another version, or remove the tag if it was never pushed."
  grep -q '^## \[Unreleased\]' CHANGELOG.md || refuse "CHANGELOG.md has no section [Unreleased]: write what this release changes there."
  awk '/^## /{on = ($0 ~ /^## \[Unreleased\]/)} on && /^- /{found = 1} END {exit !found}' CHANGELOG.md ||
    refuse "CHANGELOG.md has no line under [Unreleased]: write what this release changes there."
  ! grep -qF "## [$version]" CHANGELOG.md || refuse "CHANGELOG.md has a section [$version] already: choose another version."
  if ! breaking=$(deploy/ops/compatible.sh 2>&1); then
    [ "${version%%.*}" != "${last%%.*}" ] || refuse "The API breaks those who use $last, which needs a higher first number than ${last%%.*}: $breaking"
  fi
}

write() {
  deploy/ops/version.sh "$version" >/dev/null
  { echo "$version $released $today"; cat "$record"; } > "$work/record"
  cp "$work/record" "$record"
  sed -i "s/^## \[Unreleased\].*/## [Unreleased]\n\n## [$version] - $today/" CHANGELOG.md deploy/clients/*/CHANGELOG.md
}

check
[ -z "$only" ] || { echo "$version can be released."; exit; }

released=$(git rev-parse HEAD)
today=$(date -u +%Y-%m-%d)
checkout=$PWD
work=$(mktemp -d)
trap 'cd "$checkout"; git worktree remove --force "$work/tree" 2>/dev/null || true; rm -rf "$work"' EXIT
git worktree add -q --detach "$work/tree" "$released"
cd "$work/tree"
write
git commit -qam "release: $version"
commit=$(git rev-parse HEAD)
export AMS_VERSION=$version
deploy/ops/images.sh "$work/made/images"
deploy/ops/downloads.sh "$work/made/downloads"
# What is between two headings of the changelog.
awk -v heading="## [$version]" 'index($0, "## ") == 1 {on = (index($0, heading) == 1); next} on' CHANGELOG.md > "$work/made/notes.md"
(cd "$work/made" && find downloads -type f | sort | xargs sha256sum) > "$work/made/SHA256SUMS"

cd "$checkout"
git merge -q --ff-only "$commit"
git tag -a "v$version" -m "$version" "$commit"
rm -rf "bin/release-$version"
mkdir -p bin
cp -r "$work/made" "bin/release-$version"
cat <<SAY
$version is made: $(git rev-parse --short HEAD), tag v$version, images and packages in bin/release-$version. Nothing is pushed. To publish it:
  git push origin main
  git push origin v$version
To take it back before that:
  git tag -d v$version && git reset --hard $released
SAY
