#!/usr/bin/env bash
# What somebody sees who clones the repository: the committed state in a new folder with an empty home directory, `npm start`
# and `npm test` with the network, then both again without it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/home"
git clone --quiet --no-hardlinks . "$place/clone"
cd "$place/clone"

# The registry and the certificates that this machine is set up with; nothing else of its configuration.
registry=$(npm config get registry)
trust=(${NODE_EXTRA_CA_CERTS:+"NODE_EXTRA_CA_CERTS=$NODE_EXTRA_CA_CERTS"})
failures=()
run() {
  local name=$1 from=$2
  shift 2
  echo "== $name"
  local start=$SECONDS result=passed
  env -i PATH="$PATH" HOME="$place/home" LANG="${LANG:-C.UTF-8}" "${trust[@]}" npm_config_registry="$from" "$@" </dev/null || {
    result=FAILED
    failures+=("$name")
  }
  echo "== $name: $result, $((SECONDS - start)) s"
}

run 'npm start, first time' "$registry" npm start -- --check
run 'npm test' "$registry" npm test
# Nobody listens on the discard port: whatever asks the registry fails at once.
run 'npm start, no network' http://127.0.0.1:9/ npm start -- --check
run 'npm test, no network' http://127.0.0.1:9/ npm test

if [ -n "$(git status --porcelain)" ]; then
  echo 'files changed or appeared that git does not ignore:'
  git status --short
  failures+=('a clean tree')
fi
if [ ${#failures[@]} -gt 0 ]; then
  printf 'failed: %s\n' "${failures[@]}"
  exit 1
fi
echo 'the clone works'
