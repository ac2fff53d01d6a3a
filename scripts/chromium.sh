#!/bin/sh
# See to it that there is a Chromium, and what drives it in $1, the Python with dbt-lazyview in it.
set -eu
. "$(dirname "$0")/as_root.sh"
python=$1

if [ ! -x "${CHROMIUM:-/usr/bin/chromium}" ]; then
    if may_install; then
        apt_install chromium
    else
        echo "Chromium was not found. Type: sudo apt-get install chromium (or say where it is: make CHROMIUM=/path test-report)" >&2
        exit 1
    fi
fi
if ! "$python" -c 'import playwright' >/dev/null 2>&1; then
    step "installing playwright"
    "$python" -m pip install --quiet --disable-pip-version-check --editable '.[browser]'
fi
