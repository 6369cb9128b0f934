#!/usr/bin/env bash
# Installs a wheel with extras into an environment of its own: packaging/install.sh PREFIX WHEEL [EXTRAS]
set -euo pipefail
prefix=${1:?give the folder of the environment} wheel=${2:?give the wheel} extras=${3-}
python3 -m venv "$prefix"
"$prefix/bin/python" -m pip install --quiet --disable-pip-version-check "$wheel${extras:+[$extras]}"
"$prefix/bin/nearcopy" --version
