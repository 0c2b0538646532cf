#!/usr/bin/env bats
# The command line as it is installed: its exit codes, messages and what it runs, under each runtime. s6's programs are
# stubs here, or are not reached; bats/real/ has the command line on a real s6.

bats_require_minimum_version 1.5.0
load helper/common

# A gateway that seems to be supervised: its control FIFO has a reader, and its status is what s6 2.11 would write.
UP=0000000000001267000004
DOWN=0000000000000000000000

setup() {
  unset GATEWARDEN_MANAGER GATEWARDEN_SCANDIR GATEWARDEN_CONFIG GATEWARDEN_DEBUG NO_COLOR
  SCANDIR=$BATS_TEST_TMPDIR/scandir
  mkdir "$SCANDIR"
}

# slot PROFILE STATUS
slot() {
  local supervise=$SCANDIR/gateway-$1/supervise
  mkdir -p "$supervise"
  if [[ ! -p $supervise/control ]]; then
    mkfifo "$supervise/control"
    # shellcheck disable=SC2034 # it is there to stay open
    exec {reader}<>"$supervise/control"
  fi
  local record=400000006b0ef1b4078c8600400000006b0ef1b4078c8600$2
  printf '%b' "$(sed 's/../\\x&/g' <<<"$record")" >"$supervise/status"
}

# cli ARGUMENT...: on the scandir of the test; $output is standard output, $stderr standard error.
cli() {
  run --separate-stderr run_cli "$RUNTIME" --scandir "$SCANDIR" "$@"
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

# expect STATUS STDOUT STDERR: all three, to the letter.
expect() {
  [[ $status -eq $1 ]] || { printf 'exit code %s, not %s\n' "$status" "$1" && return 1; }
  diff -u --label 'standard output expected' --label 'standard output' <(printf '%s' "$2") <(printf '%s' "$output")
  diff -u --label 'standard error expected' --label 'standard error' <(printf '%s' "$3") <(printf '%s' "$stderr")
}

shows_help() {
  run --separate-stderr run_cli "$RUNTIME"
  [[ $status -eq 0 && $output == USAGE* && -z $stderr ]]
  local all=$output
  run --separate-stderr run_cli "$RUNTIME" --help
  [[ $status -eq 0 && $output == "$all" ]]
}
test_each_runtime 'help: is printed without arguments too' shows_help

shows_version() {
  local version
  version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$PROJECT/package.json")
  run --separate-stderr run_cli "$RUNTIME" --version
  expect 0 "$version" ''
}
test_each_runtime 'version: is that of the package' shows_version

exit_0() {
  cli list
  expect 0 '' 'No gateway is registered.'
}
test_each_runtime 'exit code 0: done' exit_0

exit_1() {
  slot coder "$UP"
  stub s6-svc s6-svscanctl s6-svwait s6-svstat
  cli register coder
  expect 1 '' "gatewarden: Cannot register \"coder\": it is registered already, in $SCANDIR/gateway-coder.
To register it anew, run: gatewarden unregister coder"
}
test_each_runtime 'exit code 1: failed' exit_1

exit_2() {
  run --separate-stderr run_cli "$RUNTIME" strat
  expect 2 '' 'gatewarden: Cannot run gatewarden: there is no command "strat"; did you mean start?
See: gatewarden --help'
  run --separate-stderr run_cli "$RUNTIME" start --al
  expect 2 '' 'gatewarden: Cannot run gatewarden start: there is no flag --al; did you mean --all?
See: gatewarden start --help'
  cli start 'Coder'
  expect 2 '' "gatewarden: Cannot use \"Coder\" as a profile name: it does not start with a lower-case letter or a digit.
A profile name is made of lower-case letters, digits, '-' and '_', and starts with a letter or digit."
}
test_each_runtime 'exit code 2: wrong usage' exit_2

exit_3() {
  run --separate-stderr run_cli "$RUNTIME" list --manager launchd
  expect 3 '' 'gatewarden: Cannot manage gateways through launchd: this version of Gatewarden knows only s6.
To use an s6 of your own, start s6-svscan on a folder and pass --manager s6 --scandir DIR.'
}
test_each_runtime 'exit code 3: the manager cannot do this' exit_3

exit_4() {
  if [[ $(id -u) -eq 0 ]]; then
    chown 4242 "$SCANDIR"
    cli list
    [[ $status -eq 4 && -z $output ]]
    [[ $stderr == "gatewarden: Cannot use $SCANDIR as root: $SCANDIR belongs to 4242"* ]]
  else
    chmod 000 "$SCANDIR"
    cli list
    [[ $status -eq 4 && -z $output && $stderr == gatewarden:\ Cannot* ]]
  fi
}
test_each_runtime 'exit code 4: no permission' exit_4

exit_5() {
  cli start coder
  [[ $status -eq 5 && -z $output ]]
  [[ $stderr == 'gatewarden: Cannot start "coder": no gateway of that name is registered.'$'\n'* ]]
}
test_each_runtime 'exit code 5: not registered' exit_5

exit_6() {
  echo '{ "nam": "x" }' >"$BATS_TEST_TMPDIR/definition.json"
  cli list --config "$BATS_TEST_TMPDIR/definition.json"
  [[ $status -eq 6 && -z $output ]]
  [[ $stderr == "gatewarden: Cannot use $BATS_TEST_TMPDIR/definition.json:"*nam* ]]
  cli list --config "$BATS_TEST_TMPDIR/none.json"
  [[ $status -eq 6 && -z $output ]]
  [[ ${stderr_lines[0]} == "gatewarden: Cannot use $BATS_TEST_TMPDIR/none.json: there is no such file." ]]
}
test_each_runtime 'exit code 6: the definition is wrong' exit_6

errors_as_json() {
  cli start coder --json
  [[ $status -eq 5 ]]
  [[ $(wc -l <<<"$stderr") -eq 1 ]]
  run "$NODE" -e '
    const { error } = JSON.parse(process.argv[1]);
    const { code, message, hint, profile } = error;
    console.log(code, profile, typeof message, typeof hint);' "$stderr"
  [[ $output == 'gateway-not-registered coder string string' ]]
}
test_each_runtime '--json: an error is one JSON document on standard error' errors_as_json

status_codes() {
  slot up "$UP"
  slot down "$DOWN"
  cli status up
  [[ $status -eq 0 && ${lines[1]} == 'up       running  4711  '* ]]
  cli status down
  [[ $status -eq 3 && ${lines[1]} == 'down     stopped  '* ]]
  cli status none
  [[ $status -eq 4 && ${lines[1]} == 'none     unregistered' ]]
  cli status up down
  [[ $status -eq 3 && ${lines[1]} == 'up '* && ${lines[2]} == 'down '* ]]
  cli status
  [[ $status -eq 0 && ${lines[1]} == 'down '* && ${lines[2]} == 'up '* ]]
}
test_each_runtime 'status: exits 0 when the gateway runs, 3 when it is down, 4 when it is not registered' status_codes

several() {
  slot a "$DOWN"
  slot c "$DOWN"
  stub s6-svc s6-svscanctl s6-svwait s6-svstat
  cli stop a b c
  [[ $status -eq 5 ]]
  [[ $output == $'Stopped "a".\nStopped "c".' ]]
  [[ $stderr == 'gatewarden: Cannot stop "b": no gateway of that name is registered.'$'\n'* ]]
}
test_each_runtime 'stop: goes on after one that fails, and exits with its code' several

all_of_ours() {
  slot a "$DOWN"
  mkdir "$SCANDIR/other" "$SCANDIR/gateway-Not_ours" "$SCANDIR/.gateway-hidden"
  stub s6-svc s6-svscanctl s6-svwait s6-svstat
  cli stop --all
  expect 0 'Stopped "a".' ''
}
test_each_runtime 'stop --all: touches only our own gateways' all_of_ours

commands() {
  slot coder "$UP"
  stub s6-svc s6-svscanctl s6-svwait s6-svstat
  export STUB_S6_SVWAIT_EXIT=99 # it stays up
  cli start coder
  expect 0 'Started "coder".' ''
  cli start coder --no-wait --timeout 3
  expect 0 'Asked "coder" to start.' ''
  slot coder "$DOWN"
  cli stop coder --timeout 2.5
  expect 0 'Stopped "coder".' ''
  cli stop coder --dry-run
  [[ $status -eq 0 ]]
  assert_calls <<OUT
s6-svc -wu -T 10000 -u $SCANDIR/gateway-coder
s6-svwait -D -t 500 $SCANDIR/gateway-coder
s6-svc -u $SCANDIR/gateway-coder
s6-svc -wD -T 2500 -d $SCANDIR/gateway-coder
OUT
}
test_each_runtime 'start and stop: run exactly these commands' commands

dry_run() {
  slot coder "$UP"
  stub s6-svc s6-svscanctl s6-svwait s6-svstat
  local stubs=$BATS_TEST_TMPDIR/stubs
  cli stop coder --dry-run
  [[ $status -eq 0 ]]
  [[ $output == *$'\n'"run $stubs/s6-svc -wD -T "*" -d $SCANDIR/gateway-coder # at most "* ]]
  cli unregister coder --dry-run
  [[ $status -eq 0 ]]
  [[ $output == *"rename $SCANDIR/gateway-coder -> $SCANDIR/.gatewarden-gateway-coder.old."* ]]
  [[ -d $SCANDIR/gateway-coder ]]
  cli register other --dry-run
  [[ $status -eq 0 && $output == *"run $stubs/s6-svscanctl -a $SCANDIR # at most 5 s"* ]]
  [[ ! -e $SCANDIR/gateway-other ]]
  assert_calls </dev/null
}
test_each_runtime '--dry-run: prints the steps, and runs and changes nothing' dry_run

precedence() {
  local other=$BATS_TEST_TMPDIR/other
  mkdir -p "$other/gateway-other" "$SCANDIR/gateway-coder"
  GATEWARDEN_SCANDIR=$other run --separate-stderr run_cli "$RUNTIME" list
  expect 0 other ''
  GATEWARDEN_SCANDIR=$other cli list
  expect 0 coder ''
  GATEWARDEN_MANAGER=upstart run --separate-stderr run_cli "$RUNTIME" list
  [[ $status -eq 2 && $stderr == *'GATEWARDEN_MANAGER="upstart"'* ]]
  GATEWARDEN_MANAGER=launchd run --separate-stderr run_cli "$RUNTIME" --manager s6 --scandir "$other" list
  expect 0 other ''
}
test_each_runtime 'settings: a flag wins over a variable, and a variable over what is built in' precedence

@test 'output: ends quietly when its reader has left' {
  local i
  for i in {1..300}; do mkdir "$SCANDIR/gateway-profile-$i"; done
  run bash -c '
    { "${@:2}"; echo "exit code $?" >&2; } | head -n 1' _ "" \
    "$NODE" "$PROJECT/dist/bin.js" status --scandir "$SCANDIR"
  [[ ${lines[0]} == PROFILE* && ${lines[1]} == 'exit code 0' && ${#lines[@]} -eq 2 ]]
}

@test 'output: is coloured on a terminal only, and not with --no-color or NO_COLOR' {
  RUNTIME=node
  slot coder "$UP"
  cli status
  [[ $output != *$'\e'* ]]
  run script -qec "$(printf '%q ' "$NODE" "$PROJECT/dist/bin.js" status --scandir "$SCANDIR")" /dev/null
  [[ $output == *$'\e[32mrunning'* ]]
  run script -qec "$(printf '%q ' "$NODE" "$PROJECT/dist/bin.js" status --no-color --scandir "$SCANDIR")" /dev/null
  [[ $output == *running* && $output != *$'\e'* ]]
  NO_COLOR=1 run script -qec "$(printf '%q ' "$NODE" "$PROJECT/dist/bin.js" status --scandir "$SCANDIR")" /dev/null
  [[ $output == *running* && $output != *$'\e'* ]]
}

render_tree() {
  umask 077
  cli render coder --out "$BATS_TEST_TMPDIR/out" --interpreter with-contenv --env 'GREETING=hello world' --down
  expect 0 "Wrote $BATS_TEST_TMPDIR/out/gateway-coder." ''
  (cd "$BATS_TEST_TMPDIR/out" && find . -printf '%m %P\n') | LC_ALL=C sort | diff -u - <(
    cat <<'OUT'
644 gateway-coder/down
644 gateway-coder/log/type
644 gateway-coder/timeout-finish
644 gateway-coder/timeout-kill
644 gateway-coder/type
700 gateway-coder/run
755 
755 gateway-coder
755 gateway-coder/finish
755 gateway-coder/log
755 gateway-coder/log/run
OUT
  )
  [[ $(head -n 1 "$BATS_TEST_TMPDIR/out/gateway-coder/run") == '#!/command/with-contenv sh' ]]
  grep -qx "export GREETING='hello world'" "$BATS_TEST_TMPDIR/out/gateway-coder/run"
  cli render coder --out "$BATS_TEST_TMPDIR/out"
  expect 1 '' "gatewarden: Cannot render \"coder\" to $BATS_TEST_TMPDIR/out/gateway-coder: something is there already.
Remove it first, or name another folder with --out."
}
test_each_runtime 'render --out: writes the tree with exact modes, and overwrites nothing' render_tree

environment_from() {
  local file=$BATS_TEST_TMPDIR/secrets out=$BATS_TEST_TMPDIR/out
  (umask 077 && printf 'PLACE=s3cret\nGREETING=hi\n' >"$file")
  cli render coder --env-from "$file" -e GREETING=hello
  [[ $status -eq 0 && -z $stderr && $output != *s3cret* && $output != *hello* ]]
  [[ $output == *"==> gateway-coder/env/PLACE 0600 <=="$'\n(7 bytes, not shown; --out DIR writes it)\n'* ]]
  cli render coder --env-from - -e GREETING=hello --out "$out" <"$file"
  [[ $status -eq 0 && $(stat -c %a "$out/gateway-coder/env") == 700 ]]
  [[ $(cd "$out/gateway-coder/env" && stat -c '%a %n' -- *) == '600 PLACE' ]]
  [[ $(<"$out/gateway-coder/env/PLACE") == s3cret ]]
  grep -qx 'export GREETING=hello' "$out/gateway-coder/run"
  chmod 640 "$file"
  cli render coder --env-from "$file"
  expect 4 '' "gatewarden: Cannot use $file: others than its owner may read or write it.
Close it with: chmod 600 $file"
  cli render coder --env-from <(printf 'A=1\n')
  [[ $status -eq 4 && $stderr == *': it is a link.'* ]]
  cli render coder --env-from "$file.none"
  expect 2 '' "gatewarden: Cannot use $file.none: there is no such file."
}
test_each_runtime 'render --env-from: reads a private file, or standard input, and prints nothing of it' environment_from

render_same() {
  run_cli "$RUNTIME" --manager s6 render coder --out "$BATS_TEST_TMPDIR/out"
  run_cli "$RUNTIME" --manager s6 render coder >"$BATS_TEST_TMPDIR/printed"
  local file
  grep -oP '(?<===> )\S+' "$BATS_TEST_TMPDIR/printed" | while read -r file; do
    printf '==> %s 0%s <==\n' "$file" "$(stat -c %a "$BATS_TEST_TMPDIR/out/$file")"
    cat "$BATS_TEST_TMPDIR/out/$file"
    echo
  done | sed '$d' | diff -u "$BATS_TEST_TMPDIR/printed" -
}
test_each_runtime 'render: prints what --out would write' render_same
