#!/usr/bin/env bats
# Secrets in a tree of root, on a real s6: the gateway has them, and nobody else can see them.

load helper/container

setup_file() {
  start_container
}

teardown_file() {
  stop_container
}

bats_require_minimum_version 1.5.0

setup() {
  need_container
}

teardown() {
  if [[ -n $CONTAINER ]]; then
    gatewarden unregister coder
    inside rm -rf "$VOLUME/logs"
  fi
}

@test "register --env-from: the gateway, which runs as hermes, has what only root can read" {
  inside sh -c 'umask 077; printf "GREETING=s3cret\n" >/run/secrets'
  gatewarden register coder --env-from /run/secrets
  eventually logged 'greeting s3cret'
  [[ $(inside ps -o user= -p "$(gateway_pid)") == hermes ]]
  [[ $(inside stat -c '%U:%G %a' "$SLOT/env" "$SLOT/env/GREETING") == $'root:root 700\nroot:root 600' ]]
  [[ $(inside stat -c '%a' "$SLOT/run") == 755 ]]
  run ! as_hermes ls "$SLOT/env"
  run ! as_hermes cat "$SLOT/env/GREETING"
}

@test "register --env-from: no process shows a value in its arguments, and no message does" {
  inside sh -c 'umask 077; printf "GREETING=s3cret\n" >/run/secrets'
  inside strace --version >/dev/null || skip 'strace is not installed'
  run -0 inside strace -f -qq -e trace=execve -s 4096 "${GATEWARDEN[@]}" register coder --env-from /run/secrets
  [[ $output == *execve* && $output != *s3cret* ]]
  eventually logged 'greeting s3cret'
  gatewarden restart coder
  inside sh -c 'cat /proc/[0-9]*/cmdline' | tr '\0' ' ' >"$BATS_TEST_TMPDIR/arguments"
  grep -qF 'gateway run' "$BATS_TEST_TMPDIR/arguments"
  run ! grep -F s3cret "$BATS_TEST_TMPDIR/arguments"
}

@test "register --env-from: a file that hermes owns is refused to root, and nothing is registered" {
  inside install -o hermes -g hermes -m 0600 /dev/null "$VOLUME/secrets"
  run -4 gatewarden register coder --env-from "$VOLUME/secrets"
  [[ $output == *"it belongs to hermes."* ]]
  run ! inside test -e "$SLOT"
}

@test "a definition that hermes can write is refused to root, and nothing is registered" {
  inside sh -c 'printf "{\"extends\":\"hermes\"}" >/opt/data/definition.json; chmod 644 /opt/data/definition.json'
  inside chown hermes /opt/data/definition.json
  run -4 gatewarden register coder --config /opt/data/definition.json
  [[ $output == *"/opt/data/definition.json as root: it belongs to hermes."*'chown root /opt/data/definition.json'* ]]
  run ! inside test -e "$SLOT"
}

@test "start, stop: a slot whose supervise/ hermes owns is refused to root" {
  gatewarden register coder
  eventually logged 'up as'
  inside chown hermes "$SLOT/supervise"
  run -4 gatewarden stop coder
  [[ $output == *"$SLOT/supervise belongs to hermes"* ]]
  [[ $(gateway_pid) -gt 1 ]]
  run -0 gatewarden stop coder --allow-unsafe-scandir
  inside chown root "$SLOT/supervise"
}
