#!/bin/sh
# Other people's Varlink implementations, for the tests to talk to, in .build/peers:
#   python                        a virtual environment with PyPI's varlink and asyncvarlink
#   varlink-go-certification      from Debian's golang-github-varlink-go-dev
#   varlink-go-watch              Tests/Integration/Peers/watch.go, on the same library
#   promtool                      Prometheus' own checker, out of Debian's package, whose server is
#                                 not to be installed for it; its tests are left out without it
# Does nothing when all are there.
set -eu
cd "$(dirname "$0")/.."
peers=.build/peers
wanted='varlink==31.0.0 asyncvarlink==0.3.3'

if [ "$(cat "$peers/python/installed" 2>/dev/null)" != "$wanted" ]; then
  rm -rf "$peers/python"
  mkdir -p "$peers"
  python3 -m venv "$peers/python"
  # shellcheck disable=SC2086 # two words
  "$peers/python/bin/pip" install --quiet --disable-pip-version-check $wanted
  echo "$wanted" > "$peers/python/installed"
fi

# Debian's library packages are laid out for the mode without modules.
build_go() {
  [ -x "$peers/$1" ] || GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE="$PWD/$peers/go-cache" \
    GOFLAGS='' go build -o "$peers/$1" "$2"
}
build_go varlink-go-certification github.com/varlink/go/cmd/varlink-go-certification
build_go varlink-go-watch Tests/Integration/Peers/watch.go
rm -rf "$peers/go-cache"

if [ ! -x "$peers/promtool" ]; then
  unpacked=$(mktemp -d)
  trap 'rm -rf "$unpacked"' EXIT
  if (cd "$unpacked" && apt-get download -q prometheus && dpkg-deb -x prometheus_*.deb .) \
    >/dev/null 2>&1; then
    cp "$unpacked/usr/bin/promtool" "$peers/promtool"
  else
    echo "setup-peers: promtool is left out: apt-get download prometheus does not work here" >&2
  fi
fi
