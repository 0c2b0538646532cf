#!/usr/bin/env bats
# The script that becomes the logger, run under every shell with stubs around it. The scripts are those in golden/, in
# place.

load helper/common
load helper/scripts

NAMED=$PROJECT/golden/named/s6/gateway-coder/log/run
CUSTOM_HOME=$PROJECT/golden/custom-home/s6/gateway-coder/log/run
OTHER_PROGRAM=$PROJECT/golden/other-program/s6/relay-eu-west/log/run

setup() {
  stub id s6-setuidgid s6-log mkdir rm chown chmod
}

logs_as_root() {
  run_as 0 "$@" "$NAMED"
  assert_calls <<'OUT'
id -u
s6-setuidgid hermes mkdir -p /opt/data/logs/gateways/coder
dropped: mkdir -p /opt/data/logs/gateways/coder
s6-setuidgid hermes rm -f /opt/data/logs/gateways/coder/lock
dropped: rm -f /opt/data/logs/gateways/coder/lock
s6-setuidgid hermes s6-log 1 n10 s1000000 T /opt/data/logs/gateways/coder
dropped: s6-log 1 n10 s1000000 T /opt/data/logs/gateways/coder
OUT
}
test_each_shell 'log/run: as root, touches the volume only as the service user' logs_as_root

logs_as_the_service_user() {
  run_as 10000 "$@" "$NAMED"
  assert_calls <<'OUT'
id -u
id -u
mkdir -p /opt/data/logs/gateways/coder
rm -f /opt/data/logs/gateways/coder/lock
id -u
s6-log 1 n10 s1000000 T /opt/data/logs/gateways/coder
OUT
}
test_each_shell 'log/run: as an unprivileged user, does without a drop' logs_as_the_service_user

logs_on_the_volume() {
  ENVIRONMENT=("HERMES_HOME=/mnt/it's a \$volume")
  run_as 10000 "$@" "$NAMED"
  assert_calls <<'OUT'
id -u
id -u
mkdir -p '/mnt/it'\''s a $volume/logs/gateways/coder'
rm -f '/mnt/it'\''s a $volume/logs/gateways/coder/lock'
id -u
s6-log 1 n10 s1000000 T '/mnt/it'\''s a $volume/logs/gateways/coder'
OUT
}
test_each_shell 'log/run: the home is the one the container names' logs_on_the_volume

logs_below_a_home_with_spaces() {
  run_as 0 "$@" "$CUSTOM_HOME"
  assert_calls <<'OUT'
id -u
s6-setuidgid hermes mkdir -p '/srv/agents of Zoë/it'\''s hermes/logs/gateways/coder'
dropped: mkdir -p '/srv/agents of Zoë/it'\''s hermes/logs/gateways/coder'
s6-setuidgid hermes rm -f '/srv/agents of Zoë/it'\''s hermes/logs/gateways/coder/lock'
dropped: rm -f '/srv/agents of Zoë/it'\''s hermes/logs/gateways/coder/lock'
s6-setuidgid hermes s6-log 1 n10 s1000000 T '/srv/agents of Zoë/it'\''s hermes/logs/gateways/coder'
dropped: s6-log 1 n10 s1000000 T '/srv/agents of Zoë/it'\''s hermes/logs/gateways/coder'
OUT
}
test_each_shell 'log/run: a home with spaces and a quote stays one word' logs_below_a_home_with_spaces

logs_for_another_program() {
  run_as 0 "$@" "$OTHER_PROGRAM"
  assert_calls <<'OUT'
id -u
s6-setuidgid _relay mkdir -p /var/log/relay/eu-west
dropped: mkdir -p /var/log/relay/eu-west
s6-setuidgid _relay rm -f /var/log/relay/eu-west/lock
dropped: rm -f /var/log/relay/eu-west/lock
s6-setuidgid _relay s6-log n3 s65536 t /var/log/relay/eu-west
dropped: s6-log n3 s65536 t /var/log/relay/eu-west
OUT
}
test_each_shell "log/run: another program's user, folder and settings are used" logs_for_another_program

logs_although_the_setup_failed() {
  ENVIRONMENT=(STUB_MKDIR_EXIT=1 STUB_RM_EXIT=1)
  run_as 10000 "$@" "$NAMED"
  [[ $(calls | tail -n 1) == 's6-log 1 n10 s1000000 T /opt/data/logs/gateways/coder' ]]
}
test_each_shell "log/run: a failed setup is left to the logger's own message" logs_although_the_setup_failed

needs_id() {
  ENVIRONMENT=(STUB_ID_EXIT=1)
  run run_as '' "$@" "$NAMED"
  [[ $status -eq 111 ]]
  assert_calls <<'OUT'
id -u
OUT
}
test_each_shell 'log/run: does not take root for somebody else when id fails' needs_id

# id answers once, and fails from then on: the service user may use up all memory at any moment.
stays_root_when_id_fails_later() {
  fake id "[ ! -e '$BATS_TEST_TMPDIR/asked' ] || exit 127; : >'$BATS_TEST_TMPDIR/asked'; echo 0"
  run_as 0 "$@" "$NAMED"
  assert_calls <<'OUT'
s6-setuidgid hermes mkdir -p /opt/data/logs/gateways/coder
dropped: mkdir -p /opt/data/logs/gateways/coder
s6-setuidgid hermes rm -f /opt/data/logs/gateways/coder/lock
dropped: rm -f /opt/data/logs/gateways/coder/lock
s6-setuidgid hermes s6-log 1 n10 s1000000 T /opt/data/logs/gateways/coder
dropped: s6-log 1 n10 s1000000 T /opt/data/logs/gateways/coder
OUT
}
test_each_shell 'log/run: does not take root for somebody else when id fails later' stays_root_when_id_fails_later
