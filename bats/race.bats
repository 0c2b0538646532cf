#!/usr/bin/env bats
# log/run against a service user who swaps the log's folder for a link while root sets it up. Seed:
# test_s6_log_run_never_invokes_chown_with_symlinked_log_dir.

load helper/common
load helper/scripts

setup() {
  home=$BATS_TEST_TMPDIR/hermes
  victim=$BATS_TEST_TMPDIR/victim
  swaps=$BATS_TEST_TMPDIR/swaps
  script=$BATS_TEST_TMPDIR/setup.sh
  adversary=
  mkdir -p "$home/logs/gateways/coder" "$victim"
  printf keep >"$victim/marker"
  printf keep-lock >"$victim/lock"
  : >"$swaps"
  before=$(victim_state)

  stub id s6-setuidgid chown
  # Once dropped, rm does nothing: the service user could not delete a lock that is root's. As root it is the real one.
  # shellcheck disable=SC2016 # for the fake
  fake rm "[ -n \"\$STUB_DROPPED\" ] || exec $(PATH=$UNSTUBBED_PATH command -v rm) \"\$@\""
  ENVIRONMENT=(HERMES_HOME="$home")
}

teardown() {
  end_adversary
}

victim_state() {
  stat -c '%u %g %a %n' "$victim" "$victim"/*
  tail -n +1 "$victim"/* 2>&1
}

# The script up to the logger, as the seed cuts it.
setup_fragment() {
  awk '/^#!\// || /shellcheck/ { next } /s6-log/ { exit } { print }' "$1"
}

start_adversary() {
  "$NODE" "$PROJECT/bats/fixtures/swap.mjs" "$home/logs/gateways/coder" "$victim" "$swaps" 3>&- &
  adversary=$!
  until [[ -s $swaps ]]; do kill -0 "$adversary"; done
}

end_adversary() {
  if [[ -z $adversary ]]; then return 0; fi
  kill "$adversary"
  wait "$adversary" || [[ $? -eq 143 ]]
  adversary=
}

swap_count() {
  stat -c %s "$swaps"
}

survives() {
  local swaps_before runs_with_swaps=0
  setup_fragment "$PROJECT/golden/named/s6/gateway-coder/log/run" >"$script"
  grep -q 's6-setuidgid hermes rm -f "$log_dir/lock"' "$script"
  start_adversary
  for _ in {1..40}; do
    swaps_before=$(swap_count)
    run_as 0 "$@" "$script" 2>>"$BATS_TEST_TMPDIR/errors"
    [[ $(victim_state) == "$before" ]]
    if [[ $(swap_count) -gt $swaps_before ]]; then runs_with_swaps=$((runs_with_swaps + 1)); fi
  done
  end_adversary
  printf '%s swaps, in %s of 40 runs\n' "$(swap_count)" "$runs_with_swaps"
  [[ $runs_with_swaps -ge 30 && $(swap_count) -ge 80 ]]
  [[ $(calls | grep -c '^s6-setuidgid hermes rm -f ') -eq 40 ]]
  ! calls | grep -q chown
}
test_each_shell 'log/run: a swapped link leads root nowhere in 40 runs' survives

is_caught() {
  setup_fragment "$PROJECT/bats/fixtures/guarded_log_run" >"$script"
  start_adversary
  SECONDS=0
  until [[ $(victim_state) != "$before" ]]; do
    [[ $SECONDS -lt 40 ]]
    run_as 0 "$@" "$script" 2>>"$BATS_TEST_TMPDIR/errors" || true
  done
  [[ ! -e $victim/lock && -e $victim/marker ]]
}
test_each_shell 'log/run: the same attack beats a script that looks before it touches' is_caught
