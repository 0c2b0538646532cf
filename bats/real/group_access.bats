#!/usr/bin/env bats
# What the service user may do to a gateway in root's scandir: control it through the group, and no more.

bats_require_minimum_version 1.5.0
load helper/container

setup_file() {
  start_container
  if [[ -n $CONTAINER ]]; then gatewarden register coder >&2; fi
}

teardown_file() {
  stop_container
}

setup() {
  need_container
  gatewarden start coder
}

@test "hermes: can stop and start the gateway, and what was asked for is kept" {
  gatewarden as_hermes stop coder
  [[ $(gateway_pid) == -1 ]]
  inside grep -q '"desired":"stopped"' "$PROFILE_FOLDER/.gatewarden.json"
  gatewarden as_hermes start coder
  [[ $(gateway_pid) -gt 0 ]]
  inside grep -q '"desired":"running"' "$PROFILE_FOLDER/.gatewarden.json"
}

@test "hermes: can restart the gateway, and it is a new process" {
  local pid
  pid=$(gateway_pid)
  gatewarden as_hermes restart coder
  [[ $(gateway_pid) -gt 0 && $(gateway_pid) -ne $pid ]]
}

@test "hermes: sees the status, the list and the log" {
  run -0 gatewarden as_hermes status coder
  [[ $output == *running* ]]
  run -0 gatewarden as_hermes list
  [[ $output == coder ]]
  run -0 gatewarden as_hermes logs coder
  [[ $output == *'up as'* ]]
}

@test "hermes: gets a limit's error when the gateway does not stop" {
  tell ignore TERM
  eventually logged 'done: ignore TERM'
  run -1 gatewarden as_hermes stop coder --timeout 0.3
  [[ $output == *'Cannot stop gateway-coder within 0.3 s: the gateway still runs.'* ]]
  inside kill -9 "$(gateway_pid)"
}

@test "hermes: cannot register, and nothing is left of the attempt" {
  inside install -d -o hermes -g hermes "$VOLUME/profiles/other"
  run -4 gatewarden as_hermes register other
  [[ $(inside ls -A /run/service | LC_ALL=C sort | tr '\n' ' ') == '.s6-svscan gateway-coder ' ]]
}

@test "hermes: cannot unregister, and the gateway goes on" {
  local pid
  pid=$(gateway_pid)
  run -4 gatewarden as_hermes unregister coder
  [[ $(gateway_pid) == "$pid" ]]
  inside grep -q '"desired":"running"' "$PROFILE_FOLDER/.gatewarden.json"
}

@test "hermes: cannot write to, add to or take from the slot" {
  local at folder
  local folders=("$SLOT" "$SLOT/data" "$SLOT/event" "$SLOT/supervise" "$SLOT/supervise/event")
  for folder in "${folders[@]}" "${folders[@]/#$SLOT/$SLOT/log}" /run/service /run/service/.s6-svscan; do
    inside test -d "$folder" || continue
    run ! as_hermes sh -c ': >"$1/planted"' sh "$folder"
    run ! as_hermes mkfifo "$folder/ftrig1:planted"
    run ! as_hermes ln -s /etc/passwd "$folder/planted"
  done
  for at in run finish type log/run supervise/status supervise/lock supervise/death_tally; do
    run ! as_hermes sh -c ': >>"$1"' sh "$SLOT/$at"
    run ! as_hermes rm -f "$SLOT/$at"
    run ! as_hermes chmod u+s "$SLOT/$at"
  done
  run ! as_hermes mv "$SLOT" /run/service/other
  run ! as_hermes s6-svscanctl -t /run/service
}

@test "another user: can do none of it, and is told so" {
  local verb
  for verb in unregister start stop restart; do
    run -4 inside /command/s6-setuidgid nobody "${GATEWARDEN[@]}" "$verb" coder
    [[ $output == *"Cannot $verb "* ]]
  done
  run -4 inside /command/s6-setuidgid nobody "${GATEWARDEN[@]}" register other
  [[ $(gateway_pid) -gt 0 ]]
}

@test "root: is refused by every verb on a scandir below a folder of hermes'" {
  as_hermes mkdir "$VOLUME/folder"
  inside mkdir "$VOLUME/folder/scandir"
  local verb
  for verb in register unregister start stop restart status; do
    run -4 gatewarden "$verb" coder --scandir "$VOLUME/folder/scandir"
    [[ $output == *"Cannot use $VOLUME/folder/scandir as root: $VOLUME/folder belongs to hermes"* ]]
  done
  run -4 gatewarden list --scandir "$VOLUME/folder/scandir"
  [[ -z $(inside ls -A "$VOLUME/folder/scandir") ]]
}

@test "root: is refused by every method of the library on a scandir of hermes'" {
  as_hermes mkdir "$VOLUME/scandir"
  local driver=(/opt/gatewarden/node /opt/gatewarden/compiled/test/real/driver.js) method
  local settings="{\"settings\":{\"manager\":\"s6\",\"scandir\":\"$VOLUME/scandir\"}}"
  for method in registerProfileGateway unregisterProfileGateway start stop restart status isRunning; do
    run -0 inside "${driver[@]}" "$settings" <<<"{\"method\":\"$method\",\"parameters\":[\"coder\"]}"
    [[ $output == *'"name":"PermissionError"'*'belongs to hermes'*'"exitCode":4'*'"steps":[]'* ]]
  done
  [[ -z $(inside ls -A "$VOLUME/scandir") ]]
}

@test "root: goes on as hermes on a scandir of hermes', and nothing there becomes root's" {
  as_hermes mkdir "$VOLUME/tree"
  as_hermes sh -c 'PATH=/command:$PATH s6-svscan "$1" >/dev/null 2>&1 &' sh "$VOLUME/tree" 3>&-
  eventually inside test -p "$VOLUME/tree/.s6-svscan/control"
  gatewarden register coder --scandir "$VOLUME/tree"
  run -0 inside find "$VOLUME/tree" ! -user hermes
  [[ -z $output ]]
  gatewarden unregister coder --scandir "$VOLUME/tree"
  inside /command/s6-svscanctl -t "$VOLUME/tree"
  eventually tree_has_ended
}

tree_has_ended() {
  ! inside pgrep -u hermes -x s6-svscan >/dev/null
}

@test "root: is refused on a scandir that others can write to" {
  inside install -d -m 0777 /run/open
  run -4 gatewarden register coder --scandir /run/open
  [[ $output == *'others than root can write to /run/open'*'chmod go-w /run/open'* ]]
  [[ -z $(inside ls -A /run/open) ]]
}
