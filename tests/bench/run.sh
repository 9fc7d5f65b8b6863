#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# make bench: every Google Benchmark program of this folder, then whole models beside ONNX Runtime.
#   usage: tests/bench/run.sh BUILD_FOLDER
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-build}
failed=0
ran=0
for source in "$here"/*.cpp; do
    [[ -e $source ]] || continue
    name=$(basename "$source" .cpp)
    [[ -x $build/bin/${name//_/-} ]] || continue  # the window was not built
    echo "== ${name//_/-}"
    QT_QPA_PLATFORM=offscreen "$build/bin/${name//_/-}" || failed=1
    ran=$((ran + 1))
done

# Whole models beside ONNX Runtime: needs the shared models, node, and ORT_DIR (see whole_models.mjs).
models="$here/../../../shared/models"
if [[ -d $models ]] && command -v node >/dev/null; then
    against_ort() {
        echo "== whole models in $1"
        node "$here/whole_models.mjs" --cli "$build/bin/fettle-cli" --models "$models/$1" \
            --sessions "$build/bench-sessions" "${@:2}" || failed=1
        ran=$((ran + 1))
    }
    against_ort arch resnet18 mobilenet_v2 squeezenet1_1 bert_tiny_fixed
    against_ort real ultraface_slim320
else
    echo "SKIPPED: whole models (there is no $models, or no node)"
fi
if [[ $ran -eq 0 ]]; then
    echo "fettle: error: there is nothing in tests/bench to run" >&2
    exit 1
fi
exit $failed
