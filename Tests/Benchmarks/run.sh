#!/bin/sh -e
# Runs the benchmarks that are named, or all; docs/benchmarks.md says what they show.
cd "$(dirname "$0")/../.."
if [ "$*" = preferences ]; then exec .build/release/benchmark-preferences; fi
.build/release/benchmark-daemon "$@"
if [ $# = 0 ]; then exec .build/release/benchmark-preferences; fi
