#!/usr/bin/env bash
# Sets up a bare Debian or Ubuntu machine and runs the kiosk: bash installer/run.sh [arguments of main.py]
# The second run starts at once. `--bundle DIR` as the first arguments: no network, everything from that folder.
set -euo pipefail

if [[ ${1:-} == --bundle ]]; then
  [[ -n ${2:-} ]] || { echo "installer: --bundle needs a folder" >&2; exit 2; }
  export KIOSK_BUNDLE=$2
  shift 2
fi
# shellcheck source=installer/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

hold_setup
install_system_packages "${RUNTIME_PACKAGES[@]}"
locks=(base)
if has_gpu; then locks+=(torch); fi
install_python_packages "${locks[@]}"

case ${1:-} in
  models | normalize | -h | --help | --version) ;; # work without weights
  doctor) fetch_weights || say "not all weights are there; the report below says which" ;;
  *) fetch_weights || exit 1 ;;
esac
release_setup
exec "$VENV/bin/python" "$ROOT/main.py" "$@"
