#!/usr/bin/env bats
# The script that decides whether the gateway is started again: executed under every shell. The scripts are those in
# golden/, in place.

load helper/common
load helper/scripts

# exits SCRIPT SHELL...: how the script answers to each line "EXIT_CODE SIGNAL", with what s6-supervise passes besides.
exits() {
  local script=$1 code signal status
  shift
  while read -r code signal; do
    status=0
    run_as 0 "$@" "$script" "$code" "$signal" gateway-coder 100 || status=$?
    printf '%s %s -> %s\n' "$code" "$signal" "$status"
  done
}

answers() { # SCRIPT TABLE SHELL...
  local script=$1 table=$2
  shift 2
  stub id chown rm mkdir s6-svc s6-setuidgid
  diff <(printf '%s\n' "$table") <(printf '%s\n' "$table" | cut -d ' ' -f 1-2 | exits "$script" "$@")
  assert_calls </dev/null
}

follows_the_default_policy() {
  answers "$PROJECT/golden/named/s6/gateway-coder/finish" '0 0 -> 125
78 0 -> 125
75 0 -> 0
1 0 -> 0
2 0 -> 0
100 0 -> 0
111 0 -> 0
125 0 -> 0
137 0 -> 0
143 0 -> 0
255 0 -> 0
256 15 -> 0
256 9 -> 0' "$@"
}
test_each_shell 'finish: 0 and 78 park; any other code, and a signal, restarts' follows_the_default_policy

follows_another_policy() {
  answers "$PROJECT/golden/other-program/s6/relay-eu-west/finish" '0 0 -> 0
2 0 -> 125
20 0 -> 0
78 0 -> 125
100 0 -> 125
10 0 -> 0
256 2 -> 0
256 15 -> 0' "$@"
}
test_each_shell "finish: another program's policy is followed" follows_another_policy

takes_few_arguments() {
  local finish=$PROJECT/golden/named/s6/gateway-coder/finish
  run run_as 0 "$@" "$finish" 0
  [[ $status -eq 125 ]]
  run run_as 0 "$@" "$finish"
  [[ $status -eq 0 ]]
}
test_each_shell 'finish: needs no more than the exit code, and restarts without it' takes_few_arguments
