#!/bin/sh
# Fuzzes one target for some seconds: Tests/Fuzz/run.sh TARGET SECONDS
# TARGET is the name of a Swift file beside this script. Its line `// Sources: …` names the folders
# that are compiled with it. Inputs are kept in .build/fuzz/TARGET/corpus, and start from the files
# in the folder that its line `// Seeds: …` names. An input that fails is left in
# .build/fuzz/TARGET as crash-…; the exit status is not 0 then.
set -eu
if [ $# -ne 2 ]; then
  echo "usage: $0 TARGET SECONDS" >&2
  exit 2
fi
cd "$(dirname "$0")/../.."
target=$1
seconds=$2
file=Tests/Fuzz/$target.swift
work=.build/fuzz/$target
sources=$(sed -n 's|^// Sources: ||p' "$file")
seeds=$(sed -n 's|^// Seeds: ||p' "$file")
mkdir -p "$work/corpus" "$work/module"

printf 'module CLinux { header "%s/Sources/CLinux/include/CLinux.h" export * }\n' "$PWD" \
  > "$work/module/module.modulemap"
clang=$(dirname "$(readlink -f "$(command -v swiftc)")")/clang
"$clang" -O1 -g -fsanitize=address -c Sources/CLinux/clinux.c -ISources/CLinux/include \
  -o "$work/clinux.o"
# shellcheck disable=SC2046,SC2086 # lists of files
swiftc -O -g -swift-version 6 -sanitize=fuzzer,address -parse-as-library \
  -I "$work/module" -module-name Fuzz -o "$work/fuzz" \
  "$file" $(find $sources -name '*.swift') "$work/clinux.o"

export SWIFT_BACKTRACE=enable=no
export ASAN_OPTIONS=detect_leaks=0
# shellcheck disable=SC2086 # a list of folders
"$work/fuzz" "$work/corpus" $seeds -max_total_time="$seconds" -max_len=4096 -timeout=10 \
  -rss_limit_mb=1024 -print_final_stats=1 -artifact_prefix="$work/"
