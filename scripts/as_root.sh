# Sourced: `may_install` asks whether apt-get can be used here, `apt_install PACKAGE...` uses it quietly.

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

may_install() {
    command -v apt-get >/dev/null 2>&1 || return 1
    [ "$(id -u)" = 0 ] || sudo -n true >/dev/null 2>&1
}

apt_install() {
    step "apt-get install $*"
    apt_log=$(mktemp)
    if as_root apt-get update >"$apt_log" 2>&1 &&
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >>"$apt_log" 2>&1; then
        rm -f "$apt_log"
    else
        tail -n 5 "$apt_log" >&2
        echo "apt-get could not install $*; its output is in $apt_log" >&2
        return 1
    fi
}

step() {
    sh "$(dirname "$0")/step.sh" "$@"
}
