#!/usr/bin/env bats
# The service user owns the volume and may put a link anywhere on it, at any moment. Whatever root does for the gateway
# of that user, nothing of root's is written, made or re-owned through such a link.

bats_require_minimum_version 1.5.0
load helper/container

setup_file() {
  start_container
}

teardown_file() {
  stop_container
}

setup() {
  need_container
  inside sh -euc 'umask 077; mkdir -p /victim/folder/coder /victim/coder; echo secret >/victim/secret'
  UNTOUCHED=$(victim)
}

teardown() {
  if [[ -n $CONTAINER ]]; then
    gatewarden unregister coder || true
    inside find "$VOLUME" -mindepth 1 -delete
    as_hermes mkdir -p "$PROFILE_FOLDER"
  fi
}

# Everything about root's files.
victim() {
  inside find /victim -printf '%p %U:%G %m %s %i %T@ %C@\n' | LC_ALL=C sort
  inside cat /victim/secret
}

# plant TARGET LINK: hermes puts a link in place of what is there.
plant() {
  as_hermes sh -euc 'mkdir -p "$(dirname "$2")"; rm -rf "$2"; ln -s "$1" "$2"' sh "$1" "$2"
}

# Has root do all it does, and the supervisor, the logger and the gateway too.
do_everything() {
  : >"$BATS_FILE_TMPDIR/container.log"
  gatewarden register coder
  eventually logger_has_begun
  gatewarden stop coder
  gatewarden start coder --no-wait
  gatewarden status coder >/dev/null
  gatewarden unregister coder
}

# It runs, or says why it does not.
logger_has_begun() {
  inside ps -C s6-log >/dev/null || grep -q '^s6-log: fatal' "$BATS_FILE_TMPDIR/container.log"
}

assert_untouched() {
  diff -u <(printf '%s\n' "$UNTOUCHED") <(victim)
}

@test "a link in place of the log's folder leads root nowhere" {
  plant /victim/folder "$VOLUME/logs/gateways/coder"
  do_everything
  assert_untouched
}

@test "a link in place of a folder above the log's leads root nowhere" {
  plant /victim/folder "$VOLUME/logs"
  do_everything
  assert_untouched
}

@test "links in place of the files in the log's folder lead root nowhere" {
  local name
  for name in current previous state lock; do
    plant /victim/secret "$VOLUME/logs/gateways/coder/$name"
  done
  do_everything
  assert_untouched
  for name in current previous state lock; do
    plant "/victim/$name" "$VOLUME/logs/gateways/coder/$name"
  done
  do_everything
  assert_untouched
}

@test "a link in place of the profile's folder leads root nowhere" {
  plant /victim/folder "$PROFILE_FOLDER"
  do_everything
  assert_untouched
}

@test "a link in place of the folder of all profiles leads root nowhere" {
  plant /victim "$VOLUME/profiles"
  do_everything
  assert_untouched
}

@test "links in place of Gatewarden's own files are replaced, and lead root nowhere" {
  local name
  for name in .gatewarden.json .gateway-planned-stop.json; do
    plant /victim/secret "$PROFILE_FOLDER/$name"
  done
  do_everything
  assert_untouched
  for name in .gatewarden.json .gateway-planned-stop.json; do
    [[ $(inside stat -c '%F %U' "$PROFILE_FOLDER/$name") == 'regular file hermes' ]]
  done
}

@test "dangling links in place of Gatewarden's own files make no file of root's" {
  local name
  for name in .gatewarden.json .gateway-planned-stop.json; do
    plant "/victim/$name" "$PROFILE_FOLDER/$name"
  done
  do_everything
  assert_untouched
}

@test "a FIFO, a folder or a huge file in place of Gatewarden's own files holds nobody up" {
  local make
  for make in 'mkfifo "$1"' 'mkdir "$1"; touch "$1/x"' 'truncate -s 3G "$1"'; do
    as_hermes sh -euc "rm -rf \"\$1\"; $make" sh "$PROFILE_FOLDER/.gatewarden.json"
    do_everything
  done
}

@test "a link that comes and goes in place of the profile's folder leads root nowhere" {
  as_hermes sh -uc 'cd /opt/data/profiles && while [ ! -e /opt/data/enough ]; do
    mv coder away && ln -s /victim/folder coder
    rm coder && mv away coder && echo swapped >>/opt/data/swaps
  done' 3>&- &
  local swapper=$!
  gatewarden register coder
  for _ in 1 2 3 4 5 6; do
    gatewarden stop coder >/dev/null
    gatewarden start coder --no-wait >/dev/null
  done
  as_hermes touch "$VOLUME/enough"
  wait "$swapper"
  [[ $(inside wc -l <"/proc/$CONTAINER/root$VOLUME/swaps") -gt 100 ]]
  assert_untouched
}

@test "a root that does follow a link is caught by these tests" {
  plant /victim/secret "$PROFILE_FOLDER/.gatewarden.json"
  inside touch "$PROFILE_FOLDER/.gatewarden.json"
  run ! assert_untouched
}
