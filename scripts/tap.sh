# shellcheck shell=sh
# Turns a command into one counted check, in TAP without numbers. Sourced by test.sh and static.sh.

# check NAME COMMAND [ARGUMENT...]: passes when the command does; what it printed is shown only if it failed.
check() {
  check_name=$1
  shift
  if check_output=$("$@" 2>&1); then
    printf 'ok - %s\n' "$check_name"
  else
    printf 'not ok - %s\n' "$check_name"
    printf '%s\n' "$check_output" | sed 's/^/# /'
  fi
}

# skip_check NAME REASON
skip_check() {
  printf 'ok - %s # skip %s\n' "$1" "$2"
}

# has COMMAND
has() {
  command -v "$1" >/dev/null 2>&1
}
