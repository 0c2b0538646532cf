# shellcheck shell=bash
# Once for all suites of this folder: Gatewarden where other users can read it, at $STAGE.

setup_suite() {
  export STAGE=$BATS_SUITE_TMPDIR/gatewarden
  sh "$BATS_TEST_DIRNAME/../../test/real/stage.sh" "$STAGE"
}
