#!/usr/bin/env bats
# What holds for every rendered script. The scripts are those in golden/, in place.

load helper/common

golden_scripts() {
  find "$PROJECT/golden" -type f \( -name run -o -name finish \)
}

@test "golden: there are scripts of every kind" {
  golden_scripts >"$BATS_TEST_TMPDIR/scripts"
  for kind in /run /log/run /finish; do
    [[ $(grep -c "$kind\$" "$BATS_TEST_TMPDIR/scripts") -ge 7 ]]
  done
}

parses() {
  local script locale=C
  if [[ $1 == yash ]]; then locale=C.UTF-8; fi
  while IFS= read -r script; do
    LC_ALL=$locale "$@" -n "$script"
  done < <(golden_scripts)
}
test_each_shell 'golden: every script parses' parses

@test "golden: every script says first who runs it" {
  local script
  while IFS= read -r script; do
    sed -n 3p "$script" | grep -q '^# Run by s6-supervise '
  done < <(golden_scripts)
}

@test "golden: no script changes an owner, a mode or another user's process" {
  ! golden_scripts | xargs grep -nwE 'chown|chmod|chgrp|kill|su|sudo'
}
