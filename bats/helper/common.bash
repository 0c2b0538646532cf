# shellcheck shell=bash
# What every suite loads: load helper/common (from bats/real/: load ../helper/common).
#
# Recording stubs
#   stub NAME...                    links the recorder under these names, first on PATH
#   assert_calls <<'OUT'            compares every call so far with the text, in one block
#   calls                           prints the calls so far
# How a stub answers is said in stubs/record. Stubs are on PATH in the test itself too: they answer its own rm and cat.
#
# The command line
#   run run_cli node|deno ARGUMENT...   gatewarden under that runtime; runtimes lists those at hand
#
# Shells
#   each_shell                      prints the shells at hand, one a line: "busybox ash" is two words
#   test_each_shell DESCRIPTION FUNCTION
#                                   at the top of a file: a test for every shell, which calls FUNCTION SHELL...;
#                                   for a shell that is missing, a skip that names it
#
# A process left in the background must not keep file descriptor 3, or bats waits for it: sleep 60 3>&- &
# Wait for processes by their id: a bare wait would wait for the watchdog of bats too.

PROJECT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
UNSTUBBED_PATH=$PATH
NODE=$(command -v node || true)
SHELLS=(dash bash 'busybox ash' mksh yash ksh)

stub() {
  local folder=$BATS_TEST_TMPDIR/stubs name
  PATH=$UNSTUBBED_PATH mkdir -p "$folder"
  export STUB_LOG=$BATS_TEST_TMPDIR/calls
  : >>"$STUB_LOG"
  for name in "$@"; do
    PATH=$UNSTUBBED_PATH ln -sf "$PROJECT/bats/stubs/record" "$folder/$name"
  done
  case :$PATH: in
    *":$folder:"*) ;;
    *) export PATH=$folder:$PATH ;;
  esac
  hash -r
}

calls() {
  PATH=$UNSTUBBED_PATH cat "$STUB_LOG"
}

assert_calls() {
  PATH=$UNSTUBBED_PATH diff -u --label 'the calls that were expected' --label 'the calls that were made' - "$STUB_LOG"
}

runtimes() {
  if [[ -n $NODE ]]; then printf 'node\ndeno\n'; fi
}

# Deno comes from npm, and its launcher is a Node program; both are called by their full path, whatever PATH is.
run_cli() {
  local runtime=$1
  shift
  case $runtime in
    node) "$NODE" "$PROJECT/dist/bin.js" "$@" ;;
    deno) "$NODE" "$PROJECT/node_modules/deno/bin.cjs" run -A --quiet "$PROJECT/src/bin.ts" "$@" ;;
    *)
      printf 'run_cli: no such runtime: %s\n' "$runtime" >&2
      return 2
      ;;
  esac
}

# has_shell "busybox ash"
has_shell() {
  PATH=$UNSTUBBED_PATH command -v "${1%% *}" >/dev/null
}

each_shell() {
  local shell
  for shell in "${SHELLS[@]}"; do
    if has_shell "$shell"; then printf '%s\n' "$shell"; fi
  done
}

test_each_shell() {
  local shell words
  for shell in "${SHELLS[@]}"; do
    read -ra words <<<"$shell"
    bats_test_function --description "$1 ($shell)" -- under_shell "$2" "${words[@]}"
  done
}

under_shell() {
  local body=$1
  shift
  has_shell "$1" || skip "$1 is not installed"
  "$body" "$@"
}
