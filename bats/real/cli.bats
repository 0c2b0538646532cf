#!/usr/bin/env bats
# The command line on a real s6, under each runtime.

bats_require_minimum_version 1.5.0
load ../helper/common
load ../helper/tree

setup() {
  unset GATEWARDEN_MANAGER GATEWARDEN_DEBUG
  export NO_COLOR=1
  start_tree
  export GATEWARDEN_SCANDIR=$SCANDIR GATEWARDEN_CONFIG=$DEFINITION
}

teardown() {
  stop_tree
}

cli() {
  run --separate-stderr run_cli "$RUNTIME" "$@"
  printf '%s\n%s\n' "$output" "$stderr"
}

# test_each_runtime DESCRIPTION FUNCTION
test_each_runtime() {
  local runtime
  for runtime in $(runtimes); do
    bats_test_function --description "$1 ($runtime)" -- under_runtime "$2" "$runtime"
  done
}

under_runtime() {
  RUNTIME=$2
  "$1"
}

whole_life() {
  cli register coder
  [[ $status -eq 0 && $output == 'Registered and started "coder".' && -z $stderr ]]
  local pid
  pid=$(gateway_pid coder)
  cli list
  [[ $output == coder ]]
  cli status coder
  [[ $status -eq 0 && ${lines[1]} == "coder    running  $pid "* ]]
  cli restart coder
  [[ $status -eq 0 && $output == 'Restarted "coder".' && -z $stderr ]]
  [[ $(gateway_pid coder) != "$pid" ]]
  cli stop coder
  [[ $status -eq 0 && $output == 'Stopped "coder".' && -z $stderr ]]
  cli status coder --json
  [[ $status -eq 3 ]]
  run "$NODE" -e '
    const [{ state, pid, desired, signal, log }] = JSON.parse(process.argv[1]);
    console.log(state, pid, desired, signal, log);' "$output"
  [[ $output == "stopped null stopped SIGTERM $TREE/home/logs/coder" ]]
  cli start coder --no-wait
  [[ $status -eq 0 && $output == 'Asked "coder" to start.' ]]
  wait_until test "$(gateway_pid coder)" != -1
  cli unregister coder
  [[ $status -eq 0 && $output == '"coder" is not registered any more.' && -z $stderr ]]
  cli unregister coder
  [[ $status -eq 0 ]]
  [[ -z $(ls "$SCANDIR") ]]
}
test_each_runtime 'register, list, status, restart, stop, start, unregister' whole_life

registered_down() {
  cli register coder --down --env "GREETING=it's" --env-from - < <(printf 'PLACE=here\nGREETING=hi\n')
  [[ $status -eq 0 && $output == 'Registered "coder"; it is down.' ]]
  grep -qxF "export GREETING='it'\"'\"'s'" "$SCANDIR/gateway-coder/run"
  [[ $(<"$SCANDIR/gateway-coder/env/PLACE") == here && ! -e $SCANDIR/gateway-coder/env/GREETING ]]
  [[ $(stat -c %a "$SCANDIR/gateway-coder/env" "$SCANDIR/gateway-coder/env/PLACE") == $'700\n600' ]]
  cli status coder
  [[ $status -eq 3 ]]
  cli register coder
  [[ $status -eq 1 && $stderr == 'gatewarden: Cannot register "coder": it is registered already, in '* ]]
  cli start coder
  [[ $status -eq 0 && $(gateway_pid coder) -gt 1 ]]
  tr '\0' '\n' <"/proc/$(gateway_pid coder)/environ" >"$BATS_TEST_TMPDIR/environ"
  grep -qx 'PLACE=here' "$BATS_TEST_TMPDIR/environ"
  grep -qx "GREETING=it's" "$BATS_TEST_TMPDIR/environ"
  cli unregister coder
}
test_each_runtime 'register --down: leaves it down, with its environment' registered_down

# The process at the end of a chain of launchers.
last_child() {
  local pid=$1 child
  while child=$(pgrep -P "$pid" | head -n 1) && [[ -n $child ]]; do pid=$child; done
  printf '%s\n' "$pid"
}

has_lines() { # NUMBER FILE
  [[ $(wc -l <"$2") -eq $1 ]]
}

follows() {
  cli register coder
  local log=$TREE/home/logs/coder/current followed=$BATS_TEST_TMPDIR/followed
  wait_until has_lines 1 "$log"
  run_cli "$RUNTIME" logs coder -f >"$followed" 2>&1 3>&- &
  local follower=$!
  wait_until has_lines 1 "$followed"
  cli restart coder
  wait_until has_lines 2 "$followed"
  kill -INT "$(last_child "$follower")"
  wait "$follower"
  diff -u "$log" "$followed"
  cli logs coder -n 1
  [[ $status -eq 0 && -z $stderr && $output == "$(tail -n 1 "$log")" ]]
  cli logs coder --since 1h
  [[ $status -eq 0 && -z $stderr && $output == "$(<"$log")" ]]
  cli logs coder --since 2100-01-01
  [[ $status -eq 0 && -z $output && $stderr == "Nothing to show: the log in $TREE/home/logs/coder has no such lines." ]]
  cli unregister coder
}
test_each_runtime 'logs: follows until it is interrupted, and exits 0 without a word' follows

left_by_its_reader() {
  cli register coder
  run_cli "$RUNTIME" logs coder -f --scandir "$SCANDIR" 2>"$BATS_TEST_TMPDIR/errors" 3>&- | head -n 1 >"$BATS_TEST_TMPDIR/head" &
  local reader=$!
  wait_until has_lines 1 "$BATS_TEST_TMPDIR/head"
  cli restart coder
  wait "$reader"
  wait_until eval '! pgrep -f "logs coder -f --scandir $SCANDIR" >/dev/null'
  [[ ! -s $BATS_TEST_TMPDIR/errors ]]
  cli unregister coder
}
test_each_runtime 'logs --follow: ends quietly when its reader has left' left_by_its_reader

planted() {
  [[ $(id -u) -eq 0 ]] || skip 'only root reads what others may not'
  cli register coder
  local folder=$TREE/home/logs/coder
  wait_until test -s "$folder/current"
  echo secret >"$BATS_TEST_TMPDIR/secret"
  echo secret >"$BATS_TEST_TMPDIR/current"
  chmod 600 "$BATS_TEST_TMPDIR/secret" "$BATS_TEST_TMPDIR/current"
  ln -s "$BATS_TEST_TMPDIR/secret" "$folder/@400000006900000000000000.s"
  cli logs coder
  [[ $status -eq 0 && $output != *secret* && $output == *'coder is up' ]]
  [[ $stderr == *"Left out $folder/@400000006900000000000000.s: it is a link." ]]
  mv "$folder" "$folder.aside"
  ln -s "$BATS_TEST_TMPDIR" "$folder"
  cli logs coder
  [[ $status -eq 0 && $output != *secret* ]]
  [[ $stderr == *"Left out $folder/current: it belongs to user 0, not "* ]]
  rm "$folder"
  mv "$folder.aside" "$folder"
  cli unregister coder
}
test_each_runtime 'logs: shows root nothing that the service user put a link to' planted

unknown_log() {
  cli logs nobody-knows-it
  [[ $status -eq 5 && -z $output ]]
  [[ $stderr == 'gatewarden: Cannot show the log of "nobody-knows-it": no gateway of that name is registered.'* ]]
}
test_each_runtime 'logs: of what is not registered exits 5' unknown_log

everything() {
  cli register coder
  cli register writer
  cli restart --all
  [[ $status -eq 0 && $output == $'Restarted "coder".\nRestarted "writer".' ]]
  cli unregister coder writer
  [[ $status -eq 0 && -z $(ls "$SCANDIR") ]]
}
test_each_runtime 'restart --all: restarts every gateway' everything
