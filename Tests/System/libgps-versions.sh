#!/bin/sh
# Compiles the C side of gpsd's parser against the libgps headers of newer Debian releases, taken
# from the Debian mirror that this machine uses. Says "skipped" where the mirror is out of reach.
#
# usage: libgps-versions.sh [SUITE...]     default: trixie sid
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mirror=$(sed -n -E 's/^(URIs: *|deb (\[[^]]*\] )?)(https?:[^ ]*).*/\3/p' \
  /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources \
  2>/dev/null | grep -v security | head -n 1)
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

compile() {
  cc -std=gnu11 -Wall -Wextra -Werror -I"$1" -I"$root/Sources/CGps/include" \
    -c "$root/Sources/CGps/cgps.c" -o "$work/cgps.o"
  echo "libgps API $(sed -n 's/^#define GPSD_API_MAJOR_VERSION *\([0-9]*\).*/\1/p' "$1/gps.h") ($2): compiles"
}

compile /usr/include "this machine"
for suite in "${@:-trixie sid}"; do
  for one in $suite; do
    state=$work/$one
    mkdir -p "$state/lists" "$state/cache"
    echo "deb [signed-by=$keyring] $mirror $one main" >"$state/sources.list"
    apt() {
      apt-get -qq -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::lists="$state/lists" -o Dir::Cache="$state/cache" \
        -o APT::Sandbox::User=root -o Acquire::Retries=0 -o Acquire::http::Timeout=20 "$@"
    }
    if [ -n "$mirror" ] && apt update >/dev/null 2>&1 &&
      (cd "$state" && apt download libgps-dev >/dev/null 2>&1); then
      dpkg-deb -x "$state"/libgps-dev_*.deb "$state/tree"
      compile "$state/tree/usr/include" "$one"
    else
      echo "skipped: libgps-dev of $one cannot be fetched"
    fi
  done
done
