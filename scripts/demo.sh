#!/bin/sh
# Brings in what is missing, then shows Gatewarden at work: a real gateway on a private s6, from start to finish.
#   sh scripts/demo.sh
# No root is needed, except to install s6 where it is missing. Nothing is left behind but node_modules, dist and s6.
set -u
CDPATH='' cd -- "$(dirname -- "$0")/.." || exit 1

has() {
  command -v "$1" >/dev/null 2>&1
}

# give_up WHAT NEXT
give_up() {
  printf 'Cannot run the demo: %s\n%s\n' "$1" "$2" >&2
  exit 1
}

# as_root COMMAND...: 1 if there is no way to become root without a password.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    has sudo && sudo -n "$@"
  fi
}

has_s6() {
  (PATH=$PATH:/command && has s6-svscan)
}

install_s6() {
  if has_s6; then return 0; fi
  if has apt-get; then
    echo 'Installing s6 ...' >&2
    as_root apt-get update -qq >/dev/null 2>&1
    DEBIAN_FRONTEND=noninteractive as_root apt-get install -y -qq --no-install-recommends s6 >/dev/null 2>&1
  fi
  has_s6 || give_up 's6 is not installed, and could not be.' 'Install it as root, on Debian and Ubuntu with: apt-get install s6'
}

has_node() {
  has npm && has node &&
    node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'
}

# Without install scripts: nothing here needs them, and none should run unread.
install_packages() {
  if [ -e node_modules/.package-lock.json ] &&
    [ -z "$(find package-lock.json -newer node_modules/.package-lock.json)" ]; then
    return 0
  fi
  echo 'Installing npm packages ...' >&2
  npm ci --include=dev --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error >&2 ||
    give_up 'npm ci failed.' 'What it says above tells why.'
}

build() {
  if [ -e dist/bin.js ] && [ -z "$(find src -name '*.ts' -newer dist/bin.js)" ]; then return 0; fi
  npm run --silent build >&2 || give_up 'the build failed.' 'What it says above tells why.'
}

has_node || give_up 'there is no Node.js 20.19 or newer with npm on PATH.' 'Install it: https://nodejs.org'
install_s6
install_packages
build
exec node dist/bin.js demo "$@"
