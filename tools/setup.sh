#!/usr/bin/env bash
# Sets up .venv with nearcopy and its development tools; installs what Debian lacks, saying so.
set -euo pipefail
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
VENV=${VENV:-.venv}

install() {  # packages...
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "setup: please install $* (not root, or no apt-get here)" >&2
        return 1
    fi
    echo "setup: installing $* with apt-get"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null
}

command -v "$PYTHON" >/dev/null || install python3 python3-venv python3-dev
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "setup: nearcopy needs Python 3.11 or newer, $PYTHON is $("$PYTHON" --version)" >&2
    exit 1
}
command -v "${CXX:-g++}" >/dev/null || install g++ || echo "setup: no compiler, going on without"
"$PYTHON" -c 'import sysconfig, os, sys
sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' || install python3-dev || true
"$PYTHON" -c 'import ensurepip' 2>/dev/null || install python3-venv

# The tests start servers of their own; without these their tests are skipped, saying so.
command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 ||
    install postgresql || echo "setup: no PostgreSQL, going on without"
command -v redis-server >/dev/null || install redis-server ||
    echo "setup: no Redis, going on without"
# The pages are tested in Debian's own browser; Playwright downloads none.
command -v chromium >/dev/null || install chromium ||
    echo "setup: no chromium, going on without"

[ -x "$VENV/bin/python" ] || "$PYTHON" -m venv "$VENV"
echo "setup: installing nearcopy and its tools into $VENV"
"$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
"$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --group dev
"$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --no-build-isolation \
    --editable .
