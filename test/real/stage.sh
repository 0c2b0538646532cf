#!/bin/sh
# sh test/real/stage.sh FOLDER
# Puts into FOLDER what another user than the caller needs to run Gatewarden and the driver of the tests: the checkout
# may be closed to others.
#   compiled/            for Node: compiled/src/bin.js, compiled/test/real/driver.js
#   src/ test/real/      the sources, for Deno
#   node deno            the programs: links, or copies where others may not run them in place
set -eu
folder=$1
CDPATH='' cd -- "$(dirname -- "$0")/../.."
umask 022

# other_may_run FILE: whether a user without any rights of the caller's may.
other_may_run() {
  [ "$(id -u)" -ne 0 ] || s6-applyuidgid -u 65534 -g 65534 -G '' test -x "$1"
}

# program NAME FILE
program() {
  if other_may_run "$2"; then
    ln -s "$2" "$folder/$1"
  else
    cp "$2" "$folder/$1"
  fi
}

mkdir -p "$folder/node_modules" "$folder/test/real"
node_modules/.bin/tsc -p test/real/tsconfig.json --outDir "$folder/compiled"
cp -R src "$folder/src"
cp test/real/driver.ts test/real/gateway.sh "$folder/test/real/"
cp package.json deno.json "$folder/"
node -p 'Object.keys(require("./package.json").dependencies).join("\n")' | while read -r name; do
  mkdir -p "$folder/node_modules/$(dirname "$name")"
  cp -R "node_modules/$name" "$folder/node_modules/$name"
done
program node "$(node -p process.execPath)"
program deno "$(node_modules/.bin/deno eval 'console.log(Deno.execPath())')"
chmod -R a+rX "$folder"
