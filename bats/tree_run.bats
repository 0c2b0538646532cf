#!/usr/bin/env bats
# The script that becomes the service user's own s6-svscan, run under every shell with stubs around it.

load helper/common
load helper/scripts

bats_require_minimum_version 1.5.0

SCRIPT=$PROJECT/golden/tree-plain-s6/s6/gatewarden-_relay/run
SCANDIR=/run/gatewarden/_relay

# The programs of s6 answer as they do where nothing was left behind.
stub_s6() {
  stub s6-setuidgid s6-svscanctl s6-svc s6-svok s6-svscan sleep chown chmod mkdir rm find relayd
  # shellcheck disable=SC2016 # for the fake
  fake id 'printf "%s\n" "id $*" >>"$STUB_LOG"; if [ "${STUB_DROPPED-}" = 1 ]; then echo 10000; else echo "$STUB_ID_OUT"; fi'
  ENVIRONMENT+=(STUB_S6_SVSCANCTL_EXIT=100 STUB_S6_SVC_EXIT=100 STUB_S6_SVOK_EXIT=1)
}

# s6-supervise hands the script the name of the service.
becomes_svscan_as_root() {
  stub_s6
  run_as 0 "$@" "$SCRIPT" gatewarden-_relay
  # The words are run by a stubbed s6-setuidgid, which marks what comes after it.
  assert_calls <<OUT
id -u
s6-setuidgid _relay sh $SCRIPT dropped
id -u
id -u
dropped: s6-svscanctl -t $SCANDIR
dropped: s6-svc -dx '$SCANDIR/*/'
dropped: s6-svok '$SCANDIR/*/'
dropped: s6-svc -wD -T 1000 -x '$SCANDIR/*//log'
dropped: s6-svc -dx '$SCANDIR/*//log'
dropped: s6-svscan -d 3 $SCANDIR
OUT
}
test_each_shell 'tree: as root, only drops; all else is done as the service user' becomes_svscan_as_root

becomes_svscan_as_the_user() {
  stub_s6
  run_as 10000 "$@" "$SCRIPT" gatewarden-_relay
  run ! grep -q -e setuidgid -e dropped "$STUB_LOG"
  [[ $(tail -n 1 "$STUB_LOG") == "s6-svscan -d 3 $SCANDIR" ]]
}
test_each_shell 'tree: as an unprivileged user, becomes s6-svscan without a drop' becomes_svscan_as_the_user

ends_what_was_left() {
  stub_s6
  # Answers that something still runs, twice, and then no more.
  # shellcheck disable=SC2016 # for the fakes
  for program in s6-svscanctl s6-svok; do
    fake "$program" 'printf "%s\n" "${0##*/} $*" >>"$STUB_LOG"; [ "$(grep -c "^${0##*/} " "$STUB_LOG")" -le 2 ]'
  done
  run_as 10000 "$@" "$SCRIPT" gatewarden-_relay
  # Some shells have a sleep of their own.
  sed -i -e /^id/d -e /^sleep/d "$STUB_LOG"
  assert_calls <<OUT
s6-svscanctl -t $SCANDIR
s6-svscanctl -t $SCANDIR
s6-svscanctl -t $SCANDIR
s6-svc -dx '$SCANDIR/*/'
s6-svok $SCANDIR/*/
s6-svok $SCANDIR/*/
s6-svok $SCANDIR/*/
s6-svc -wD -T 1000 -x '$SCANDIR/*//log'
s6-svc -dx '$SCANDIR/*//log'
s6-svscan -d 3 $SCANDIR
OUT
}
test_each_shell 'tree: waits until what was left behind has ended' ends_what_was_left

ends_it_even_when_asked_to_end() {
  stub_s6
  # shellcheck disable=SC2016 # for the fake
  fake s6-svscanctl 'printf "%s\n" "${0##*/} $*" >>"$STUB_LOG"; kill -TERM "$PPID"; exit 100'
  run_as 10000 "$@" "$SCRIPT" gatewarden-_relay
  sed -i /^id/d "$STUB_LOG"
  assert_calls <<OUT
s6-svscanctl -t $SCANDIR
s6-svc -dx '$SCANDIR/*/'
s6-svok '$SCANDIR/*/'
s6-svc -wD -T 1000 -x '$SCANDIR/*//log'
s6-svc -dx '$SCANDIR/*//log'
OUT
}
test_each_shell 'tree: ends what was left behind also when it is asked to end itself, and starts nothing then' \
  ends_it_even_when_asked_to_end

refuses_without_id() {
  stub_s6
  stub id
  ENVIRONMENT+=(STUB_ID_EXIT=1)
  run run_as '' "$@" "$SCRIPT" gatewarden-_relay
  [[ $status -eq 111 ]]
  assert_calls <<'OUT'
id -u
OUT
}
test_each_shell 'tree: does not take root for somebody else when id fails' refuses_without_id

refuses_without_a_drop() {
  stub_s6
  stub id
  run run_as 0 "$@" "$SCRIPT" gatewarden-_relay
  [[ $status -eq 111 ]]
  run ! grep -q 's6-sv' "$STUB_LOG"
}
test_each_shell 'tree: starts nothing as root when s6-setuidgid does not drop, and does not try for ever' \
  refuses_without_a_drop

runs_nothing_of_the_definition() {
  mkdir "$BATS_TEST_TMPDIR/evil"
  for program in id s6-setuidgid sh s6-svscan s6-svc; do
    printf '#!/bin/sh\necho %s >>"%s"\n' "$program" "$BATS_TEST_TMPDIR/planted" >"$BATS_TEST_TMPDIR/evil/$program"
    chmod +x "$BATS_TEST_TMPDIR/evil/$program"
  done
  write_case evil '{ "tree": true, "interpreter": "sh" }' "{
    \"name\": \"relay\", \"user\": \"_relay\", \"home\": \"$BATS_TEST_TMPDIR/evil\",
    \"command\": { \"default\": [\"relayd\"] },
    \"environment\": { \"PATH\": \"$BATS_TEST_TMPDIR/evil\" },
    \"path\": [\"$BATS_TEST_TMPDIR/evil\"]
  }"
  render_cases
  stub_s6
  run_as 0 sh "$RENDERED/evil/s6/gatewarden-_relay/run" gatewarden-_relay
  grep -q s6-svscan "$STUB_LOG"
  [[ ! -e $BATS_TEST_TMPDIR/planted ]]
}
@test "tree: runs nothing that the definition's PATH, environment or home names" {
  runs_nothing_of_the_definition
}

@test "tree: the script of a container differs in its first line and its user" {
  diff <(tail -n +2 "$SCRIPT" | sed 's/_relay/hermes/g') <(tail -n +2 "$PROJECT/golden/tree/s6/gatewarden-hermes/run")
}
