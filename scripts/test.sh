#!/bin/sh
# Brings in what the checks need, runs all of them, fast ones first, and counts.
#   sh scripts/test.sh [--quick]        --quick runs only what takes less than a minute
# The last line is "N passed, N failed, N skipped". Exits 1 if anything failed or nothing passed, 2 on wrong usage.
set -u
CDPATH='' cd -- "$(dirname -- "$0")/.." || exit 1
. scripts/tap.sh

quick=
case $#${1-} in
  0) ;;
  1--quick) quick=1 ;;
  *)
    echo 'usage: sh scripts/test.sh [--quick]' >&2
    exit 2
    ;;
esac

export NO_COLOR=1 DENO_NO_UPDATE_CHECK=1 DEBIAN_FRONTEND=noninteractive
bin=node_modules/.bin
vitest=node_modules/vitest/vitest.mjs
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# --- what the checks need -------------------------------------------------------------------------------------

# A command and the Debian package that brings it, a pair a line.
tools='s6-svscan s6
execlineb execline
shellcheck shellcheck
dash dash
bash bash
busybox busybox
mksh mksh
yash yash
ksh ksh
ps procps
setpriv util-linux
unshare util-linux
strace strace
gcc gcc
gencat libc6-dev
mandoc mandoc
git git
update-ca-certificates ca-certificates'

# Prints the lines of $tools whose command is missing; some live in sbin, which is not on everybody's PATH.
missing_tools() {
  printf '%s\n' "$tools" | while read -r tool package; do
    PATH=$PATH:/usr/sbin:/sbin command -v "$tool" >/dev/null 2>&1 || printf '%s %s\n' "$tool" "$package"
  done
}

# as_root COMMAND...: 1 if there is no way to become root without a password.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    has sudo && sudo -n "$@"
  fi
}

install_tools() {
  packages=$(missing_tools | cut -d ' ' -f 2 | sort -u)
  if [ -z "$packages" ] || ! has apt-get; then return 0; fi
  as_root apt-get update -qq
  # One by one if need be: a package this release does not have must not keep the others out.
  # shellcheck disable=SC2086 # package names, one argument each
  as_root apt-get install -y -qq --no-install-recommends $packages && return 0
  for package in $packages; do
    as_root apt-get install -y -qq --no-install-recommends "$package"
  done
  return 0
}

install_packages() {
  if [ -d node_modules ] && [ -e node_modules/.package-lock.json ] &&
    [ -z "$(find package-lock.json -newer node_modules/.package-lock.json)" ]; then
    return 0
  fi
  # Without install scripts: nothing here needs them, and none should run unread.
  npm ci --include=dev --ignore-scripts --no-audit --no-fund
}

# give_up MESSAGE [LOG]: for what leaves nothing to run.
give_up() {
  if [ -n "${2-}" ]; then cat "$2"; fi
  printf '%s\n\n0 passed, 1 failed, 0 skipped\n' "$1"
  exit 1
}

install_tools >"$work/apt.log" 2>&1
if [ -n "$(missing_tools)" ] && has apt-get; then cat "$work/apt.log"; fi
has node || give_up 'Cannot run the checks: there is no node on PATH. Install Node.js 20.19 or newer.'
install_packages >"$work/npm.log" 2>&1 || give_up 'Cannot run the checks: npm ci failed.' "$work/npm.log"

# --- the suites: each writes TAP to the file it is given ---------------------------------------------------------

suite_tools() {
  missing_tools | while read -r tool package; do
    skip_check "$tool" "$tool is not installed and could not be: package $package"
  done >"$1"
}

suite_static() {
  sh scripts/static.sh >"$1"
}

suite_build() {
  check 'npm run build' npm run --silent build >"$1"
}

vitest_run() { # PROJECT TAP COMMAND...
  project=$1 tap=$2
  shift 2
  TAP_FILE=$tap "$@" run --project "$project" --reporter ./scripts/vitest_tap.ts
}

suite_unit_node() {
  vitest_run unit "$1" node "$vitest"
}

suite_unit_deno() {
  vitest_run unit "$1" "$bin/deno" run -A "$vitest"
}

suite_golden() {
  check 'golden files are as rendered under Node' "$bin/tsx" scripts/golden.ts --check >"$1"
  check 'golden files are as rendered under Deno' "$bin/deno" run -A scripts/golden.ts --check >>"$1"
}

bats_run() { # TAP SECONDS FILE...
  tap=$1 seconds=$2
  shift 2
  BATS_TEST_TIMEOUT=$seconds bash node_modules/bats/bin/bats --formatter tap --print-output-on-failure "$@" >"$tap"
}

suite_bats() {
  bats_run "$1" 60 bats/*.bats
}

suite_real() {
  vitest_run real "$1" node "$vitest"
}

suite_real_bats() {
  bats_run "$1" 180 bats/real/*.bats
}

# --- running and counting ----------------------------------------------------------------------------------------

# start SUITE: runs it; leaves its TAP, log, exit code and time taken in $work.
start() {
  began=$(date +%s)
  "suite_$(printf %s "$1" | tr - _)" "$work/$1.tap" >"$work/$1.log" 2>&1
  echo "$?" "$(($(date +%s) - began))" >"$work/$1.end"
}

suites=
# report SUITE: one line about it, and all about its failures.
report() {
  suites="$suites $1"
  "$bin/deno" run -A scripts/tally.ts suite "$work" "$1"
}

one() {
  start "$1"
  report "$1"
}

# two SUITE SUITE: side by side.
two() {
  start "$1" &
  start "$2"
  wait
  report "$1"
  report "$2"
}

if [ -n "$(missing_tools)" ]; then one tools; fi
two build golden
one static
if [ -n "$quick" ]; then
  one unit-node
else
  two unit-node unit-deno
  one bats
  one real
  one real-bats
fi
# shellcheck disable=SC2086 # suite names, one argument each
"$bin/deno" run -A scripts/tally.ts total "$work" $suites
