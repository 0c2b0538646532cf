#!/usr/bin/env bats
# Own trees where no service manager runs, only s6 is installed: one of root's s6-svscan, and those in the foreground.

load helper/container
load helper/tree

bats_require_minimum_version 1.5.0

setup_file() {
  start_container bare
  if [[ -n $CONTAINER ]]; then
    # Not that of the machine: what is tested is a folder in it.
    inside mount -t tmpfs -o mode=1777 tmp /tmp
    inside install -d -m 0700 -o hermes -g hermes /run/user/10023
    inside mkdir /run/scan
    inside s6-svscan /run/scan >/dev/null 2>&1 3>&- &
    eventually inside test -p /run/scan/.s6-svscan/control
  fi
}

teardown_file() {
  stop_container
}

setup() {
  need_container
  RUNTIME=()
}

teardown() {
  if [[ -n $CONTAINER ]]; then
    end_tree_run TERM || true
    inside rm -rf /tmp/gatewarden-10023 /run/user/10023/gatewarden "$VOLUME/logs" "$VOLUME/coder.control"
    gatewarden tree uninstall --scandir /run/scan
  fi
}

as_hermes() {
  inside s6-setuidgid hermes env HOME="$VOLUME" "${RUNTIME[@]}" "$@"
}

gateway_pid() {
  inside s6-svstat -o pid "$SLOT"
}

# tree_run FOLDER [OPTION...]: starts a tree in the foreground, as hermes, and waits until it watches the folder.
tree_run() {
  SLOT=$1/gateway-coder
  gatewarden as_hermes tree run "${@:2}" >"$BATS_TEST_TMPDIR/tree_run" 2>&1 3>&- &
  TREE_RUN=$!
  eventually as_hermes s6-svscanctl -a "$1" 2>/dev/null
}

# end_tree_run SIGNAL: sends it to gatewarden; exits as that does.
end_tree_run() {
  [[ -n ${TREE_RUN-} ]] || return 0
  local ended=$TREE_RUN
  TREE_RUN=
  inside pkill "-$1" -u hermes -f 'bin.* tree run'
  wait "$ended"
}

# Process 1 asks after nobody, so what has ended stays as a zombie.
none_of_hermes() {
  [[ -z $(inside ps -u hermes -o stat= | grep -v '^Z') ]]
}

@test "plain s6 that is not process 1: tree install takes root's scandir, and all else finds the tree by itself" {
  run -3 gatewarden detect
  gatewarden tree install --scandir /run/scan
  run -0 gatewarden detect
  [[ ${lines[0]} == s6 && ${lines[-1]} == "$TREE"*'hermes has a tree of its own' ]]
  gatewarden register coder
  eventually logged 'up as'
  diff <(tree_processes | grep -v /run/scan) - <<'OUT'
hermes /bin/sh /opt/hermes/.venv/bin/hermes -p coder gateway run --replace
hermes s6-log 1 n10 s1000000 T /opt/data/logs/gateways/coder
hermes s6-supervise gateway-coder
hermes s6-supervise gateway-coder/log
hermes s6-svscan -d 3 /run/gatewarden/hermes
root s6-supervise gatewarden-hermes
OUT
  belongs_to_hermes
  run -0 gatewarden tree status --scandir /run/scan
  gatewarden tree uninstall --scandir /run/scan
  eventually none_of_hermes
  run -3 gatewarden status
}

@test "tree install without an s6-svscan on the scandir is an error, and leaves nothing behind" {
  inside mkdir /run/idle
  run -1 gatewarden tree install --scandir /run/idle
  [[ $output == *'Is an s6-svscan running on /run/idle?'* ]]
  [[ -z $(inside ls -A /run/idle) && -z $(inside ls -A /run/gatewarden) ]]
  inside rmdir /run/idle
}

# finds_its_tree FOLDER: every verb without a flag.
finds_its_tree() {
  run -0 gatewarden as_hermes detect
  [[ ${lines[0]} == s6 && ${lines[-1]} == "$1"*'the caller runs a tree of its own there' ]]
  gatewarden as_hermes register coder
  eventually logged 'up as'
  run -0 gatewarden as_hermes status coder
  gatewarden as_hermes stop coder
  gatewarden as_hermes start coder
}

@test "tree run: in a folder of /tmp that is the caller's alone; the other verbs find it" {
  tree_run /tmp/gatewarden-10023
  [[ $(inside stat -c '%U %a' /tmp/gatewarden-10023) == 'hermes 700' ]]
  grep -q 's6-svscan watches /tmp/gatewarden-10023' "$BATS_TEST_TMPDIR/tree_run"
  finds_its_tree /tmp/gatewarden-10023
  end_tree_run TERM
  eventually none_of_hermes
  # A folder that nobody watches any more counts no longer.
  run -3 gatewarden as_hermes status
  [[ $output == *'Cannot find a service manager'* ]]
}

@test "tree run: in XDG_RUNTIME_DIR where there is one; the other verbs find it" {
  RUNTIME=(XDG_RUNTIME_DIR=/run/user/10023)
  tree_run /run/user/10023/gatewarden
  finds_its_tree /run/user/10023/gatewarden
  end_tree_run TERM
}

@test "tree run: Ctrl-C and a closed terminal end s6-svscan and every gateway too" {
  local signal
  for signal in INT HUP QUIT; do
    tree_run /tmp/gatewarden-10023
    if [[ $signal == INT ]]; then gatewarden as_hermes register coder; fi
    eventually logged 'up as'
    end_tree_run "$signal"
    eventually none_of_hermes
  done
}

@test "tree run: under Deno" {
  GATEWARDEN=(/opt/gatewarden/deno run -A --quiet /opt/gatewarden/src/bin.ts)
  tree_run /tmp/gatewarden-10023
  finds_its_tree /tmp/gatewarden-10023
  end_tree_run TERM
  eventually none_of_hermes
}

@test "tree run: a folder of the caller's choice" {
  as_hermes mkdir -p -m 0755 "$VOLUME/tree"
  tree_run "$VOLUME/tree" --scandir "$VOLUME/tree"
  gatewarden as_hermes --scandir "$VOLUME/tree" register coder
  end_tree_run TERM
  as_hermes rm -r "$VOLUME/tree"
}

# refused HOW: neither runs a tree there, nor takes it for one.
refused() {
  printf 'as for %s:\n' "$1"
  run -4 gatewarden as_hermes tree run
  [[ $output == *'Cannot run a tree on /tmp/gatewarden-10023: it is no folder of yours alone'* ]]
  run -3 gatewarden as_hermes register coder
  run -3 gatewarden as_hermes detect
  inside rm -rf /tmp/gatewarden-10023
}

@test "tree run: a folder that another user made first, or may write to, is refused, by every verb" {
  inside s6-setuidgid nobody sh -c 'mkdir -m 0777 /tmp/gatewarden-10023 && cd /tmp/gatewarden-10023 && exec s6-svscan .' \
    >/dev/null 2>&1 3>&- &
  local foreign=$!
  eventually inside test -p /tmp/gatewarden-10023/.s6-svscan/control
  refused 'a folder of another user'
  inside pkill -KILL -u nobody s6-svscan
  wait "$foreign" || true

  inside ln -s "$VOLUME" /tmp/gatewarden-10023
  refused 'a link, even to a folder of the caller'

  as_hermes mkdir /tmp/gatewarden-10023
  inside chmod 0770 /tmp/gatewarden-10023
  refused 'a folder that a group may write to'

  as_hermes touch /tmp/gatewarden-10023
  refused 'a file'
}

@test "tree run: a folder that cannot be made is an error that says why" {
  run -1 gatewarden as_hermes tree run --scandir /nowhere/tree
  [[ $output == *'Cannot run a tree on /nowhere/tree: ENOENT'* ]]
}

@test "tree run: root is refused, and told about tree install" {
  run -4 gatewarden tree run
  [[ $output == *'it would run as root'*'gatewarden tree install'* ]]
}
