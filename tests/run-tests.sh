#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs every test program through ctest and adds up their tests. The last line is 'N passed, N failed, N skipped'.
#   usage: tests/run-tests.sh BUILD_FOLDER [ctest options, such as -R onnx]
build=${1:-build}
shift
log="$build/test-log.txt"
ctest --test-dir "$build" --verbose --timeout 1800 "$@" >"$log" 2>&1
status=$?

# Failures in full, the rest in a line a program.
awk -f "$(dirname "$0")/summarize.awk" "$log"
counted=$?
[[ $status -eq 0 && $counted -eq 0 ]]
