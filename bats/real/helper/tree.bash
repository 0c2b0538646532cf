# shellcheck shell=bash disable=SC2034
# The service user's own tree in a container: load helper/tree, after helper/container.
#
#   register [OPTION...]      registers coder and waits until its gateway has said that it is up
#   users_of PROGRAM          the users that run a program, each once
#   tree_processes            all that a tree consists of: user and command, sorted
#   no_tree_process           whether there is none of these
#   belongs_to_hermes         whether all on the volume and in the tree is hermes' own; prints what is not
#   is_up_again PID           whether the gateway runs with another pid

TREE=/run/gatewarden/hermes
TREE_SERVICE=/run/service/gatewarden-hermes
SLOT=$TREE/gateway-coder

register() {
  gatewarden register coder "$@"
  eventually logged 'up as'
}

users_of() {
  inside ps -C "$1" -o user= | sort -u
}

tree_processes() {
  inside ps -C s6-supervise,s6-svscan,s6-log,hermes -o pid=,user=,args= | sed '/^ *1 /d; s/^ *[0-9]* //; s/  */ /g' | sort
}

no_tree_process() {
  [[ -z $(tree_processes) ]]
}

belongs_to_hermes() {
  local foreign
  foreign=$(inside find "$VOLUME" "$TREE" ! -user hermes -ls)
  printf '%s' "$foreign"
  [[ -z $foreign ]]
}

is_up_again() {
  local now
  now=$(gateway_pid)
  [[ $now -gt 0 && $now -ne $1 ]]
}
