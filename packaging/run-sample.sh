#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# make run: the window on the bundled sample where there is a screen; otherwise the same job in the terminal:
# tune, profile, export, verify.   usage: packaging/run-sample.sh BUILD_FOLDER
set -euo pipefail
source_dir=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-build}
sample="$source_dir/resources/sample/digits_mobilenet"
work="$build/sample"
mkdir -p "$work"

if [[ -n ${DISPLAY:-} || -n ${WAYLAND_DISPLAY:-} ]] && [[ -x $build/bin/fettle ]]; then
    cp "$sample/model.onnx" "$work/digits.onnx"
    exec "$build/bin/fettle" "$work/digits.onnx"
fi

cli="$build/bin/fettle-cli"
step() {
    echo
    echo "\$ fettle-cli $*"
    "$cli" "$@"
}
echo "No screen (neither DISPLAY nor WAYLAND_DISPLAY is set): the whole job in the terminal."
rm -rf "$work/digits.fettle"* "$work/export"
step tune "$sample/model.onnx" -o "$work/digits.fettle" --trials "${TRIALS:-64}" --seed 1
step profile "$work/digits.fettle" --table
step run "$work/digits.fettle" --data "$sample/test_data_set_0"
step export "$work/digits.fettle" -o "$work/export"
step verify "$work/export" --data "$sample/test_data_set_0"
echo
echo "Done: the tuned library is $work/export/model.so; example.c beside it shows how to call it."
