#!/usr/bin/env bats
# File systems that are full or read-only: the error says so, and nothing is left half-done.

bats_require_minimum_version 1.5.0
load helper/container

setup_file() {
  start_container
}

teardown_file() {
  stop_container
}

setup() {
  need_container
}

teardown() {
  if [[ -n $CONTAINER ]]; then
    inside rm -f /small/fill "$VOLUME/fill"
    inside /command/s6-svscanctl -t /small/scandir || true
    eventually nothing_runs_there
    inside umount /read-only || true
    inside umount /small || true
  fi
}

# small_scandir MOUNT_OPTION: an s6-svscan on a small file system.
small_scandir() {
  inside mkdir -p /small
  inside mount -t tmpfs -o "mode=0755,$1" small /small
  inside mkdir /small/scandir
  inside sh -c 'PATH=/command:$PATH s6-svscan /small/scandir >/dev/null 2>&1 &' 3>&-
  eventually inside test -p /small/scandir/.s6-svscan/control
}

nothing_runs_there() {
  ! inside sh -c 'ls -l /proc/[0-9]*/cwd' 2>/dev/null | grep -q ' -> /small'
}

# fill FILE [PAGES]: takes all space but so many pages.
fill() {
  run ! inside dd if=/dev/zero of="$1" bs=4096 status=none
  inside truncate -s "-$((${2-0} * 4096))" "$1"
}

# Takes all inodes but so many.
take_inodes() {
  local free
  free=$(inside df --output=iavail /small | tail -n 1)
  inside sh -c 'i=$1; while [ "$i" -gt 0 ]; do mkdir "/small/inode.$i"; i=$((i - 1)); done' sh "$((free - $1))"
}

assert_nothing_left() {
  [[ $(inside ls -A /small/scandir) == .s6-svscan ]]
  run -1 inside ps -C s6-supervise
}

@test "register: on a full disk, says so wherever it happens, and undoes everything" {
  small_scandir size=256k
  local pages
  for pages in 0 1 3 5 7; do
    fill /small/fill "$pages"
    run -1 gatewarden register coder --scandir /small/scandir
    [[ $output == *'Cannot register gateway-coder: ENOSPC'* ]]
    [[ $output == *'The file system is full: make room, then try again.'* ]]
    assert_nothing_left
    inside rm /small/fill
  done
  gatewarden register coder --scandir /small/scandir
  gatewarden unregister coder --scandir /small/scandir
  assert_nothing_left
}

@test "register: when the disk fills up under the supervisor, undoes everything" {
  small_scandir size=256k
  fill /small/fill 9
  run -1 gatewarden register coder --scandir /small/scandir
  assert_nothing_left
}

@test "register: without inodes, says so wherever it happens, and undoes everything" {
  small_scandir nr_inodes=80
  local inodes
  for inodes in 0 1 3 9 12 14 18; do
    take_inodes "$inodes"
    run -1 gatewarden register coder --scandir /small/scandir
    [[ $output == *ENOSPC* || $output == *'No space left on device'* ]]
    assert_nothing_left
    inside sh -c 'rmdir /small/inode.*'
  done
}

@test "register, stop and unregister: on a read-only file system, say so, and leave the slot as it was" {
  small_scandir size=1m
  gatewarden register coder --scandir /small/scandir
  inside mkdir -p /read-only
  inside mount --bind /small /read-only
  inside mount -o remount,bind,ro /read-only
  local before call words
  before=$(inside ls -AR /small)
  for call in 'register other' 'stop coder' 'unregister coder'; do
    read -ra words <<<"$call"
    run -1 gatewarden "${words[@]}" --scandir /read-only/scandir
    [[ $output == *'ead-only file system'* ]]
    [[ $(inside ls -AR /small) == "$before" ]]
  done
  run -0 gatewarden status coder --scandir /read-only/scandir
}

@test "stop: on a full volume, the gateway is stopped, and the old state file survives" {
  gatewarden register coder
  local before
  before=$(inside cat "$PROFILE_FOLDER/.gatewarden.json")
  fill "$VOLUME/fill"
  run -0 gatewarden stop coder
  [[ $output == *'Stopped "coder".'* ]]
  [[ $output == *"Cannot write $PROFILE_FOLDER/.gatewarden.json as hermes"*'No space left on device'* ]]
  [[ $(inside cat "$PROFILE_FOLDER/.gatewarden.json") == "$before" ]]
  run -0 inside find "$PROFILE_FOLDER" -name '.gatewarden.*' ! -name .gatewarden.json
  [[ -z $output ]]
  gatewarden unregister coder
}
