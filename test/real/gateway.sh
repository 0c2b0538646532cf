#!/bin/sh
# A gateway for tests, called as Hermes calls its own: hermes [-p PROFILE] gateway run --replace
# It logs, and obeys SIGTERM: it repeats the planned-stop marker it finds at that moment, and ends with 0.
# It has no children, so that nothing of it is left when it is killed.
#
# If $HERMES_HOME/PROFILE.exit is there, it ends at once with the code in it. Else it takes commands from the FIFO
# $HERMES_HOME/PROFILE.control:
#   exit CODE        ends with CODE
#   ignore SIGNAL    obeys SIGNAL no longer
#   say WORDS        logs them
set -eu
profile=default
if [ "$1" = -p ]; then profile=$2; fi
case $profile in
  default) folder=$HERMES_HOME ;;
  *) folder=$HERMES_HOME/profiles/$profile ;;
esac

stop() {
  marker=none
  if [ -e "$folder/.gateway-planned-stop.json" ]; then read -r marker <"$folder/.gateway-planned-stop.json"; fi
  printf 'planned stop: %s\n' "$marker"
  echo drained
  exit 0
}
trap stop TERM

printf 'arguments: %s\n' "$*"
printf 'user %s, home %s, volume %s, folder %s, marker %s, greeting %s\n' \
  "$(id -u)" "$HOME" "$HERMES_HOME" "$(pwd)" "${HERMES_S6_SUPERVISED_CHILD-}" "${GREETING-}"
if [ -e "$HERMES_HOME/$profile.exit" ]; then
  read -r code <"$HERMES_HOME/$profile.exit"
  exit "$code"
fi
control=$HERMES_HOME/$profile.control
[ -p "$control" ] || mkfifo -m 0600 "$control"
exec 3<>"$control"
printf 'up as %s\n' "$$"
while :; do
  # A signal ends the reading too.
  read -r command words <&3 || continue
  case $command in
    exit) exit "$words" ;;
    ignore) trap '' "$words" ;;
    say) ;;
  esac
  printf 'done: %s %s\n' "$command" "$words"
done
