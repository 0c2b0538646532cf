# shellcheck shell=bash disable=SC2016,SC2034
# A container of s6-overlay: s6-svscan is process 1 of a process id namespace of its own.
#
#   start_container       in setup_file: one for all tests of the file; stop_container in teardown_file
#   start_container bare  the same without s6-overlay: process 1 only waits
#   need_container        in setup: skips the test where there could be none
#   inside COMMAND...     runs a command in it as root, with nothing of s6 on PATH, as docker exec does
#   as_hermes COMMAND...  the same as the user hermes
#   gatewarden VERB...    the command line, as root, under Node; gatewarden as_hermes VERB... as hermes
#   gateway_pid           the process of the gateway, -1 when it is down
#   state                 what the gateway of coder is doing
#   tell COMMAND...       gives it a command: test/real/gateway.sh says which there are
#   logged PATTERN        whether its log holds that
#   eventually COMMAND... waits until the command succeeds, at most 15 s

SLOT=/run/service/gateway-coder
VOLUME=/opt/data
PROFILE_FOLDER=$VOLUME/profiles/coder
LOG=$VOLUME/logs/gateways/coder/current
GATEWARDEN=(/opt/gatewarden/node /opt/gatewarden/compiled/src/bin.js)

start_container() {
  export CONTAINER_MISSING='' CONTAINER=''
  if [[ $(id -u) -ne 0 ]]; then
    CONTAINER_MISSING='a container needs root'
  elif ! unshare --pid --fork --mount true 2>/dev/null; then
    CONTAINER_MISSING='no namespaces may be made here'
  else
    mkdir "$BATS_FILE_TMPDIR/root"
    unshare --pid --fork --kill-child --mount sh "$BATS_TEST_DIRNAME/helper/container_init.sh" \
      "$BATS_FILE_TMPDIR/root" "$STAGE" "$@" >"$BATS_FILE_TMPDIR/container.log" 2>&1 3>&- &
    export CONTAINER_STARTER=$!
    if ! eventually container_is_up; then
      cat "$BATS_FILE_TMPDIR/container.log"
      return 1
    fi
  fi
}

container_is_up() {
  CONTAINER=$(tr -d ' ' <"/proc/$CONTAINER_STARTER/task/$CONTAINER_STARTER/children")
  [[ -n $CONTAINER ]] || return
  case $(<"/proc/$CONTAINER/comm") in
    s6-svscan) inside test -p /run/service/.s6-svscan/control ;;
    sleep) ;;
    *) return 1 ;;
  esac
}

stop_container() {
  if [[ -n $CONTAINER ]]; then
    kill -9 "$CONTAINER" 2>/dev/null || true
    wait "$CONTAINER_STARTER" || true
  fi
}

need_container() {
  if [[ -n $CONTAINER_MISSING ]]; then skip "$CONTAINER_MISSING"; fi
}

inside() {
  nsenter --target "$CONTAINER" --pid --mount -- env --chdir=/ -i \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DENO_DIR=/run/deno "$@"
}

as_hermes() {
  inside /command/s6-setuidgid hermes env HOME="$VOLUME" "$@"
}

# gatewarden [as_hermes] VERB...
gatewarden() {
  local as=inside
  if [[ $1 == as_hermes ]]; then as=$1 && shift; fi
  "$as" "${GATEWARDEN[@]}" "$@"
}

gateway_pid() {
  inside /command/s6-svstat -o pid "$SLOT"
}

# tell COMMAND...: gives the gateway a command, once it listens.
tell() {
  eventually inside test -p "$VOLUME/coder.control"
  inside timeout 10 sh -c 'printf "%s\n" "$1" >"$2"' sh "$*" "$VOLUME/coder.control"
}

logged() {
  inside grep -q -- "$1" "$LOG"
}

state() {
  gatewarden status coder --json | sed -n 's/^ *"state": "\(.*\)",$/\1/p'
}

is_in_state() {
  [[ $(state) == "$1" ]]
}

eventually() {
  local limit=$((SECONDS + 15))
  until "$@"; do
    if ((SECONDS >= limit)); then
      printf 'still not so after 15 s: %s\n' "$*" >&2
      return 1
    fi
    sleep 0.02
  done
}
