#!/usr/bin/env bash
# Builds the source distribution and the wheel into a folder: packaging/build.sh OUT
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:?give the folder to build into}
python3 -m pip install --quiet --disable-pip-version-check build
python3 -m build --outdir "$out"
