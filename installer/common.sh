# Steps that run.sh and test.sh share. Everything is said on stderr: stdout belongs to the program.
#
# Settings from the environment:
#   PYTHON                        the interpreter to build the virtual environment with
#   KIOSK_BUNDLE                  a folder made by `models bundle`: packages and weights come from there, no network
#   KIOSK_CHECKPOINTS             folder of the weights, by default checkpoints/ beside the program
#   KIOSK_SKIP_SYSTEM_PACKAGES=1  the needed system packages are there by other means
#   KIOSK_NO_TORCH=1              do not install the packages for a GPU although there is one
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
VENV=$ROOT/.venv
LOCKS=$ROOT/installer/locks
CHECKPOINTS=${KIOSK_CHECKPOINTS:-$ROOT/checkpoints}

RUNTIME_PACKAGES=(
  python3 python3-venv ca-certificates
  libportaudio2 libasound2-plugins libspeexdsp1                  # sound
  libegl1 libgl1 libopengl0 libgl1-mesa-dri                      # OpenGL, on a GPU or in software
  libfontconfig1 libfreetype6 libdbus-1-3 libglib2.0-0 fonts-noto-cjk
  libxkbcommon0 libxkbcommon-x11-0 libx11-xcb1 libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1
  libxcb-randr0 libxcb-render-util0 libxcb-shape0 libxcb-sync1 libxcb-xfixes0 libxcb-xinerama0 libxcb-xkb1
  libwayland-client0 libwayland-cursor0 libwayland-egl1          # the window, on X11 or Wayland
)

say() { printf 'installer: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

# One set-up at a time; the lock goes with the process, or with release_setup before the program takes over.
hold_setup() {
  mkdir -p "$ROOT/var" || fail "$ROOT cannot be written; give this user the folder or copy the program elsewhere"
  exec 9> "$ROOT/var/setup.lock"
  flock -n 9 || { say "another set-up is at work; waiting for it"; flock 9; }
}
release_setup() { exec 9>&-; }

# stamp_is FILE TEXT: whether FILE holds exactly TEXT.
stamp_is() { [[ -f $1 && $(<"$1") == "$2" ]]; }

# install_system_packages NAME...: by apt, when the stamp does not say that it was done.
install_system_packages() {
  local stamp=$ROOT/var/system-packages
  [[ ${KIOSK_SKIP_SYSTEM_PACKAGES:-} == 1 ]] && return
  stamp_is "$stamp" "$*" && return
  if ! command -v apt-get dpkg-query > /dev/null; then
    fail "this system has no apt: install what Debian calls $*, then run again with KIOSK_SKIP_SYSTEM_PACKAGES=1"
  fi
  local missing=() name
  for name in "$@"; do
    [[ $(dpkg-query -W -f '${Status}' "$name" 2> /dev/null) == "install ok installed" ]] || missing+=("$name")
  done
  if (( ${#missing[@]} )); then
    local as_root=()
    if (( EUID )); then
      command -v sudo > /dev/null || fail "ask an administrator to run: apt-get install ${missing[*]}"
      as_root=(sudo)
    fi
    say "installing system packages: ${missing[*]}"
    "${as_root[@]}" apt-get update -qq >&2 9>&- || say "the package lists could not be refreshed; using those at hand"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends "${missing[@]}" >&2 9>&- ||
      fail "apt-get could not install them; see its message above"
  fi
  printf "%s" "$*" > "$stamp"
}

fits() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2> /dev/null; }

find_python() {
  local name
  for name in ${PYTHON:+"$PYTHON"} python3 python3.13 python3.12 python3.11; do
    if fits "$name"; then command -v "$name"; return; fi
  done
  fail "needs Python 3.11, 3.12 or 3.13, here is $(python3 --version 2>&1); install one with its venv package" \
    "(Ubuntu 22.04: apt install python3.11 python3.11-venv) and run: PYTHON=python3.11 bash installer/$(basename "$0")"
}

# pip_install LOCK: exactly the pinned files. Source packages are built with the setuptools of tools.lock. What a
# package says about Python versions is left to the lock, which was tested with all supported ones.
pip_install() {
  "$VENV/bin/python" -m pip install --quiet --no-deps --no-build-isolation --ignore-requires-python --require-hashes \
    --disable-pip-version-check --no-input -r "$LOCKS/$1.lock" >&2
}

has_gpu() { [[ ${KIOSK_NO_TORCH:-} != 1 ]] && command -v nvidia-smi > /dev/null && nvidia-smi -L > /dev/null 2>&1; }

# install_python_packages LOCK...: a virtual environment with these locks. `.locks` in it holds the checksum of each
# lock that is installed; one that has not changed costs nothing.
install_python_packages() {
  local stamp=$VENV/.locks lock python sum
  if ! fits "$VENV/bin/python"; then
    python=$(find_python)
    say "making a virtual environment with $python"
    rm -rf "$VENV"
    "$python" -m venv "$VENV" >&2 ||
      fail "$python cannot make virtual environments; install its venv package (Debian: python3-venv)"
  fi
  if [[ -n ${KIOSK_BUNDLE:-} ]]; then
    [[ -d $KIOSK_BUNDLE/wheels ]] || fail "KIOSK_BUNDLE=$KIOSK_BUNDLE holds no wheels/: give a folder made by models bundle"
    # As an address, because pip splits this variable at spaces.
    PIP_FIND_LINKS=$("$VENV/bin/python" -c 'import pathlib, sys; print(pathlib.Path(sys.argv[1]).resolve().as_uri())' \
      "$KIOSK_BUNDLE/wheels")
    export PIP_NO_INDEX=1 PIP_FIND_LINKS
  fi
  touch "$stamp"
  for lock in tools "$@"; do
    sum=$(cd "$LOCKS" && sha256sum "$lock.lock")
    grep -qxF "$sum" "$stamp" && continue
    say "installing Python packages: $lock"
    pip_install "$lock" || fail "pip could not install $lock.lock; see its message above and run this again"
    { grep -v " $lock\.lock$" "$stamp" || true; printf '%s\n' "$sum"; } > "$stamp.part"
    mv "$stamp.part" "$stamp"
  done
}

# fetch_weights: the default weights of this machine; the stamp lies among them and goes when they go.
fetch_weights() {
  local stamp=$CHECKPOINTS/.defaults-ready wanted
  wanted=$(sha256sum < "$ROOT/checkpoints/catalog.toml")
  stamp_is "$stamp" "$wanted" && return
  say "fetching weights"
  "$VENV/bin/python" "$ROOT/main.py" models fetch ${KIOSK_BUNDLE:+--from "$KIOSK_BUNDLE"} >&2 || return 1
  printf '%s' "$wanted" > "$stamp"
}
