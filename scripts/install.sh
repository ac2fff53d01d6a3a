#!/bin/sh
# Create the virtual environment given as $1, with this project and its tools in it.
set -eu
. "$(dirname "$0")/as_root.sh"
venv=$1
python=${PYTHON:-python3}

if ! command -v "$python" >/dev/null 2>&1; then
    echo "$python was not found: install Python 3.10 or newer, or say which one: make PYTHON=/path/to/python3" >&2
    exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
    echo "$("$python" --version) is too old: 3.10 or newer is needed. Say which one: make PYTHON=/path/to/python3" >&2
    exit 1
fi
if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    if may_install; then
        apt_install "$package"
    else
        echo "Python's venv module is missing here. Type: sudo apt-get install $package" >&2
        exit 1
    fi
fi

if [ ! -x "$venv/bin/python" ]; then
    step "creating $venv"
    "$python" -m venv "$venv"
fi
step "installing dbt-lazyview and its tools into $venv (some minutes the first time)"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
