# shellcheck shell=bash
# A supervision tree of the test's own: load helper/tree, after helper/common.
#
#   start_tree            an s6-svscan on $SCANDIR, and a definition, $DEFINITION, of a gateway that says "PROFILE is up" and
#                         waits; for root it runs as nobody, else as the caller; the profile coder exists
#   stop_tree             ends all of it; to be called from teardown
#   gateway_pid PROFILE   the process of a gateway, by s6-svstat
#   wait_until COMMAND... until the command succeeds, at most 10 s

start_tree() {
  TREE=$BATS_TEST_TMPDIR/tree
  SCANDIR=$TREE/scandir
  DEFINITION=$TREE/definition.json
  local home=$TREE/home user
  mkdir -p "$SCANDIR" "$home/profiles/coder"
  user=$(id -un)
  if [[ $(id -u) -eq 0 ]]; then
    user=nobody
    chown -R nobody "$home"
    # It has to reach its home, and bats closes its folders to others.
    local folder=$home
    while [[ $folder == "$BATS_RUN_TMPDIR"* ]]; do
      chmod go+x "$folder"
      folder=${folder%/*}
    done
  fi
  cat >"$DEFINITION" <<JSON
{
  "name": "waiter",
  "user": "$user",
  "home": "$home",
  "command": {
    "default": ["sh", "-c", "echo default is up; exec sleep 1000"],
    "named": ["sh", "-c", "echo \"\$0 is up\"; exec sleep 1000", "{profile}"]
  },
  "log": {
    "directory": "logs/{profile}",
    "files": 10,
    "fileBytes": 1000000,
    "timestamp": "iso",
    "copyToStandardOutput": false
  },
  "stop": { "signal": "SIGTERM", "drainSeconds": 5, "graceSeconds": 1 }
}
JSON
  s6-svscan "$SCANDIR" </dev/null >"$TREE/svscan.log" 2>&1 3>&- &
  SVSCAN=$!
  wait_until s6-svscanctl -a "$SCANDIR" 2>/dev/null
}

stop_tree() {
  if [[ -z ${SVSCAN-} ]]; then return 0; fi
  kill "$SVSCAN"
  wait "$SVSCAN" || true
}

gateway_pid() {
  s6-svstat -o pid "$SCANDIR/gateway-$1"
}

wait_until() {
  local end=$((SECONDS + 10))
  until "$@"; do
    if ((SECONDS >= end)); then
      printf 'in 10 s, never true: %s\n' "$*" >&2
      return 1
    fi
    sleep 0.05
  done
}
