#!/bin/sh
# The checks that read the sources and run none of them; prints TAP.
#   sh scripts/static.sh
# What runs through Deno and what does not are two lanes, side by side.
set -u
CDPATH='' cd -- "$(dirname -- "$0")/.." || exit 1
. scripts/tap.sh

PATH=$PWD/node_modules/.bin:$PATH
export PATH NO_COLOR=1 DENO_NO_UPDATE_CHECK=1
lanes=$(mktemp -d) || exit 1
trap 'rm -rf "$lanes"' EXIT

# Prints those of the given folders that hold TypeScript.
typescript_folders() {
  for folder do
    [ -d "$folder" ] && [ -n "$(find "$folder" -name '*.ts' -print | head -n 1)" ] && printf '%s\n' "$folder"
  done
}

deno_lane() {
  check 'deno fmt' deno fmt --check
  check 'deno lint' deno lint --quiet
  # shellcheck disable=SC2046 # folder names without spaces, one argument each
  check 'deno check' deno check --quiet $(typescript_folders src scripts test) vitest.config.ts
  if [ -e src/mod.ts ]; then
    check 'deno doc: every public symbol is documented' deno doc --lint --quiet src/mod.ts
  fi
}

valid_json() {
  # shellcheck disable=SC2016 # JavaScript, not shell
  node -e '
    const { readFileSync } = require("node:fs");
    for (const file of process.argv.slice(1)) {
      try {
        JSON.parse(readFileSync(file, "utf8"));
      } catch (error) {
        console.error(`${file}: ${error.message}`);
        process.exitCode = 1;
      }
    }' "$@"
}

# Lists the files under golden/ that a shell of the given dialect runs, going by their first line.
golden_scripts() {
  find golden -type f | sort | while IFS= read -r file; do
    IFS= read -r first <"$file" || continue
    case $first in
      '#!'*bash | '#!'*'bash '*) dialect=bash ;;
      '#!'*ksh | '#!'*'ksh '*) dialect=ksh ;;
      '#!'*sh | '#!'*'sh '*) dialect='sh' ;; # also "#!/command/with-contenv sh"
      *) dialect=none ;;
    esac
    [ "$dialect" = "$1" ] && printf '%s\n' "$file"
  done
}

shellcheck_golden() {
  for dialect in sh bash ksh; do
    golden_scripts "$dialect" >"$lanes/scripts"
    [ -s "$lanes/scripts" ] || continue
    tr '\n' '\0' <"$lanes/scripts" | xargs -0 shellcheck --severity=warning -s "$dialect" || return 1
  done
}

shellcheck_sources() {
  set --
  for file in scripts/*.sh .ci/run bats/helper/*.bash bats/stubs/* bats/real/*.bash bats/real/helper/*.*sh test/*/*.sh test/*/*/*.sh; do
    if [ -f "$file" ]; then set -- "$@" "$file"; fi
  done
  shellcheck --external-sources "$@"
}

shell_lane() {
  check 'the manifests are valid JSON' valid_json ./*.json
  if [ -d schema ]; then check 'the schemas are valid JSON' valid_json schema/*.json; fi
  check 'tsc' tsc --noEmit -p tsconfig.json
  if has shellcheck; then
    check 'shellcheck of our own scripts' shellcheck_sources
    if [ -d golden ]; then check 'shellcheck of the golden scripts' shellcheck_golden; fi
  else
    skip_check 'shellcheck' 'shellcheck is not installed'
  fi
  if [ ! -e man/gatewarden.1 ]; then
    :
  elif has mandoc; then
    check 'mandoc lint of the manual page' mandoc -T lint -W warning man/gatewarden.1
  else
    skip_check 'mandoc lint of the manual page' 'mandoc is not installed'
  fi
}

deno_lane >"$lanes/deno" &
shell_lane >"$lanes/shell"
wait
cat "$lanes/deno" "$lanes/shell"
