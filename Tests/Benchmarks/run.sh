#!/bin/sh -e
# Runs the benchmarks that are named, or all of the daemon's; docs/benchmarks.md says what they show.
cd "$(dirname "$0")/../.."
if [ "$*" = preferences ]; then exec .build/release/benchmark-preferences; fi
exec .build/release/benchmark-daemon "$@"
