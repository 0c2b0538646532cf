#!/usr/bin/env bats
# The helpers and the recorder themselves.

load helper/common

@test "stub: records every call, in order" {
  stub id chown
  id -u
  chown hermes:hermes /run/x
  assert_calls <<'OUT'
id -u
chown hermes:hermes /run/x
OUT
}

@test "stub: records arguments without ambiguity" {
  stub id
  id '' 'a b' "it's" '$x' $'two\nlines' '*'
  id 'a' 'b'
  assert_calls <<'OUT'
id '' 'a b' 'it'\''s' '$x' 'two'$'\n''lines' '*'
id a b
OUT
}

@test "stub: a recorded line read by a shell gives the arguments back" {
  stub id
  local given=("it's" $'two\nlines' 'back\slash' '"' '') back
  id "${given[@]}"
  eval "back=($(calls))"
  [[ ${#back[@]} -eq 6 ]]
  local i
  for i in "${!given[@]}"; do
    [[ ${back[i + 1]} == "${given[i]}" ]]
  done
}

@test "stub: answers with the output and exit code it was told" {
  stub s6-svstat
  STUB_S6_SVSTAT_OUT='true 42' STUB_S6_SVSTAT_EXIT=7 run s6-svstat -o up,pid /run/service/x
  [[ $status -eq 7 ]]
  [[ $output == 'true 42' ]]
}

@test "stub: a command that the recorder itself might need can be stubbed" {
  stub cat rm tr printf sed
  run cat /etc/passwd
  [[ $status -eq 0 && -z $output ]]
  assert_calls <<'OUT'
cat /etc/passwd
OUT
}

@test "stub: s6-setuidgid runs the program, and calls below it are marked" {
  stub s6-setuidgid mkdir
  mkdir /a
  s6-setuidgid hermes mkdir -p '/b c'
  run s6-setuidgid hermes sh -c 'echo "dropped=$STUB_DROPPED"; exit 3'
  [[ $status -eq 3 && $output == dropped=1 ]]
  assert_calls <<'OUT'
mkdir /a
s6-setuidgid hermes mkdir -p '/b c'
dropped: mkdir -p '/b c'
s6-setuidgid hermes sh -c 'echo "dropped=$STUB_DROPPED"; exit 3'
OUT
}

@test "stub: s6-setuidgid can fail before it runs anything" {
  stub s6-setuidgid mkdir
  STUB_S6_SETUIDGID_EXIT=111 run s6-setuidgid hermes mkdir /b
  [[ $status -eq 111 ]]
  assert_calls <<'OUT'
s6-setuidgid hermes mkdir /b
OUT
}

@test "stub: any command can be made a wrapper" {
  stub nice id
  STUB_NICE_EXEC=2 nice -n 5 id -g
  assert_calls <<'OUT'
nice -n 5 id -g
id -g
OUT
}

@test "stub: calls at the same time are whole lines" {
  stub id
  local i pids=()
  for i in {1..40}; do
    id "call $i" 3>&- &
    pids+=("$!")
  done
  wait "${pids[@]}" # a bare wait would wait for the watchdog of bats too
  [[ $(calls | sort -u | grep -c "^id 'call [0-9]*'$") -eq 40 ]]
}

@test "assert_calls: a mismatch fails, and shows both sides" {
  stub id
  id -u
  run assert_calls <<'OUT'
id -g
OUT
  [[ $status -eq 1 ]]
  [[ $output == *'-id -g'* && $output == *'+id -u'* ]]
}

@test "assert_calls: no call is a mismatch when one was expected, and the other way round" {
  stub id
  run assert_calls <<'OUT'
id -u
OUT
  [[ $status -eq 1 ]]
  id -u
  run assert_calls </dev/null
  [[ $status -eq 1 ]]
}

@test "run_cli: refuses a runtime it does not know" {
  run run_cli python status
  [[ $status -eq 2 ]]
}

runs_a_script() {
  printf 'echo "$1 $((1 + 1))"\n' >"$BATS_TEST_TMPDIR/script"
  run "$@" "$BATS_TEST_TMPDIR/script" two
  [[ $status -eq 0 && $output == 'two 2' ]]
}
test_each_shell 'test_each_shell: runs the function with the shell' runs_a_script

records_under() {
  stub id
  "$@" -c "id 'a b'"
  assert_calls <<'OUT'
id 'a b'
OUT
}
test_each_shell 'stub: is found by the shell' records_under

@test "test_each_shell: a missing shell is a skip that names it" {
  skip_reason=
  # shellcheck disable=SC2317 # called by under_shell
  skip() {
    skip_reason=$1
    return 1
  }
  run_it() { under_shell false 'no-such-shell'; }
  if run_it; then return 1; fi
  [[ $skip_reason == 'no-such-shell is not installed' ]]
}
