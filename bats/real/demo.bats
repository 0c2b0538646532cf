#!/usr/bin/env bats
# gatewarden demo: shows all of it, and leaves no process and no file, however it ends.

bats_require_minimum_version 1.5.0
load ../helper/common
load ../helper/tree

setup() {
  unset GATEWARDEN_MANAGER GATEWARDEN_SCANDIR GATEWARDEN_CONFIG GATEWARDEN_DEBUG
  export NO_COLOR=1
  export TMPDIR=$BATS_TEST_TMPDIR/demo-files
  mkdir "$TMPDIR"
}

teardown() {
  # What a failing test left; a passing one left nothing.
  local pid
  for pid in $(processes_in "$TMPDIR"); do kill -KILL "$pid" || true; done
}

# Processes that work in a folder or below it: supervisors, gateways and loggers all do.
processes_in() {
  local link
  for link in /proc/[0-9]*/cwd; do
    if [[ $(readlink "$link" 2>/dev/null) == "$1"* ]]; then basename "${link%/cwd}"; fi
  done
}

assert_nothing_left() {
  [[ -z $(ls -A "$TMPDIR") ]] || { ls -lR "$TMPDIR" && return 1; }
  [[ -z $(processes_in "$TMPDIR") ]] || { ps -fp "$(processes_in "$TMPDIR" | paste -sd,)" && return 1; }
}

# shape: the narration with numbers of processes and ports, and the folder, left out.
shape() {
  sed -E 's/pid [0-9]+/pid N/g; s/(kill( -KILL)?) [0-9]+/\1 N/; s/:[0-9]{4,5}\//:PORT\//g;
    s/gatewarden-demo-[A-Za-z0-9]+/gatewarden-demo-X/g; s/^( +)[0-9-]{10} [0-9:.]{18}/\1TIME/; s/  +/  /g'
}

the_story() {
  cat <<OUT
A real gateway on a private s6, as $1, in $2/gatewarden-demo-X:

  1. s6-svscan scandir/  it watches an empty folder, as pid N
  2. gatewarden register coder  s6 supervises it now, and started it as pid N
  3. gatewarden status coder  running, pid N
  4. curl http://127.0.0.1:PORT/  Hello from coder, pid N
  5. kill -KILL N  s6 started it again, as pid N
  6. curl -X POST .../exit?code=78  parked: exit code 78: configuration error (EX_CONFIG)
  7. gatewarden start coder  running, pid N
  8. curl http://127.0.0.1:PORT/  Hello from coder, pid N
  9. gatewarden logs -n 8 coder  what it wrote, and when:
  TIME  coder: pid N listens on http://127.0.0.1:PORT/
  TIME  coder: GET /
  TIME  coder: pid N listens on http://127.0.0.1:PORT/
  TIME  coder: asked to exit with 78
  TIME  coder: pid N listens on http://127.0.0.1:PORT/
  TIME  coder: GET /
  10. gatewarden unregister coder  its slot, its supervisor and its logger are gone
  11. kill N; rm -r $2/gatewarden-demo-X  no process and no file is left
OUT
}

# the narration on standard input is the whole story
tells_the_story() {
  diff -u <(the_story "$@" | sed -E 's/^ +//; s/  +/ /g') <(shape | sed -E 's/^ +//; s/  +/ /g')
}

story() {
  run --separate-stderr run_cli "$1" demo
  printf '%s\n%s\n' "$output" "$stderr"
  [[ $status -eq 0 && -z $stderr ]]
  tells_the_story "$(id -un)" "$TMPDIR" <<<"$output"
  assert_nothing_left
}

@test 'demo: tells the whole story, and leaves nothing (node)' {
  story node
}

@test 'demo: tells the whole story, and leaves nothing (deno)' {
  story deno
}

@test 'demo: needs no root' {
  if [[ $(id -u) -ne 0 ]]; then skip 'is run without root already'; fi
  # In a folder that anybody can reach: bats closes its own.
  TMPDIR=$(mktemp -d /tmp/gatewarden-bats.XXXXXX)
  chown nobody "$TMPDIR"
  run --separate-stderr setpriv --reuid nobody --regid nogroup --clear-groups env HOME="$TMPDIR" \
    "$NODE" "$PROJECT/dist/bin.js" demo
  printf '%s\n%s\n' "$output" "$stderr"
  [[ $status -eq 0 && -z $stderr ]]
  tells_the_story nobody "$TMPDIR" <<<"$output"
  assert_nothing_left
  rmdir "$TMPDIR"
}

@test 'scripts/demo.sh: runs it from anywhere' {
  cd /
  run --separate-stderr sh "$PROJECT/scripts/demo.sh"
  printf '%s\n%s\n' "$output" "$stderr"
  [[ $status -eq 0 ]]
  tells_the_story "$(id -un)" "$TMPDIR" <<<"$output"
  assert_nothing_left
}

# interrupt_at STEP RUNTIME: as Ctrl-C does, which all processes of the terminal's foreground get.
interrupt_at() {
  local out=$BATS_TEST_TMPDIR/out
  : >"$out"
  # A session of its own is a group of its own; its leader writes down its id first.
  setsid bash -c 'echo $$ >"$1"; shift; trap - INT; exec "$@"' _ "$BATS_TEST_TMPDIR/group" \
    bash -c '. "$1/bats/helper/common.bash"; run_cli "$2" demo' _ "$PROJECT" "$2" >"$out" 2>&1 3>&- &
  local leader=$!
  wait_until grep -q "^ *$1\\. " "$out"
  kill -INT -- "-$(<"$BATS_TEST_TMPDIR/group")"
  wait_until_gone "$(<"$BATS_TEST_TMPDIR/group")"
  wait "$leader" || true
  cat "$out"
  grep -qx 'Interrupted. No process and no file is left.' "$out"
  assert_nothing_left
}

wait_until_gone() {
  wait_until eval "! pgrep -g $1 >/dev/null"
}

@test 'demo: leaves nothing when it is interrupted early (node)' {
  interrupt_at 1 node
}

@test 'demo: leaves nothing when it is interrupted early (deno)' {
  interrupt_at 1 deno
}

@test 'demo: leaves nothing when it is interrupted while a gateway runs (node)' {
  interrupt_at 4 node
}

@test 'demo: leaves nothing when it is interrupted while a gateway runs (deno)' {
  interrupt_at 4 deno
}

@test 'demo: leaves nothing when it fails half-way' {
  stub s6-svwait
  STUB_S6_SVWAIT_EXIT=1 run --separate-stderr run_cli node demo
  printf '%s\n%s\n' "$output" "$stderr"
  [[ $status -eq 1 && $stderr == *'gatewarden: Cannot start '* ]]
  assert_nothing_left
}

@test 'demo: says how to get s6 where there is none, and leaves nothing' {
  mkdir "$BATS_TEST_TMPDIR/bin"
  run --separate-stderr env PATH="$BATS_TEST_TMPDIR/bin" "$NODE" "$PROJECT/dist/bin.js" demo
  [[ $status -eq 1 && -z $output ]]
  [[ $stderr == 'gatewarden: Cannot find s6-svscan: it is neither in /command nor on PATH.
Install s6. On Debian and Ubuntu: apt-get install s6' ]]
  assert_nothing_left
}
