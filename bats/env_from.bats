#!/usr/bin/env bats
# Secrets in files: the script that becomes the gateway has s6-envdir read them, in the slot itself, before the drop.

load helper/common
load helper/scripts

setup_file() {
  local home="$BATS_FILE_TMPDIR/home" print='["env", "-0"]' long
  long=$(printf '%05000d' 0)
  mkdir -p "$home"
  definition="{
    \"name\": \"hermes\", \"user\": \"hermes\", \"home\": \"$home\", \"homeVariable\": \"HERMES_HOME\",
    \"command\": { \"default\": $print }, \"supervisedMarkers\": [\"MARKER\"], \"path\": [\"/opt/x\"]
  }"
  write_case secrets "$(cat "$PROJECT/golden/env-from/case.json")" "$definition"
  write_case long "{ \"profile\": \"coder\", \"secretEnvironment\": { \"LONG\": \"$long\" } }" "$definition"
  # shellcheck disable=SC2016 # JavaScript, not shell
  write_case hostile "$("$NODE" -p '
    const { environment, ...others } = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
    for (const name of ["PATH", "LD_LIBRARY_PATH"]) delete environment[name];
    JSON.stringify({ ...others, secretEnvironment: environment });
  ' "$PROJECT/golden/env-hostile/case.json")" "$definition"
  render_cases
}

slot_of() {
  printf '%s/%s/s6/gateway-coder' "$RENDERED" "$1"
}

# in_folder FOLDER UID SHELL...: as s6-supervise runs it, with the slot as its working directory.
in_folder() {
  local folder=$1 uid=$2
  shift 2
  (cd "$folder" && run_as "$uid" "$@" ./run)
}

in_slot() { # CASE UID SHELL...
  local case=$1
  shift
  in_folder "$(slot_of "$case")" "$@"
}

# variable NAME: of what `env -0` printed.
variable() {
  "$NODE" -e '
    const [name, printed] = process.argv.slice(1);
    const all = require("node:fs").readFileSync(printed, "utf8").split("\0");
    const found = all.filter((one) => one.startsWith(`${name}=`));
    if (found.length !== 1) process.exit(1);
    process.stdout.write(found[0].slice(name.length + 1));
  ' "$1" "$BATS_TEST_TMPDIR/printed"
}

reads_before_the_drop() {
  stub id s6-envdir s6-setuidgid
  ENVIRONMENT=(STUB_S6_ENVDIR_EXEC=2)
  in_slot secrets 0 "$@"
  assert_calls <<OUT
id -u
s6-envdir -f $(cd "$(slot_of secrets)" && pwd -P)/env s6-setuidgid hermes env PATH=/opt/x:$PATH env -0
s6-setuidgid hermes env PATH=/opt/x:$PATH env -0
OUT
}
test_each_shell 'run: as root, the files of secrets are read before the drop' reads_before_the_drop

reads_as_the_service_user() {
  stub id s6-envdir s6-setuidgid
  ENVIRONMENT=(STUB_S6_ENVDIR_EXEC=2)
  in_slot secrets 10000 "$@"
  assert_calls <<OUT
id -u
id -u
s6-envdir -f $(cd "$(slot_of secrets)" && pwd -P)/env env PATH=/opt/x:$PATH env -0
OUT
}
test_each_shell 'run: as an unprivileged user, the same without a drop' reads_as_the_service_user

arrives() {
  local uid
  stub id s6-setuidgid
  for uid in 0 10000; do
    in_slot secrets "$uid" "$@" >"$BATS_TEST_TMPDIR/printed"
    # shellcheck disable=SC2016 # that is the value
    [[ $(variable API_TOKEN && printf .) == 'a'\''b "c" $(id) `id` \ %s.' ]]
    [[ $(variable PRIVATE_KEY && printf .) == $'-----BEGIN KEY-----\nZoë\n-----END KEY-----\n.' ]]
    [[ $(variable TRAILING && printf .) == $'blanks \t.' ]]
    [[ $(variable EMPTY && printf .) == . ]]
    [[ $(variable BOTH) == 'of --env' && $(variable LOG_LEVEL) == info && $(variable MARKER) == 1 ]]
    in_slot long "$uid" "$@" >"$BATS_TEST_TMPDIR/printed"
    [[ $(variable LONG | wc -c) -eq 5000 ]]
  done
}
test_each_shell 'run: secrets reach the gateway through the real s6-envdir, to the byte' arrives

hostile_arrives() {
  stub id s6-setuidgid
  in_slot hostile 0 "$@" >"$BATS_TEST_TMPDIR/printed"
  # shellcheck disable=SC2016 # JavaScript, not shell
  "$NODE" -e '
    const { readFileSync } = require("node:fs");
    const [caseFile, printed] = process.argv.slice(1);
    const expected = Object.entries(JSON.parse(readFileSync(caseFile, "utf8")).secretEnvironment);
    const actual = new Set(readFileSync(printed).toString("latin1").split("\0"));
    const wrong = expected.filter(([name, value]) => !actual.has(Buffer.from(`${name}=${value}`).toString("latin1")));
    console.error(wrong);
    process.exit(expected.length > 20 && wrong.length === 0 ? 0 : 1);
  ' "$RENDERED/hostile/case.json" "$BATS_TEST_TMPDIR/printed"
}
test_each_shell 'run: a secret may be any text, under the name of any variable that no loader reads' hostile_arrives

needs_the_files() {
  local slot=$BATS_TEST_TMPDIR/slot
  stub id s6-setuidgid
  mkdir "$slot"
  PATH=$UNSTUBBED_PATH cp "$(slot_of secrets)/run" "$slot"
  run in_folder "$slot" 0 "$@"
  [[ $status -eq 111 && $output == *s6-envdir*"$slot/env"* ]]
  assert_calls <<'OUT'
id -u
OUT
}
test_each_shell 'run: does not start the gateway without its secrets' needs_the_files

@test "run: no secret is in a script, in an argument or in a name" {
  local value
  for value in "a'b" 'BEGIN KEY' 'of --env-from' 'blanks'; do
    run grep -rlF -e "$value" "$PROJECT/golden/env-from/s6"
    [[ $output != */run* && $output != */finish* && $output != */COMMANDS* ]]
  done
  [[ $(grep -rlF 'BEGIN KEY' "$PROJECT/golden/env-from/s6") == */env/PRIVATE_KEY ]]
}
