#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2153
# The service user swaps every path it may for a link, or a hard link, to a file of root's, in a tight loop, while root
# runs its scripts and its commands. Nothing of root's changes: not by content, owner, mode, inode or time. That the
# adversary is a real one is shown by unsafe.bats, where it wins.

bats_require_minimum_version 1.5.0
load helper/container
load helper/adversary

OWN=/run/gatewarden/hermes

setup_file() {
  start_container
  build_adversary
}

teardown_file() {
  stop_container
}

setup() {
  set_up_adversary
}

teardown() {
  tear_down_adversary
}

# attack_volume: all that is on the volume, or will be.
attack_volume() {
  local logs=$VOLUME/logs/gateways plants=$VOLUME/plants
  plant_hard_link "$plants" 1 /victim
  attack "$plants" \
    "$logs/coder/current" hard \
    "$logs/coder/current" /victim/secret \
    "$logs/coder/lock" /victim/secret \
    "$logs/coder/*" /victim/text \
    "$logs/coder" /victim/folder/coder \
    "$logs" /victim/folder \
    "$VOLUME/logs" /victim/folder \
    "$PROFILE_FOLDER/.gatewarden.json" /victim/secret \
    "$PROFILE_FOLDER/.gateway-planned-stop.json" /victim/text \
    "$PROFILE_FOLDER/gateway_state.json" /victim/text \
    "$PROFILE_FOLDER/*" /victim/secret \
    "$PROFILE_FOLDER" /victim/folder/coder \
    "$VOLUME/profiles" /victim/folder
}

# attack_slot SLOT PLANTS: all that s6-supervise, s6-svc and Gatewarden write in a slot and its logger's.
attack_slot() {
  local slot=$1 plants=$2 at paths
  plant_hard_link "$plants" 1 /run/victim
  paths=("$slot/supervise/status.new" hard)
  for at in "$slot" "$slot/log"; do
    paths+=(
      "$at/supervise/death_tally" /run/victim/secret
      "$at/supervise/death_tally.new" /run/victim/secret
      "$at/supervise/status.new" /run/victim/secret
      "$at/supervise/status" /run/victim/text
      "$at/supervise/control" /run/victim/secret
      "$at/supervise/lock" /run/victim/secret
      "$at/supervise" /run/victim/folder/coder/supervise
      "$at/down" /run/victim/secret
      "$at/event/ftrig1:@000000000000000000000000:aaaaaa" /run/victim/secret
      "$at/event" /run/victim/folder
      "$at/run" /run/victim/text
      "$at/data" /run/victim/folder
    )
  done
  attack "$plants" "${paths[@]}" "$slot/log" /run/victim/folder/coder "$slot" /run/victim/folder/coder
}

# as_root VERB...: what it says, and how it ends, goes to the log of the test. It is given LIMIT seconds.
LIMIT=30
as_root() {
  local code=0
  inside timeout "$LIMIT" "${GATEWARDEN[@]}" "$@" >"$BATS_TEST_TMPDIR/said" 2>&1 || code=$?
  printf '%s: %s\n' "$*" "$code"
  sed 's/^/    /' "$BATS_TEST_TMPDIR/said"
  return "$code"
}

@test "the scripts of root's tree: 300 runs as root under attack change nothing of root's" {
  inside sh -c 'cat >/true.json' <<'JSON'
{ "name": "true", "user": "hermes", "home": "/opt/data", "command": { "default": ["true"], "named": ["true"] } }
JSON
  gatewarden render coder --config /true.json --out /rendered
  attack_volume
  as_root_again_and_again 300 '"$1/log/run" </dev/null; "$1/run"' /rendered/gateway-coder
  call_off
  [[ $SWAPS -gt 100000 ]]
  assert_untouched
}

@test "the script of the user's own tree: 200 runs as root under attack change nothing of root's" {
  gatewarden tree install
  inside /command/s6-svc -wD -d /run/service/gatewarden-hermes
  inside mkfifo /run/notification
  attack "$OWN/.plants" \
    "$OWN/.s6-svscan/control" /run/victim/secret \
    "$OWN/.s6-svscan/lock" /run/victim/secret \
    "$OWN/.s6-svscan/*" /run/victim/text \
    "$OWN/.s6-svscan" /run/victim/folder
  as_root_again_and_again 200 '"$1/run" 3>"$2" & read -r _ <"$2"; kill "$!"; wait "$!"' \
    /run/service/gatewarden-hermes /run/notification
  call_off
  [[ $SWAPS -gt 10000 ]]
  assert_untouched
}

@test "root's tree: every command does its work as root while the volume is under attack" {
  attack_volume
  for _ in 1 2 3; do
    as_root register coder
    as_root status coder
    as_root stop coder
    as_root start coder
    as_root restart coder
    as_root list
    as_root logs coder || true
    as_root unregister coder
  done
  call_off
  [[ $SWAPS -gt 100000 ]]
  assert_untouched
}

@test "root's tree: the state files are written 100 times for root while they and their temporaries are under attack" {
  gatewarden register coder
  attack "$VOLUME/plants" "$PROFILE_FOLDER/*" /victim/secret
  local call='{"method":"start","parameters":["coder",{"wait":false}]}'
  for _ in {1..100}; do printf '%s\n' "$call"; done |
    inside "${GATEWARDEN[0]}" /opt/gatewarden/compiled/test/real/driver.js \
      "{\"settings\":{\"manager\":\"s6\",\"scandir\":\"/run/service\"}}" >"$BATS_TEST_TMPDIR/answers"
  call_off
  [[ $SWAPS -gt 100000 ]]
  # Most are written: a file that was swapped away a moment ago is a warning.
  [[ $(grep -c '"value":{"warnings":\[\]}' "$BATS_TEST_TMPDIR/answers") -gt 20 ]]
  assert_untouched
}

@test "root's tree: nothing in a slot can be swapped, however often the gateway ends" {
  gatewarden register coder
  attack_slot "$SLOT" /run/hermes/plants
  for _ in {1..100}; do end_gateway; done
  gatewarden restart coder
  call_off
  [[ $SWAPS -eq 0 ]]
  assert_untouched
}

@test "own tree: every command does its work as root while the volume is under attack" {
  attack_volume
  for _ in 1 2; do
    as_root tree install
    as_root register coder
    as_root status coder
    as_root stop coder
    as_root start coder
    as_root restart coder
    as_root list
    as_root logs coder || true
    as_root unregister coder
    as_root tree status
    as_root tree uninstall
  done
  call_off
  [[ $SWAPS -gt 100000 ]]
  assert_untouched
}

@test "own tree: no command changes anything of root's, whatever comes of it, while the tree is under attack" {
  as_root tree install
  as_root register coder
  # What is swapped under its hands may keep a command waiting to the end of its own limits.
  LIMIT=4
  local verb
  attack_slot "$OWN/gateway-coder" "$OWN/.plants"
  for verb in status stop start restart logs unregister register; do
    as_root "$verb" coder || true
  done
  attack "$OWN/.more" "$OWN/*" /run/victim/folder/coder "$OWN/.s6-svscan/*" /run/victim/secret
  for verb in register status stop start restart logs unregister; do
    as_root "$verb" coder || true
  done
  as_root list || true
  for verb in status uninstall install; do
    as_root tree "$verb" || true
  done
  call_off
  [[ $SWAPS -gt 100000 ]]
  assert_untouched
}

@test "a group member plants nothing in event/, and still starts and stops the gateway" {
  gatewarden register coder
  local at
  for at in "$SLOT" "$SLOT/log"; do
    run ! as_hermes ln -s /run/victim/secret "$at/event/ftrig1:@000000000000000000000000:aaaaaa"
    run ! as_hermes ln -s /run/victim/secret "$at/supervise/event/ftrig1:@000000000000000000000000:aaaaaa"
  done
  gatewarden as_hermes stop coder
  [[ $(gateway_pid) == -1 ]]
  gatewarden as_hermes start coder
  [[ $(gateway_pid) -gt 0 ]]
  assert_untouched
}

@test "nothing that becomes hermes for a command of root's has the terminal of root's session" {
  # In the place of s6-setuidgid: takes down the device number of the terminal, 0 for none.
  inside mv /command/s6-setuidgid /command/kept
  inside sh -c 'cat >/command/s6-setuidgid && chmod 755 /command/s6-setuidgid' <<'SETUIDGID'
#!/bin/sh
read -r stat </proc/$$/stat
set -- "${stat##*) }" "$@"
printf '%s\n' "$1" | cut -d ' ' -f 5 >>/terminals
shift
exec /command/kept "$@"
SETUIDGID
  local verb
  for verb in 'register coder' 'stop coder' 'start coder' 'unregister coder' 'tree install' 'register coder' 'tree uninstall'; do
    script -qec "nsenter --target $CONTAINER --pid --mount -- env -i --chdir=/ \
      PATH=/usr/bin:/bin HOME=/root ${GATEWARDEN[*]} $verb" /dev/null
  done
  inside mv /command/kept /command/s6-setuidgid
  run -0 inside sort -u /terminals
  [[ $output == 0 ]]
}
