#!/usr/bin/env bats
# Each verb under Deno with exactly the permissions that docs/permissions.md names, on a private s6.

bats_require_minimum_version 1.5.0
load ../helper/common
load ../helper/tree

setup() {
  unset GATEWARDEN_MANAGER GATEWARDEN_SCANDIR GATEWARDEN_CONFIG GATEWARDEN_DEBUG
  export NO_COLOR=1
  start_tree
}

teardown() {
  stop_tree
}

# The permissions of a verb: the code in its line of the table in docs/permissions.md, with the names of programs and
# folders as they are here.
permissions() {
  local text programs=() program
  text=$(sed -n "s/^| \`$1\` *| \`\([^\`]*\)\` *|.*/\1/p" "$PROJECT/docs/permissions.md")
  if [[ $text =~ --allow-run=([^ ]*) ]]; then
    local names=${BASH_REMATCH[1]}
    for program in ${names//,/ }; do programs+=("$(command -v "$program")"); done
    text=${text/"$names"/$(IFS=, && printf '%s' "${programs[*]}")}
  fi
  text=${text//HERMES_HOME/GATEWAY_HOME}
  text=${text//SCANDIR/$SCANDIR}
  printf '%s' "${text//DIR/$BATS_TEST_TMPDIR}"
}

# narrow VERB ARGUMENT...: with the permissions of the verb and no other.
narrow() {
  local allowed
  read -ra allowed <<<"$(permissions "$1")"
  run --separate-stderr "$NODE" "$PROJECT/node_modules/deno/bin.cjs" run --no-prompt --quiet "${allowed[@]}" \
    "$PROJECT/src/bin.ts" "$@"
  printf '%s\n%s\n' "$output" "$stderr"
}

on_tree() {
  narrow "$@" --scandir "$SCANDIR" --config "$DEFINITION"
}

@test 'the table in docs/permissions.md has every command' {
  local verb
  for verb in $(run_cli node --help | sed -n 's/^  gatewarden \([a-z]*\).*/\1/p'); do
    grep -q "^| \`$verb\` *| " "$PROJECT/docs/permissions.md" || {
      echo "missing: $verb"
      return 1
    }
  done
}

@test 'detect: needs no permission' {
  narrow detect
  [[ $status -eq 3 && -z $stderr && ${lines[0]} == none ]]
}

@test 'render: needs no permission, reads nothing, writes nothing and runs nothing' {
  narrow render coder
  [[ $status -eq 0 && -z $stderr && ${lines[0]} == '==> gateway-coder/'* ]]
}

@test 'render --out: writes below its folder' {
  local allowed
  read -ra allowed <<<"$(permissions 'render --out')"
  "$NODE" "$PROJECT/node_modules/deno/bin.cjs" run --no-prompt --quiet "${allowed[@]}" \
    "$PROJECT/src/bin.ts" render coder --out "$BATS_TEST_TMPDIR"
  [[ -x $BATS_TEST_TMPDIR/gateway-coder/run ]]
}

@test 'register, list, status, logs, stop, start, restart, unregister: work with their permissions' {
  on_tree register coder
  [[ $status -eq 0 && -z $stderr && $output == 'Registered and started "coder".' ]]
  on_tree list
  [[ $status -eq 0 && -z $stderr && $output == coder ]]
  on_tree status coder
  [[ $status -eq 0 && -z $stderr && ${lines[1]} == 'coder    running '* ]]
  wait_until grep -q 'coder is up' "$TREE/home/logs/coder/current"
  on_tree logs coder
  [[ $status -eq 0 && -z $stderr && $output == *'  coder is up' ]]
  on_tree stop coder
  [[ $status -eq 0 && -z $stderr && $output == 'Stopped "coder".' ]]
  on_tree start coder
  [[ $status -eq 0 && -z $stderr && $output == 'Started "coder".' ]]
  on_tree restart coder
  [[ $status -eq 0 && -z $stderr && $output == 'Restarted "coder".' ]]
  grep -q '"desired":"running"' "$TREE/home/profiles/coder/.gatewarden.json"
  on_tree unregister coder
  [[ $status -eq 0 && -z $stderr && $output == '"coder" is not registered any more.' ]]
  [[ -z $(ls "$SCANDIR") ]]
}

@test 'register: leaves alone what a living process works on, although it cannot look at it' {
  local pid_namespace start theirs
  pid_namespace=$(readlink /proc/self/ns/pid)
  start=$(sed 's/.*) //' "/proc/$$/stat" | cut -d ' ' -f 20)
  theirs=$SCANDIR/.gatewarden-gateway-other.new.${pid_namespace//[^0-9]/}-$$-$start-0
  mkdir "$theirs"
  on_tree register coder
  [[ $status -eq 0 && -d $theirs ]]
  rmdir "$theirs"
  on_tree unregister coder
}

@test 'a verb without a permission exits 4, names it, and points to the table' {
  run --separate-stderr "$NODE" "$PROJECT/node_modules/deno/bin.cjs" run --no-prompt --quiet --allow-read \
    "$PROJECT/src/bin.ts" list --scandir "$SCANDIR"
  [[ $status -eq 4 && $stderr == *'"uid"'*'docs/permissions.md.' ]]
}
