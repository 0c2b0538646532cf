# shellcheck shell=bash
# Rendering scripts, and running them as s6-supervise would: load helper/scripts, after helper/common.
#
#   write_case NAME CASE [DEFINITION]   a golden case made on the spot, from the text of its case.json and, where it is
#                                       not about the built-in definition, its definition.json
#   render_cases                        renders all of them, to $RENDERED/NAME/s6/SERVICE/run and so on
#   run_as UID SHELL... SCRIPT          runs a script with hardly any environment, and UID as what a stubbed id prints;
#                                       further variables stand in the array ENVIRONMENT as NAME=VALUE
#   fake NAME TEXT                      a program for what a recorder cannot tell, first on PATH

RENDERED=${BATS_FILE_TMPDIR-}/cases
ENVIRONMENT=()

write_case() {
  mkdir -p "$RENDERED/$1"
  printf '%s\n' "$2" >"$RENDERED/$1/case.json"
  if [[ -n ${3-} ]]; then printf '%s\n' "$3" >"$RENDERED/$1/definition.json"; fi
}

render_cases() {
  "$PROJECT/node_modules/.bin/tsx" "$PROJECT/scripts/golden.ts" "$RENDERED"
}

run_as() {
  local uid=$1 locale=C
  shift
  # yash reads a script in the encoding of its locale; the others take its bytes as they are.
  if [[ $1 == yash ]]; then locale=C.UTF-8; fi
  env -i PATH="$PATH" LC_ALL="$locale" STUB_LOG="$STUB_LOG" STUB_ID_OUT="$uid" "${ENVIRONMENT[@]}" "$@"
}

fake() {
  stub "$1"
  PATH=$UNSTUBBED_PATH rm "$BATS_TEST_TMPDIR/stubs/$1"
  printf '#!/bin/sh\n%s\n' "$2" >"$BATS_TEST_TMPDIR/stubs/$1"
  PATH=$UNSTUBBED_PATH chmod +x "$BATS_TEST_TMPDIR/stubs/$1"
}
