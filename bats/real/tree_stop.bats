#!/usr/bin/env bats
# A container that stops, with the service user's own tree in it: process 1 is asked to end all it supervises.

load helper/container
load helper/tree

bats_require_minimum_version 1.5.0

setup() {
  need_container
}

setup_file() {
  start_container
}

teardown_file() {
  stop_container
}

# gateway NAME COMMANDS: a definition whose gateway runs a few commands of sh first.
gateway() {
  inside sh -c "cat >/run/$1.json" <<JSON
{
  "extends": "hermes",
  "command": { "named": ["sh", "-c", "$2; echo $1 is up; while :; do sleep 0.2; done"] },
  "stop": { "drainSeconds": 5, "graceSeconds": 1 }
}
JSON
}

said() {
  grep -q "$1" "$BATS_FILE_TMPDIR/container.log"
}

@test "a container that stops lets each gateway drain, kills what does not end, and leaves nothing running" {
  gateway drains "trap 'sleep 4; echo has drained; exit 0' TERM"
  gateway stays "trap 'echo was asked to end' TERM"
  gatewarden tree install --config /run/stays.json
  gatewarden register drains --config /run/drains.json
  gatewarden register stays --config /run/stays.json
  eventually said 'drains is up'
  eventually said 'stays is up'
  local start=$SECONDS
  inside /command/s6-svscanctl -t /run/service
  # unshare ends when process 1 has.
  timeout 30 tail --pid "$CONTAINER_STARTER" -f /dev/null
  cat "$BATS_FILE_TMPDIR/container.log"
  said 'has drained'
  said 'was asked to end'
  ((SECONDS - start >= 5 && SECONDS - start <= 12))
}
