#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# make bench: every Google Benchmark program of this folder, then the scripts *.bench.sh beside it.
#   usage: tests/bench/run.sh BUILD_FOLDER
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-build}
failed=0
ran=0
for source in "$here"/*.cpp; do
    [[ -e $source ]] || continue
    name=$(basename "$source" .cpp)
    echo "== ${name//_/-}"
    QT_QPA_PLATFORM=offscreen "$build/bin/${name//_/-}" || failed=1
    ran=$((ran + 1))
done
for script in "$here"/*.bench.sh; do
    [[ -e $script ]] || continue
    echo "== $(basename "$script")"
    "$script" "$build" || failed=1
    ran=$((ran + 1))
done
if [[ $ran -eq 0 ]]; then
    echo "fettle: error: there is nothing in tests/bench to run" >&2
    exit 1
fi
exit $failed
