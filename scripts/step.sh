#!/bin/sh
# Say what comes now; in bold where somebody looks at it who wants that: https://no-color.org
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    printf '\033[1m==> %s\033[0m\n' "$*"
else
    printf '==> %s\n' "$*"
fi
