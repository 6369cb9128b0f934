#!/usr/bin/env bash
# Sets up .venv and says so; installs what Debian lacks. With `demo` only what the demo needs: nearcopy and its service.
# Without, the development tools too, and the servers and the browser of the tests.
set -euo pipefail
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
VENV=${VENV:-.venv}
WHAT=${1:-all}

say() { echo "setup: $*"; }

install() {  # packages...
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        say "please install $* (not root, or no apt-get here)" >&2
        return 1
    fi
    say "installing $* with apt-get"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null
}

pip_install() {  # arguments...; errors are shown, warnings are not
    "$VENV/bin/python" -m pip install -qq --disable-pip-version-check "$@"
}

need_python() {
    command -v "$PYTHON" >/dev/null || install python3 python3-venv python3-dev
    "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
        say "nearcopy needs Python 3.11 or newer, $PYTHON is $("$PYTHON" --version)" >&2
        exit 1
    }
    "$PYTHON" -c 'import ensurepip' 2>/dev/null || install python3-venv
}

need_compiler() {
    command -v "${CXX:-g++}" >/dev/null || install g++ || say "no compiler, going on without"
    "$PYTHON" -c 'import sysconfig, os, sys
sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' || install python3-dev || true
}

# The tests start servers of their own; without these their tests are skipped, saying so.
need_servers() {
    command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 ||
        install postgresql || say "no PostgreSQL, going on without"
    command -v java >/dev/null || install default-jre-headless || say "no Java, going on without"
    command -v redis-server >/dev/null || install redis-server || say "no Redis, going on without"
    # The pages are tested in Debian's own browser; Playwright downloads none.
    command -v chromium >/dev/null || install chromium || say "no chromium, going on without"
}

need_environment() {
    [ -x "$VENV/bin/python" ] || {
        say "making the virtual environment $VENV"
        "$PYTHON" -m venv "$VENV"
    }
    pip_install --upgrade "pip>=25.1"
    [ -z "${LOCKED-}" ] || export PIP_CONSTRAINT=constraints.txt
}

need_nearcopy() {  # extras
    say "installing nearcopy$1; compiling its kernels takes half a minute the first time"
    pip_install --no-build-isolation --editable ".$1"  # the same folder is built in again and again
    "$VENV/bin/python" -W ignore -c 'from nearcopy import kernels; assert kernels.native' 2>/dev/null ||
        say "the kernels were not compiled: the reference in Python runs in their place, slowly"
}

need_python
need_compiler
if [ "$WHAT" = demo ]; then
    need_environment
    say "installing the build tools: cmake, ninja, nanobind, scikit-build-core"
    pip_install --group build
    need_nearcopy "[serve]"
else
    need_servers
    need_environment
    say "installing the build and development tools, pytest, ruff, mypy, Spark and more: a minute or two"
    pip_install --group dev
    need_nearcopy ""
fi
say "done in $SECONDS s"
