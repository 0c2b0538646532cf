# shellcheck shell=bash disable=SC2016,SC2034
# An adversary in the container, as the service user, and the files of root's it is after: load helper/adversary, after
# helper/container.
#
#   build_adversary          in setup_file, after start_container
#   set_up_adversary         in setup: an empty volume with the profile coder, and the victims, in /victim and /run/victim,
#                            since link(2) and rename(2) stay on one file system; skips where there can be no adversary
#   tear_down_adversary      in teardown
#   attack FOLDER PATH TARGET [PATH TARGET]...
#                            starts one; FOLDER is made, for what it swaps with; see fixtures/swap.c
#   call_off                 ends all, and sets SWAPS to how many swaps they made
#   plant_hard_link FOLDER NUMBER VICTIMS
#                            what is to be swapped for the PATH of that number: a hard link to a file of VICTIMS
#   victims                  prints all there is to know about the files, but for the times of reading
#   assert_untouched         fails when that is not what it was at first
#   assert_caught_within SECONDS COMMAND...
#                            runs the command again and again until it is not; fails when it takes longer
#   as_root_again_and_again TIMES SCRIPT ARGUMENT...
#                            runs a script as root, in the folder and with the PATH that s6-supervise has
#   end_gateway              has the gateway end, and start again
#
# A secret is 0600, a text 0644; a folder holds files of the names that a logger or a supervisor would write to. A hard
# link to "hard" is in the volume: the kernel keeps its user from making one, so root makes it. Its count of links and
# the time of its last change tell of the user's own renames, and are left out.

VICTIMS=(/victim /run/victim)
ADVERSARIES=()

build_adversary() {
  ADVERSARY_MISSING=$CONTAINER_MISSING
  if [[ -n $ADVERSARY_MISSING ]]; then
    :
  elif ! command -v gcc >/dev/null; then
    ADVERSARY_MISSING='gcc is not installed'
  else
    gcc -O2 -Wall -Wextra -Werror -o "$BATS_FILE_TMPDIR/swap" "$BATS_TEST_DIRNAME/../fixtures/swap.c"
    inside sh -c 'cat >/swap && chmod 755 /swap' <"$BATS_FILE_TMPDIR/swap"
  fi
  export ADVERSARY_MISSING
}

set_up_adversary() {
  if [[ -n $ADVERSARY_MISSING ]]; then skip "$ADVERSARY_MISSING"; fi
  make_volume
  make_victims
  # On the file system of the slots: a place for what is to be swapped with what is in them.
  inside sh -c 'rm -rf /run/hermes && install -d -o hermes -g hermes /run/hermes'
}

tear_down_adversary() {
  if [[ -n $ADVERSARY_MISSING ]]; then return 0; fi
  call_off
  inside sh -c '[ ! -d "$1" ] || chown -h root "$1" "$1/supervise"' sh "$SLOT"
  gatewarden tree uninstall || true
  gatewarden unregister coder --scandir /run/service || true
}

# On one file system with /victim: the volume of a container may be on that of its root folder.
make_volume() {
  inside sh -euc '! mountpoint -q "$1" || umount "$1"; find "$1" -mindepth 1 -delete; chmod 0700 "$1"' sh "$VOLUME"
  inside chown hermes:hermes "$VOLUME"
  as_hermes mkdir -p "$PROFILE_FOLDER" "$VOLUME/logs/gateways/coder"
  as_hermes sh -c 'echo "{\"desired_state\":\"stopped\"}" >"$1"' sh "$PROFILE_FOLDER/gateway_state.json"
}

make_victims() {
  local at
  for at in "${VICTIMS[@]}"; do
    inside sh -euc 'rm -rf "$1"; umask 022; mkdir -p "$1/folder/coder/supervise" "$1/hard"; cd "$1"
      for name in secret folder/lock folder/current folder/coder/current folder/coder/lock folder/coder/down \
        folder/.gatewarden.json folder/coder/.gatewarden.json folder/coder/.gateway-planned-stop.json \
        folder/coder/gateway_state.json \
        folder/coder/supervise/death_tally folder/coder/supervise/death_tally.new folder/coder/supervise/status.new hard/file; do
        echo "root wrote $name" >"$name"
        chmod 600 "$name"
      done
      echo "root wrote text" >text' sh "$at"
  done
  UNTOUCHED=$(victims)
}

# The file is read last: what is printed about it is then of one moment.
victims() {
  inside find "${VICTIMS[@]}" ! -path '*/hard/*' -printf '%p %y %U:%G %m %s %i %n %T@ %C@ %l\n' | LC_ALL=C sort
  inside find "${VICTIMS[@]}" -path '*/hard/*' -printf '%p %y %U:%G %m %s %i %T@\n' | LC_ALL=C sort
  inside sh -c 'find "$@" -type f | LC_ALL=C sort | xargs tail -v -n +1' sh "${VICTIMS[@]}"
}

assert_untouched() {
  diff -u --label 'the victims before' --label 'the victims now' <(printf '%s\n' "$UNTOUCHED") <(victims)
}

attack() {
  local said=$BATS_TEST_TMPDIR/swaps.${#ADVERSARIES[@]}
  : >"$said"
  as_hermes mkdir -p "$1"
  as_hermes /swap "$@" >"$said" 3>&- &
  ADVERSARIES+=($!)
  eventually grep -q swapping "$said"
}

call_off() {
  if [[ ${#ADVERSARIES[@]} -eq 0 ]]; then return 0; fi
  inside pkill -TERM -x swap
  wait "${ADVERSARIES[@]}" || true
  ADVERSARIES=()
  SWAPS=$(tail -q -n 1 "$BATS_TEST_TMPDIR"/swaps.* | awk '{ sum += $1 } END { print sum }')
  printf '%s swaps\n' "$SWAPS"
}

plant_hard_link() {
  as_hermes mkdir -p "$1"
  inside ln "$3/hard/file" "$1/$2"
}

assert_caught_within() {
  local limit=$((SECONDS + $1))
  shift
  while [[ $(victims) == "$UNTOUCHED" ]]; do
    if ((SECONDS >= limit)); then
      printf 'root was not beaten: %s\n' "$*"
      return 1
    fi
    "$@"
  done
}

as_root_again_and_again() {
  inside sh -c 'cd /run/service; PATH=/command:/usr/bin:/bin; times=$1 script=$2; shift 2
    while [ "$times" -gt 0 ]; do
      eval "$script"
      times=$((times - 1))
    done' sh "$@" >"$BATS_TEST_TMPDIR/said" 2>&1
}

end_gateway() {
  inside /command/s6-svc -d "$SLOT"
  inside /command/s6-svc -u "$SLOT"
}
