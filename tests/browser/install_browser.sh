#!/bin/sh
# Makes sure there is a Chromium or Chrome for the browser tests: one that is there, else one from the
# system's package manager where that needs no password, else the line to type.
set -u
for name in "${ROSTRUM_CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" \
    "/Applications/Chromium.app/Contents/MacOS/Chromium"; do
    [ -n "$name" ] && command -v "$name" >/dev/null 2>&1 && exit 0
done

if [ "$(id -u)" = 0 ]; then as_root=""; else as_root="sudo -n"; fi
may_install() { [ -z "$as_root" ] || sudo -n true 2>/dev/null; }

if command -v apt-get >/dev/null 2>&1; then
    line="apt-get install -y chromium"
    if may_install; then
        echo "installing Chromium for the browser tests"
        $as_root apt-get update -qq && $as_root env DEBIAN_FRONTEND=noninteractive $line -qq >/dev/null && exit 0
    fi
elif command -v dnf >/dev/null 2>&1; then
    line="dnf install -y chromium"
    if may_install; then $as_root $line -q && exit 0; fi
elif command -v pacman >/dev/null 2>&1; then
    line="pacman -S --noconfirm chromium"
    if may_install; then $as_root $line && exit 0; fi
elif command -v brew >/dev/null 2>&1; then
    line="brew install --cask chromium"
    brew install --cask chromium && exit 0
else
    line="install Chromium or Google Chrome"
fi
echo "browser tests NOT RUN: no Chromium or Chrome was found; to run them: sudo $line"
[ -z "${CI:-}" ]
