#!/bin/sh
# See to it that there is a Java that Spark runs on; $1 is the Python with dbt-lazyview in it.
set -eu
. "$(dirname "$0")/as_root.sh"
python=$1

if "$python" -m dbt_lazyview.adapter.java >/dev/null 2>&1; then
    exit 0
fi
if may_install; then
    apt_install openjdk-17-jre-headless || true
fi
"$python" -m dbt_lazyview.adapter.java >/dev/null
