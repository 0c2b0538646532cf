#!/bin/sh
# sh test/real/stage.sh FOLDER
# Puts into FOLDER what another user than the caller needs to run Gatewarden and the driver of the tests: the checkout
# may be closed to others.
#   compiled/            for Node: compiled/src/bin.js, compiled/test/real/driver.js
#   src/ test/real/      the sources, for Deno
#   node deno            the programs
set -eu
folder=$1
CDPATH='' cd -- "$(dirname -- "$0")/../.."
umask 022

# program NAME FILE: not a symbolic link, which would lead into a folder that is closed, or not there in a container.
program() {
  ln "$2" "$folder/$1" 2>/dev/null || cp "$2" "$folder/$1"
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
