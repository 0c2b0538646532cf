#!/usr/bin/env bats
# The service user's own tree in a container of s6-overlay: root installs it, and nothing of it runs as root.

load helper/container
load helper/tree

bats_require_minimum_version 1.5.0

ON_NODE=("${GATEWARDEN[@]}")

setup_file() {
  start_container
}

teardown_file() {
  stop_container
}

setup() {
  need_container
  gatewarden tree install
}

teardown() {
  if [[ -n $CONTAINER ]]; then
    inside "${ON_NODE[@]}" tree uninstall
    inside rm -rf "$VOLUME/logs" "$VOLUME/coder.control" "$PROFILE_FOLDER/.gatewarden.json" \
      "$PROFILE_FOLDER/.gateway-planned-stop.json"
  fi
}

@test "tree install: the supervisor of the tree is root's; its s6-svscan and all below is hermes'" {
  register
  diff <(tree_processes) - <<'OUT'
hermes /bin/sh /opt/hermes/.venv/bin/hermes -p coder gateway run --replace
hermes s6-log 1 n10 s1000000 T /opt/data/logs/gateways/coder
hermes s6-supervise gateway-coder
hermes s6-supervise gateway-coder/log
hermes s6-svscan -d 3 /run/gatewarden/hermes
root s6-supervise gatewarden-hermes
OUT
}

@test "tree install: hermes owns its scandir, and can change neither the folder above nor the service" {
  [[ $(inside stat -c '%U:%G %a' /run/gatewarden "$TREE" "$TREE_SERVICE" "$TREE_SERVICE/run" | tr '\n' ,) == \
    'root:root 755,hermes:hermes 755,root:root 755,root:root 755,' ]]
  run ! as_hermes mv "$TREE" /run/gatewarden/other
  run ! as_hermes touch "$TREE_SERVICE/x"
  run ! as_hermes /command/s6-svc -d "$TREE_SERVICE"
  run -0 inside find "$TREE_SERVICE" ! -user root
  [[ -z $output ]]
}

@test "tree install: a second one is an error, and does no harm" {
  register
  local pid
  pid=$(gateway_pid)
  run -1 --separate-stderr gatewarden tree install --json
  [[ $stderr == *'"code":"tree-already-installed"'* ]]
  [[ $(gateway_pid) == "$pid" ]]
  [[ $(inside ls -A /run/service) == $'.s6-svscan\ngatewarden-hermes' ]]
}

# life: every verb of a gateway, called by root; nothing may come to belong to root.
life() {
  register
  belongs_to_hermes
  gatewarden status coder
  [[ $(gatewarden list) == coder ]]
  local pid
  pid=$(gateway_pid)
  gatewarden restart coder
  is_up_again "$pid"
  belongs_to_hermes
  gatewarden stop coder
  run -3 gatewarden status coder
  belongs_to_hermes
  inside test -f "$SLOT/down"
  inside test -f "$PROFILE_FOLDER/.gateway-planned-stop.json"
  inside grep -q '"desired":"stopped"' "$PROFILE_FOLDER/.gatewarden.json"
  gatewarden start coder
  eventually logged 'up as'
  run -0 gatewarden logs coder
  [[ $output == *'user 10023, home /opt/data, volume /opt/data'* ]]
  belongs_to_hermes
  gatewarden unregister coder
  belongs_to_hermes
  [[ $(inside ls -A "$TREE") == .s6-svscan ]]
  [[ $(users_of s6-supervise) == root ]]
}

@test "as root under Node: every verb goes on as hermes, and nothing comes to belong to root" {
  life
}

@test "as root under Deno: every verb goes on as hermes, and nothing comes to belong to root" {
  GATEWARDEN=(/opt/gatewarden/deno run -A --quiet /opt/gatewarden/src/bin.ts)
  life
}

@test "as root under Deno with fewer permissions: the error says which one it takes" {
  GATEWARDEN=(/opt/gatewarden/deno run --allow-read --allow-env --allow-sys --allow-run --quiet /opt/gatewarden/src/bin.ts)
  run -4 gatewarden list
  [[ $output == *'Cannot go on as hermes'*'--allow-all'* ]]
}

@test "as hermes: registering needs no privilege" {
  as_hermes "${GATEWARDEN[@]}" register coder
  eventually logged 'up as'
  as_hermes "${GATEWARDEN[@]}" stop coder
  as_hermes "${GATEWARDEN[@]}" unregister coder
  belongs_to_hermes
}

@test "as root: exit codes, errors as JSON and output come through" {
  run -5 --separate-stderr gatewarden start nobody --json
  [[ $output == '['* ]]
  [[ $stderr == '{"error":{"code":"gateway-not-registered",'*'"profile":"nobody"}}' ]]
  [[ $(wc -l <<<"$stderr") -eq 1 ]]
  run -0 --separate-stderr gatewarden list --json
  [[ $output == '[]' && -z $stderr ]]
}

@test "as root: works in a folder that hermes may not enter" {
  inside chmod 700 /root
  inside env --chdir=/root "${GATEWARDEN[@]}" register coder
  [[ $(state) == running ]]
}

@test "as root: a program that hermes may not read is an error that says so" {
  inside mkdir -m 0700 /run/closed
  inside cp -R /opt/gatewarden/compiled/src /run/closed/src
  inside cp /opt/gatewarden/package.json /run/closed/
  inside ln -s /opt/gatewarden/node_modules /run/closed/node_modules
  GATEWARDEN=(/opt/gatewarden/node /run/closed/src/bin.js)
  run -4 gatewarden list
  [[ $output == *'hermes has no access to /run/closed/src/bin.js'* ]]
  inside rm -r /run/closed
}

@test "as root: where s6-setuidgid does not drop, there is an error and no end of calls" {
  inside mv /command/s6-setuidgid /command/kept
  inside sh -c 'printf "#!/bin/sh\nshift\nexec \"\$@\"\n" >/command/s6-setuidgid && chmod +x /command/s6-setuidgid'
  run -4 gatewarden list
  inside mv /command/kept /command/s6-setuidgid
  [[ $output == *'Cannot go on as hermes: what should become hermes is still root'* ]]
}

@test "as root: without s6-setuidgid, setpriv does" {
  inside mv /command/s6-setuidgid /command/kept
  run -0 inside env PATH=/usr/bin:/bin "${GATEWARDEN[@]}" list
  inside mv /command/kept /command/s6-setuidgid
}

@test "what goes on as hermes has no terminal of root's to type into" {
  register
  gatewarden logs -f coder >"$BATS_TEST_TMPDIR/followed" 3>&- &
  local follower=$!
  eventually inside sh -c 'ps -u hermes -o args= | grep -q "[l]ogs -f"'
  # In another session, the terminal is not its controlling one.
  run -0 inside ps -eo sid=,user=,args=
  [[ $(grep -c ' hermes .*logs -f' <<<"$output") -eq 1 ]]
  local sid_root sid_hermes
  sid_root=$(awk '$2 == "root" && /logs -f/ { print $1; exit }' <<<"$output")
  sid_hermes=$(awk '$2 == "hermes" && /logs -f/ { print $1; exit }' <<<"$output")
  [[ $sid_root != "$sid_hermes" ]]
  # A signal to the one ends both.
  inside pkill -TERM -u root -f 'logs -f coder'
  wait "$follower" || true
  eventually_none 'logs -f coder'
}

# eventually_none WORDS: no process has them in its command line any more.
eventually_none() {
  eventually inside sh -c "! ps -eo args= | grep -v grep | grep -q '$1'"
}

@test "what a gateway says reaches the output of the container" {
  register
  eventually grep -q 'arguments: -p coder gateway run --replace' "$BATS_FILE_TMPDIR/container.log"
}

@test "a script that hermes plants never runs as root" {
  as_hermes sh -c "mkdir $TREE/evil && printf '#!/bin/sh\nid -u >>/opt/data/ran\nexec sleep 1000\n' >$TREE/evil/run && chmod +x $TREE/evil/run"
  as_hermes /command/s6-svscanctl -a "$TREE"
  eventually inside test -s "$VOLUME/ran"
  gatewarden list
  gatewarden tree uninstall
  [[ $(inside sort -u "$VOLUME/ran") == 10023 ]]
  [[ $(inside stat -c %U "$VOLUME/ran") == hermes ]]
  inside rm "$VOLUME/ran"
}

@test "an s6-svscan that is killed comes back, and so does every gateway, under a supervisor of its own" {
  local signal pid svscan
  register
  for signal in TERM KILL; do
    pid=$(gateway_pid)
    svscan=$(inside /command/s6-svstat -o pid "$TREE_SERVICE")
    inside kill "-$signal" "$svscan"
    eventually is_up_again "$pid"
    eventually one_supervisor_each
    [[ $(state) == running ]]
  done
  gatewarden unregister coder
  [[ $(tree_processes | grep -c s6-supervise) -eq 1 ]]
}

# Each of the two is a child of the s6-svscan that runs now.
one_supervisor_each() {
  local svscan
  svscan=$(inside /command/s6-svstat -o pid "$TREE_SERVICE")
  [[ $(inside ps --ppid "$svscan" -o args= | sort) == $'s6-supervise gateway-coder\ns6-supervise gateway-coder/log' ]] &&
    [[ $(tree_processes | grep -c 'hermes s6-supervise') -eq 2 ]]
}

@test "a supervisor of the tree that is killed comes back, and no second s6-svscan stays" {
  register
  local pid
  pid=$(gateway_pid)
  inside pkill -KILL -f '^s6-supervise gatewarden-hermes$'
  eventually is_up_again "$pid"
  eventually one_supervisor_each
  [[ $(tree_processes | grep -c 'hermes s6-svscan') -eq 1 ]]
}

@test "tree uninstall: leaves no process and no file, and the tree can be installed again" {
  register
  gatewarden tree uninstall
  eventually no_tree_process
  [[ $(inside ls -A /run/service) == .s6-svscan ]]
  [[ -z $(inside ls -A /run/gatewarden) ]]
  gatewarden tree uninstall
  gatewarden tree install
  register
}

@test "tree uninstall: leaves no process of a tree whose supervisor was killed just before either" {
  register
  inside pkill -KILL -f '^s6-supervise gatewarden-hermes$'
  eventually inside test -p "$TREE_SERVICE/supervise/control"
  eventually inside /command/s6-svok "$TREE_SERVICE"
  gatewarden tree uninstall
  eventually no_tree_process
}

@test "tree install: starts with an empty scandir, whatever an earlier life of the container left" {
  gatewarden tree uninstall
  inside install -d -o hermes -g hermes "$TREE" "$TREE/gateway-old"
  gatewarden tree install
  [[ $(inside ls -A "$TREE") == .s6-svscan ]]
}

# killed_at PROGRAM VERB: an installation or uninstallation that is killed while it runs a program of s6.
killed_at() {
  inside mv "/command/$1" /command/kept
  inside sh -c "printf '#!/bin/sh\necho \$\$ >/run/reached\nexec sleep 1000\n' >/command/$1 && chmod +x /command/$1"
  gatewarden tree "$2" 3>&- &
  local caller=$!
  eventually inside test -s /run/reached
  inside pkill -KILL -f "tree $2"
  inside sh -c 'kill -9 "$(cat /run/reached)"; rm /run/reached'
  wait "$caller" || true
  inside mv /command/kept "/command/$1"
}

@test "tree install: one that was killed is finished by the next" {
  local program
  for program in s6-svscanctl s6-svwait; do
    gatewarden tree uninstall
    killed_at "$program" install
    if [[ $program == s6-svscanctl ]]; then
      inside test -e "$TREE_SERVICE/data/registering"
      run -0 gatewarden tree install
    fi
    run -0 gatewarden tree status
    register
    gatewarden unregister coder
  done
}

@test "tree uninstall: one that was killed is finished by the next" {
  register
  killed_at s6-svscanctl uninstall
  gatewarden tree uninstall
  eventually no_tree_process
  [[ $(inside ls -A /run/service) == .s6-svscan ]]
  [[ -z $(inside ls -A /run/gatewarden) ]]
}

@test "tree install: of several at once exactly one succeeds" {
  gatewarden tree uninstall
  local caller callers=() codes=''
  for _ in 1 2 3; do
    gatewarden tree install 3>&- 2>>"$BATS_TEST_TMPDIR/errors" &
    callers+=($!)
  done
  for caller in "${callers[@]}"; do
    local code=0
    wait "$caller" || code=$?
    codes+=$code
  done
  cat "$BATS_TEST_TMPDIR/errors"
  [[ $(grep -o 0 <<<"$codes" | wc -l) -eq 1 && ${codes//[01]/} == '' ]]
  run -0 gatewarden tree status
  register
}

@test "tree status: exits 0 when it runs, 3 when it is down, 4 when there is none" {
  run -0 gatewarden tree status
  [[ $output == *"hermes  running"*"$TREE" ]]
  run -0 gatewarden as_hermes tree status --json
  [[ $output == *'"running": true'* ]]
  inside /command/s6-svc -wD -d "$TREE_SERVICE"
  run -3 gatewarden tree status
  gatewarden tree uninstall
  run -4 gatewarden tree status
}

@test "tree install, tree uninstall: as anybody but root it is refused, with what to do instead" {
  local verb
  for verb in install uninstall; do
    run -4 gatewarden as_hermes tree "$verb"
    [[ $output == *'only root can'*'gatewarden tree run'* ]]
  done
}

@test "tree install: a user that the machine does not know is an error of the call" {
  inside sh -c 'echo "{ \"extends\": \"hermes\", \"user\": \"nosuch\" }" >/run/nosuch.json'
  run -2 gatewarden tree install --config /run/nosuch.json
  [[ $output == *'there is no such user'* ]]
}

@test "tree install: prints its steps with --dry-run, and takes none" {
  gatewarden tree uninstall
  run -0 gatewarden tree install --dry-run
  [[ $output == *"mkdir 0755 $TREE owner 10023 group 10024"* ]]
  [[ -z $(inside ls -A /run/gatewarden) ]]
}

@test "detect: says that the tree's scandir is used, and that of the variable or the definition when they name one" {
  run -0 gatewarden detect
  [[ ${lines[-1]} == "$TREE"*'hermes has a tree of its own' ]]
  run -0 gatewarden as_hermes detect --json
  [[ $(tr -d ' \n' <<<"$output") == *'"scandir":{"path":"/run/gatewarden/hermes","reason":"hermeshasatreeofitsown"}'* ]]
  inside sh -c 'echo "{ \"extends\": \"hermes\", \"scandir\": \"/run/service\" }" >/run/definition.json'
  run -0 inside env GATEWARDEN_CONFIG=/run/definition.json "${GATEWARDEN[@]}" detect
  [[ ${lines[-1]} == '/run/service'*'the definition names it' ]]
  run -0 inside env GATEWARDEN_SCANDIR=/run/other "${GATEWARDEN[@]}" detect
  [[ ${lines[-1]} == '/run/other'*'it is asked for' ]]
  gatewarden tree uninstall
  run -0 gatewarden detect
  [[ ${lines[-1]} == '/run/service'*'hermes has no tree of its own' ]]
}

@test "a definition's scandir wins over the tree" {
  inside sh -c 'echo "{ \"extends\": \"hermes\", \"scandir\": \"/run/service\" }" >/run/definition.json'
  gatewarden --config /run/definition.json register coder
  inside test -d /run/service/gateway-coder
  gatewarden --config /run/definition.json unregister coder
}
