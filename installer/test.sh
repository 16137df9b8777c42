#!/usr/bin/env bash
# The set-up of run.sh with test tools, then every check that CI runs. Needs no desktop, no GPU, no sound card.
set -euo pipefail
# shellcheck source=installer/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

TEST_PACKAGES=(pulseaudio pulseaudio-utils xvfb xauth imagemagick strace util-linux)

hold_setup
install_system_packages "${RUNTIME_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
install_python_packages base test
# The engine tests need torch: the small CPU build where pip finds it, else the CUDA build, which runs on a CPU too.
if has_gpu || ! (install_python_packages torch-cpu); then
  say "taking the CUDA build of torch"
  install_python_packages torch
fi
fetch_weights || exit 1
release_setup

cd "$ROOT"
export PATH=$VENV/bin:$PATH
failed=()
check() { # check NAME COMMAND...: all run, whatever fails
  local name=$1
  shift
  say "== $name"
  "$@" || failed+=("$name")
}
check "ruff" ruff check .
check "format" ruff format --check .
check "types" mypy
check "imports" lint-imports
# Those that need a screen start one. Drawn inputs are the same each time here; plain pytest draws new ones.
check "unit tests" timeout --kill-after=10 40m env -u DISPLAY -u WAYLAND_DISPLAY python -m pytest -q --hypothesis-profile=ci -m "not e2e and not soak"
check "lobby tests" python -m pytest -q tests/lobby

if (( ${#failed[@]} )); then
  fail "failed: $(IFS=,; echo "${failed[*]}")"
fi
say "left out: hours of simulated time (python -m pytest -m soak)"
say "all checks passed"
