#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2153
# What the adversary of adversary.bats wins against: the unsafe ways to do what Gatewarden does. A test that cannot be
# lost proves nothing.

bats_require_minimum_version 1.5.0
load helper/container
load helper/adversary

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

@test "an s6-supervise of root on a supervise/ of the service user's is beaten" {
  gatewarden register coder
  inside chown hermes "$SLOT/supervise"
  attack /run/hermes/plants "$SLOT/supervise/status.new" /run/victim/secret
  assert_caught_within 60 end_gateway
}

@test "an s6-supervise of root on a slot of the service user's is beaten" {
  gatewarden register coder
  inside chown hermes "$SLOT"
  attack /run/hermes/plants "$SLOT/down" /run/victim/secret
  assert_caught_within 60 inside /command/s6-svc -D "$SLOT"
  [[ -z $(inside cat /run/victim/secret) ]]
}

@test "an s6-supervise of root on an event/ that the group of the service user may write to is beaten" {
  gatewarden register coder
  inside chgrp hermes "$SLOT/event"
  as_hermes ln -s /run/victim/secret "$SLOT/event/ftrig1:@000000000000000000000000:aaaaaa"
  assert_caught_within 60 end_gateway
  # The letter of the last event: down, finished, up, or never to be started again.
  run -0 inside cat /run/victim/secret
  [[ $output == [dDuUO]*' wrote secret' ]]
}

@test "a script of root's that looks before it changes an owner is beaten" {
  attack "$VOLUME/plants" "$PROFILE_FOLDER/.gatewarden.json" /victim/secret
  assert_caught_within 60 as_root_again_and_again 20 '[ -L "$1" ] || chown hermes "$1"' "$PROFILE_FOLDER/.gatewarden.json"
  [[ $(inside stat -c %U /victim/secret) == hermes ]]
}

@test "a root that writes the state file, through a temporary file too is beaten" {
  attack "$VOLUME/plants" "$PROFILE_FOLDER" /victim/folder/coder
  assert_caught_within 60 as_root_again_and_again 20 \
    'cd "$1" && temporary=$(mktemp .gatewarden.XXXXXXXX) && mv -fT "$temporary" .gatewarden.json' "$PROFILE_FOLDER"
}

@test "an s6-log of root in a folder of the service user's is beaten" {
  as_hermes ln -s /victim/planted "$VOLUME/logs/gateways/coder/lock"
  assert_caught_within 60 as_root_again_and_again 1 'echo "a line" | s6-log n1 "$1"' "$VOLUME/logs/gateways/coder"
  [[ $(inside stat -c %U /victim/planted) == root ]]
}
