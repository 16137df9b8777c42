#!/usr/bin/env bash
# Makes installer/locks/*.lock anew from pyproject.toml, with the newest versions that fit it.
# Use the oldest supported Python, which needs the most packages. Then run installer/test.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
exec "${PYTHON:-.venv/bin/python}" installer/make_locks.py
