#!/usr/bin/env bash
# Packs the package and uses it as a stranger would, on the oldest and on a newer Node.
set -euo pipefail

project=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# try_on <node major> <version of better-sqlite3 to expect> <packages to install beside it>...
try_on() (
  major=$1 expected=$2
  shift 2
  if [[ $(node -p 'process.versions.node.split(".")[0]') != "$major" ]]; then
    PATH=$(npx -y -p "node@$major" -c 'dirname "$(command -v node)"'):$PATH
  fi
  mkdir "$work/node-$major"
  cd "$work/node-$major"
  echo "Node $(node --version): npm install $(basename "$tarball")${*:+ $*}"

  npm init -y >init.log
  npm install "$tarball" "$@"
  installed=$(node -p 'require("better-sqlite3/package.json").version')
  [[ $installed == "$expected".* ]] || { echo "npm chose better-sqlite3 $installed, expected $expected.x" >&2; exit 1; }

  cp "$project/scripts/try-package.mjs" stranger.mjs
  id=$(node stranger.mjs)
  version=$(npx --no-install fairbatch --version)
  [[ $version == "$(node -p 'require("fairbatch/package.json").version')" ]] || { echo "--version says: $version" >&2; exit 1; }
  npx --no-install fairbatch list --db jobs.sqlite --json >list.json
  grep -q "$id" list.json || { echo "list does not show job $id:" >&2; cat list.json >&2; exit 1; }
  echo "Node $(node --version), better-sqlite3 $installed, kysely $(node -p 'JSON.parse(fs.readFileSync("node_modules/kysely/package.json")).version'): job $id is done and listed"
)

cd "$project"
tarball=$work/$(npm pack --silent --pack-destination "$work" | tail -n 1)

newest=$(npm view better-sqlite3@latest version)
# better-sqlite3 13 crashes Node 20, so npm has to choose 12 there by itself.
try_on 20 12
try_on 24 "${newest%%.*}" better-sqlite3@latest kysely@latest
