#!/usr/bin/env bats
# shellcheck disable=SC2016
# What root does over a whole life, call by call: no system call by root changes a path below the volume, or in the
# user's own tree. Both what Gatewarden does and what s6 does for it, scripts included, is traced.

bats_require_minimum_version 1.5.0
load helper/container

OWN=/run/gatewarden/hermes
CHECKOUT=$BATS_TEST_DIRNAME/../..
CALLS=%file,%process,%creds,fchdir,fchmod,fchown,ftruncate,fallocate,fsetxattr,fremovexattr,bind

setup_file() {
  start_container
  export TRACE_MISSING=$CONTAINER_MISSING
  if [[ -z $TRACE_MISSING ]]; then
    command -v strace >/dev/null || TRACE_MISSING='strace is not installed'
    inside mkdir /traces
  fi
}

teardown_file() {
  stop_container
}

setup() {
  if [[ -n $TRACE_MISSING ]]; then skip "$TRACE_MISSING"; fi
  inside find /traces -mindepth 1 -delete
  as_hermes sh -c 'echo "{\"desired_state\":\"stopped\"}" >"$1"' sh "$PROFILE_FOLDER/gateway_state.json"
  inside strace -f -y -qq -e signal=none -e "trace=$CALLS" -o /traces/1 -p 1 3>&- &
  SUPERVISORS=$!
  eventually is_traced 1
}

teardown() {
  if [[ -z $CONTAINER ]]; then return 0; fi
  gatewarden tree uninstall || true
  gatewarden unregister coder --scandir /run/service
  end_trace
  inside rm -rf "$VOLUME/logs"
}

is_traced() {
  ! inside grep -q '^TracerPid:.0$' "/proc/$1/status"
}

end_trace() {
  if [[ -z ${SUPERVISORS-} ]]; then return 0; fi
  inside pkill -INT -x strace
  wait "$SUPERVISORS" || true
  SUPERVISORS=
}

# traced COMMAND...: as root, with all that it starts.
traced() {
  TRACES=$((${TRACES-1} + 1))
  printf '%s\n' "$*"
  inside strace -f -y -qq -e signal=none -e "trace=$CALLS" -o "/traces/$TRACES" "$@"
}

verb() {
  traced "${GATEWARDEN[@]}" "$@"
}

# check FOLDER...: prints what root changes below them, and sets OTHERS to how many changes there were by others.
check() {
  local trace code=0 said
  end_trace
  OTHERS=0
  for trace in $(inside ls /traces); do
    said=$("$CHECKOUT/node_modules/.bin/tsx" "$CHECKOUT/bats/fixtures/check_trace.ts" "$@" \
      < <(inside cat "/traces/$trace")) || code=1
    printf '%s: %s\n' "$trace" "$said"
    OTHERS=$((OTHERS + $(sed -n 's/.* by root, \(.*\) by others$/\1/p' <<<"$said")))
  done
  return "$code"
}

gateway_is_up() {
  logged 'up as'
}

@test "own tree: over a whole life, root changes nothing on the volume and nothing in the tree" {
  verb tree install
  verb register coder
  eventually gateway_is_up
  verb stop coder
  verb start coder
  verb restart coder
  verb status coder
  verb list
  verb logs coder
  verb unregister coder
  verb register coder --down
  verb tree status
  verb tree uninstall
  check "$VOLUME" "$OWN"
  # It was all done, by somebody else.
  [[ $OTHERS -gt 100 ]]
}

@test "root's tree: over a whole life, root changes nothing on the volume" {
  verb register coder
  eventually gateway_is_up
  verb stop coder
  verb start coder
  inside /command/s6-svc -k "$SLOT"
  verb restart coder
  verb status coder
  verb list
  verb logs coder
  verb unregister coder
  check "$VOLUME" "$OWN"
  [[ $OTHERS -gt 10 ]]
}

@test "under Deno, root changes nothing on the volume and nothing in the tree either" {
  GATEWARDEN=(/opt/gatewarden/deno run -A --quiet /opt/gatewarden/src/bin.ts)
  verb tree install
  verb register coder
  verb stop coder
  verb unregister coder
  verb tree uninstall
  check "$VOLUME" "$OWN"
  [[ $OTHERS -gt 100 ]]
}

@test "a root that does is seen: in a command, and in what is supervised" {
  # shellcheck disable=SC2016 # for the shell inside
  traced sh -c 'cd "$1" && mkdir -p profiles/made' sh "$VOLUME"
  inside mkdir /run/service/careless
  inside sh -c 'printf "#!/bin/sh\nrm -f %s/lock\nexec sleep 1000\n" "$1" >"$2/run"; chmod 755 "$2/run"' \
    sh "$VOLUME" /run/service/careless
  inside /command/s6-svscanctl -a /run/service
  eventually inside pgrep -x sleep
  end_trace
  run ! check "$VOLUME"
  [[ $output == *"root changes $VOLUME/profiles/made: "*'mkdir("made", 0777)'* ]]
  [[ $output == *"root changes $VOLUME/lock: "* ]]
}
