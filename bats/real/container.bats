#!/usr/bin/env bats
# The life of a gateway in a container of s6-overlay, through the command line, as root.

load helper/container

setup_file() {
  start_container
}

teardown_file() {
  stop_container
}

bats_require_minimum_version 1.5.0

setup() {
  need_container
}

teardown() {
  if [[ -n $CONTAINER ]]; then
    gatewarden unregister coder
    inside rm -rf "$VOLUME/logs"
  fi
}

register() {
  gatewarden register coder "$@"
  eventually logged 'up as'
}

# owner_of PATH: owner:group mode
owner_of() {
  inside stat -c '%U:%G %a' "$1"
}

is_up_again() {
  local now
  now=$(gateway_pid)
  [[ $now -gt 0 && $now -ne $1 ]]
}

@test "detect: finds s6 as root, and says why" {
  run -0 gatewarden detect
  [[ ${lines[0]} == s6 ]]
  [[ $output == *'process 1 is s6-svscan, and /run/s6/basedir is a folder'* ]]
}

@test "detect: finds s6 as an unprivileged user, and says why" {
  run -0 gatewarden as_hermes detect
  [[ ${lines[0]} == s6 ]]
  [[ $output == *'process 1 is s6-svscan, and /run/s6/basedir is a folder'* ]]
}

@test "register: the gateway runs as hermes, with its home and the environment of the container" {
  register
  logged 'arguments: -p coder gateway run --replace'
  logged 'user 10023, home /opt/data, volume /opt/data, folder /opt/data, marker 1, greeting from the container'
  [[ $(inside ps -o user= -p "$(gateway_pid)") == hermes ]]
}

@test "register: a variable of the profile wins over that of the container" {
  register --env GREETING='of the profile'
  logged 'greeting of the profile'
  [[ $(owner_of "$SLOT/run") == 'root:root 700' ]]
}

@test "register: the logger runs as hermes, and its files are hermes' own" {
  register
  [[ $(inside ps -C s6-log -o user=) == hermes ]]
  [[ $(owner_of "$LOG") == hermes:hermes* ]]
  [[ $(owner_of "$VOLUME/logs") == hermes:hermes* ]]
}

@test "register: the slot is root's, and only supervise/control is open to the group of hermes" {
  register
  local at
  for at in "$SLOT" "$SLOT/log"; do
    [[ $(owner_of "$at") == 'root:root 755' ]]
    [[ $(owner_of "$at/run") == 'root:root 755' ]]
    [[ $(owner_of "$at/event") == 'root:root 3730' ]]
    [[ $(owner_of "$at/supervise") == 'root:hermes 755' ]]
    [[ $(owner_of "$at/supervise/event") == 'root:root 3730' ]]
    [[ $(owner_of "$at/supervise/control") == 'root:hermes 660' ]]
  done
}

@test "register: what was asked for is kept in the profile's folder, as hermes" {
  register
  [[ $(owner_of "$PROFILE_FOLDER/.gatewarden.json") == 'hermes:hermes 600' ]]
  inside grep -q '"desired":"running"' "$PROFILE_FOLDER/.gatewarden.json"
  gatewarden stop coder
  inside grep -q '"desired":"stopped"' "$PROFILE_FOLDER/.gatewarden.json"
}

@test "a gateway that is killed comes back with another pid" {
  register
  local pid
  pid=$(gateway_pid)
  inside kill -9 "$pid"
  eventually is_up_again "$pid"
  [[ $(state) == running ]]
}

@test "a gateway that ends with 78 is parked, with the reason, and restart brings it up" {
  register
  tell exit 78
  eventually is_in_state parked
  run -3 gatewarden status coder --json
  [[ $output == *'"parkedReason": "exit code 78: configuration error (EX_CONFIG)"'* ]]
  gatewarden restart coder
  [[ $(state) == running ]]
}

@test "stop: the gateway finds the marker for its process when it is asked to end" {
  register
  local pid start_time
  pid=$(gateway_pid)
  start_time=$(inside cat "/proc/$pid/stat" | sed 's/.*) //' | cut -d ' ' -f 20)
  gatewarden stop coder
  [[ $(state) == stopped ]]
  eventually logged drained
  logged "planned stop: {\"target_pid\":$pid,\"target_start_time\":$start_time,\"stopper_pid\":[0-9]*,\"written_at\":\"[^\"]*\"}"
  [[ $(owner_of "$PROFILE_FOLDER/.gateway-planned-stop.json") == 'hermes:hermes 600' ]]
}

@test "stop: the marker goes to no other profile's folder, and not to that of the caller" {
  register
  inside install -d -o hermes -g hermes "$VOLUME/profiles/other"
  inside env --chdir="$VOLUME/profiles/other" "${GATEWARDEN[@]}" stop coder
  inside test -e "$PROFILE_FOLDER/.gateway-planned-stop.json"
  run -0 inside find "$VOLUME" -name '.gate*' ! -path "$PROFILE_FOLDER/*"
  [[ -z $output ]]
}

@test "a stopped gateway stays down until it is started" {
  register
  gatewarden stop coder
  [[ $(gateway_pid) == -1 ]]
  inside test -e "$SLOT/down"
  gatewarden start coder
  [[ $(state) == running ]]
  run -1 inside test -e "$SLOT/down"
}

@test "logs: prints what the gateway has said" {
  register
  tell say hello
  eventually logged 'done: say hello'
  run -0 gatewarden logs coder
  [[ $output == *'done: say hello'* ]]
}

@test "unregister: leaves no supervisor, no logger, no gateway and no file" {
  register
  gatewarden unregister coder
  run -1 inside ps -C s6-supervise,s6-log,hermes
  [[ $(inside ls -A /run/service) == .s6-svscan ]]
  [[ $(gatewarden list 2>&1) == 'No gateway is registered.' ]]
}

@test "the programs of s6 are found in /command when PATH has none of them" {
  local coreutils=/run/coreutils program
  inside mkdir "$coreutils"
  for program in cat chmod id mkfifo mktemp mv rm sync; do
    inside ln -s "/usr/bin/$program" "$coreutils/$program"
  done
  for verb in register stop start restart status unregister; do
    run -0 inside env -i PATH="$coreutils" "${GATEWARDEN[@]}" "$verb" coder
  done
}

@test "start, stop and status need no PATH at all" {
  register
  run -0 inside env -i "${GATEWARDEN[@]}" stop coder
  [[ $(gateway_pid) == -1 ]]
  run -0 inside env -i "${GATEWARDEN[@]}" start coder
  run -0 inside env -i "${GATEWARDEN[@]}" status coder
  [[ $output == *running* ]]
}

@test "the command line does the same under Deno" {
  GATEWARDEN=(/opt/gatewarden/deno run -A --quiet /opt/gatewarden/src/bin.ts)
  register
  [[ $(state) == running ]]
  local pid
  pid=$(gateway_pid)
  gatewarden restart coder
  is_up_again "$pid"
  gatewarden stop coder
  [[ $(state) == stopped ]]
  [[ $(owner_of "$PROFILE_FOLDER/.gatewarden.json") == 'hermes:hermes 600' ]]
  gatewarden unregister coder
  [[ $(inside ls -A /run/service) == .s6-svscan ]]
}
