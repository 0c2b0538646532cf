#!/usr/bin/env bats
# The script that becomes the gateway, run under every shell with stubs around it.

load helper/common
load helper/scripts

# definition HOME COMMAND PATH: as JSON; the last two are JSON lists.
definition() {
  printf '{
    "name": "hermes", "user": "hermes", "home": "%s", "homeVariable": "HERMES_HOME",
    "command": { "default": %s },
    "supervisedMarkers": ["HERMES_S6_SUPERVISED_CHILD", "HERMES_SUPERVISED_CHILD"],
    "path": %s
  }' "$@"
}

# Names that one shell or another sets itself, keeps read-only, or evaluates the value of.
SPECIAL=(BASHOPTS BASHPID BASH_ALIASES BASH_ARGC BASH_ARGV BASH_CMDS BASH_COMMAND BASH_COMPAT BASH_ENV
  BASH_LINENO BASH_SOURCE BASH_SUBSHELL BASH_VERSINFO BASH_XTRACEFD CDPATH COLUMNS DIRSTACK EDITOR ENV
  EPOCHREALTIME EPOCHSECONDS EUID EXECIGNORE FCEDIT FIGNORE FPATH FUNCNAME FUNCNEST GLOBIGNORE GROUPS HISTCMD
  HISTFILE HISTSIZE HOSTNAME IFS IGNOREEOF JOBMAX KSHEGID KSHGID KSHUID KSH_VERSION LANG LANGUAGE LC_ALL LC_COLLATE
  LC_CTYPE LC_MESSAGES LC_NUMERIC LC_TIME LINENO LINES LOGNAME MAIL MAILCHECK MAILPATH OLDPWD OPTARG OPTERR OPTIND
  PGRP PIPESTATUS POSIXLY_CORRECT PPID PS1 PS4 PWD RANDOM READLINE_LINE REPLY SECONDS SHELL SHELLOPTS SHLVL SRANDOM
  TERM TIMEFORMAT TMOUT TMPDIR TZ UID USER_ID VISUAL _)

setup_file() {
  local home="$BATS_FILE_TMPDIR/it's home" hermes='["hermes", "gateway", "run", "--replace"]' name
  local print='["env", "-0"]' values=
  mkdir -p "$home" "$BATS_FILE_TMPDIR/evil"
  for name in "${SPECIAL[@]}"; do
    values+="${values:+, }\"$name\": \"a[\$(touch $BATS_FILE_TMPDIR/evaluated)]\""
  done
  write_case plain '{ "profile": "coder" }' "$(definition "$home" "$hermes" '[]')"
  write_case hostile "$(cat "$PROJECT/golden/env-hostile/case.json")" "$(definition "$home" "$print" '[]')"
  write_case special "{ \"profile\": \"coder\", \"environment\": { $values } }" "$(definition "$home" "$print" '[]')"
  write_case own-path '{ "profile": "coder" }' "$(definition "$home" "$hermes" "[\"$BATS_FILE_TMPDIR/evil\"]")"
  write_case own-variables "{
      \"profile\": \"coder\",
      \"environment\": { \"PATH\": \"$BATS_FILE_TMPDIR/evil:$PATH\", \"LD_LIBRARY_PATH\": \"$BATS_FILE_TMPDIR/evil\" }
    }" "$(definition "$home" "$hermes" '[]')"
  write_case no-home '{ "profile": "coder" }' "$(definition "$home/missing" "$hermes" '[]')"
  render_cases
}

script_of() {
  printf '%s/%s/s6/gateway-coder/run' "$RENDERED" "$1"
}

starts_as_root() {
  stub id s6-setuidgid hermes chown rm mkdir
  run_as 0 "$@" "$(script_of plain)"
  assert_calls <<'OUT'
id -u
s6-setuidgid hermes hermes gateway run --replace
dropped: hermes gateway run --replace
OUT
}
test_each_shell 'run: as root, drops to the service user and becomes the gateway' starts_as_root

starts_as_the_service_user() {
  stub id s6-setuidgid hermes chown rm mkdir
  run_as 10000 "$@" "$(script_of plain)"
  assert_calls <<'OUT'
id -u
id -u
hermes gateway run --replace
OUT
}
test_each_shell 'run: as an unprivileged user, becomes the gateway without a drop' starts_as_the_service_user

drops_at_home() {
  stub id hermes
  # shellcheck disable=SC2016 # for the fake
  fake s6-setuidgid 'printf "%s\n" "$HOME" "$HERMES_HOME" "$(pwd -P)" "$HERMES_S6_SUPERVISED_CHILD" "$HERMES_SUPERVISED_CHILD"'
  ENVIRONMENT=(HOME=/root)
  run run_as 0 "$@" "$(script_of plain)"
  [[ $status -eq 0 ]]
  diff - <(printf '%s\n' "$output") <<OUT
$BATS_FILE_TMPDIR/it's home
$BATS_FILE_TMPDIR/it's home
$(cd "$BATS_FILE_TMPDIR/it's home" && pwd -P)
1
1
OUT
}
test_each_shell 'run: HOME, working directory and markers are set before the drop' drops_at_home

keeps_the_volume() {
  stub id
  # shellcheck disable=SC2016 # for the fake
  fake hermes 'printf "%s\n" "$HERMES_HOME"'
  ENVIRONMENT=(HERMES_HOME=/mnt/volume)
  [[ $(run_as 10000 "$@" "$(script_of plain)") == /mnt/volume ]]
}
test_each_shell 'run: the volume is the one the container names' keeps_the_volume

# Compares what `env -0` printed with the environment of a case.json, byte by byte.
environment_arrived() { # CASE_JSON PRINTED
  # shellcheck disable=SC2016 # JavaScript, not shell
  "$NODE" -e '
    const { readFileSync } = require("node:fs");
    const [caseFile, printed] = process.argv.slice(1);
    const expected = Object.entries(JSON.parse(readFileSync(caseFile, "utf8")).environment);
    const actual = new Map(readFileSync(printed).toString("latin1").split("\0").map((one) => {
      const at = one.indexOf("=");
      return [one.slice(0, at), one.slice(at + 1)];
    }));
    const wrong = expected.filter(([name, value]) => actual.get(name) !== Buffer.from(value).toString("latin1"));
    for (const [name, value] of wrong) console.error(name, JSON.stringify(value), JSON.stringify(actual.get(name)));
    process.exit(expected.length > 0 && wrong.length === 0 ? 0 : 1);
  ' "$@"
}

passes_hostile_values() {
  local uid
  stub id s6-setuidgid
  for uid in 0 10000; do
    run_as "$uid" "$@" "$(script_of hostile)" >"$BATS_TEST_TMPDIR/printed"
    environment_arrived "$RENDERED/hostile/case.json" "$BATS_TEST_TMPDIR/printed"
  done
}
test_each_shell 'run: hostile values reach the gateway to the byte' passes_hostile_values

passes_special_variables() {
  stub id s6-setuidgid
  run_as 10000 "$@" "$(script_of special)" >"$BATS_TEST_TMPDIR/printed"
  environment_arrived "$RENDERED/special/case.json" "$BATS_TEST_TMPDIR/printed"
  # As root through a stub, which is a shell itself and has its own way with IFS and PWD.
  run_as 0 "$@" "$(script_of special)" >/dev/null
  [[ ! -e $BATS_FILE_TMPDIR/evaluated ]]
}
test_each_shell 'run: variables that mean something to a shell reach the gateway, and none is evaluated' \
  passes_special_variables

# Puts programs into the folder that the definition's path or the environment's PATH names. Each says who called it.
plant_programs() {
  local name
  for name in hermes id env s6-setuidgid cd mkdir rm chown sh s6-log; do
    # shellcheck disable=SC2016 # for the program
    printf '#!/bin/sh\necho "$0 dropped=${STUB_DROPPED-no}" >>"%s"\n' "$BATS_TEST_TMPDIR/planted" \
      >"$BATS_FILE_TMPDIR/evil/$name"
    chmod +x "$BATS_FILE_TMPDIR/evil/$name"
  done
}

runs_nothing_planted_as_root() {
  local case
  plant_programs
  stub id s6-setuidgid
  for case in own-path own-variables; do
    run_as 0 "$@" "$(script_of "$case")"
    diff - "$BATS_TEST_TMPDIR/planted" <<OUT
$BATS_FILE_TMPDIR/evil/hermes dropped=1
OUT
    rm "$BATS_TEST_TMPDIR/planted"
  done
}
test_each_shell "run: nothing in the service user's PATH runs before the drop" runs_nothing_planted_as_root

needs_id() {
  stub id s6-setuidgid hermes
  ENVIRONMENT=(STUB_ID_EXIT=1)
  run run_as '' "$@" "$(script_of plain)"
  [[ $status -eq 111 ]]
  assert_calls <<'OUT'
id -u
OUT
}
test_each_shell 'run: does not take root for somebody else when id fails' needs_id

# id answers once, and fails from then on: the service user may use up all memory at any moment.
stays_root_when_id_fails_later() {
  stub s6-setuidgid hermes
  fake id "[ ! -e '$BATS_TEST_TMPDIR/asked' ] || exit 127; : >'$BATS_TEST_TMPDIR/asked'; echo 0"
  run_as 0 "$@" "$(script_of plain)"
  [[ $(calls | head -n 1) == 's6-setuidgid '* ]]
  [[ $(calls | sed -n 2p) == 'dropped: '* ]]
}
test_each_shell 'run: does not take root for somebody else when id fails later' stays_root_when_id_fails_later

needs_home() {
  stub id s6-setuidgid hermes
  run run_as 0 "$@" "$(script_of no-home)"
  [[ $status -ne 0 && $output == *"it's home/missing"* ]]
  assert_calls <<'OUT'
id -u
OUT
}
test_each_shell 'run: does not start the gateway without its home' needs_home

@test "run: --replace is on every line that starts the gateway" {
  grep -rh 'gateway run' "$PROJECT"/golden/{default,named,down,plain-s6,env-hostile,custom-home} >"$BATS_TEST_TMPDIR/lines"
  [[ $(wc -l <"$BATS_TEST_TMPDIR/lines") -ge 12 ]]
  ! grep -v -e '--replace' "$BATS_TEST_TMPDIR/lines"
}
