#!/bin/sh
# Installs Chromium and Firefox for the browser tests where they are missing and the system's package
# manager needs no password; else prints the line to type.
set -u
if [ "$(id -u)" = 0 ]; then as_root=""; else as_root="sudo -n"; fi

has() {
    for name in "$@"; do
        [ -n "$name" ] && command -v "$name" >/dev/null 2>&1 && return 0
    done
    return 1
}

# Usage: install NAME PACKAGE-OF-APT PACKAGE-OF-OTHERS CASK
install() {
    if has apt-get; then line="apt-get install -y $2"
    elif has dnf; then line="dnf install -y $3"
    elif has pacman; then line="pacman -S --noconfirm $3"
    elif has brew; then line="brew install --cask $4"; as_root=""
    else line="install $1"
    fi
    if has "${line%% *}" && { [ -z "$as_root" ] || sudo -n true 2>/dev/null; }; then
        echo "installing $1 for the browser tests"
        if has apt-get; then $as_root apt-get update -qq; fi
        $as_root env DEBIAN_FRONTEND=noninteractive $line >/dev/null && return 0
    fi
    echo "browser tests in $1 NOT RUN: it was not found; to run them: sudo $line"
    [ -z "${CI:-}" ]
}

failed=0
has "${ROSTRUM_CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" \
    "/Applications/Chromium.app/Contents/MacOS/Chromium" ||
    install Chromium chromium chromium chromium || failed=1
has firefox firefox-esr /Applications/Firefox.app/Contents/MacOS/firefox ||
    install Firefox firefox-esr firefox firefox || failed=1
exit $failed
