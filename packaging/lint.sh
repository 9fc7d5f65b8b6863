#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# make lint: formatting and licence line of every tracked source. TIDY=all adds clang-tidy on every body, TIDY=PATTERN
# on those whose path matches.   usage: packaging/lint.sh BUILD_FOLDER
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}
failed=0

mapfile -t sources < <(git ls-files '*.h' '*.cpp' '*.c')
if clang-format --dry-run -Werror "${sources[@]}"; then
    echo "clang-format: ${#sources[@]} files are as they should be"
else
    failed=1
fi

for file in "${sources[@]}"; do
    if ! head -1 "$file" | grep -q '^\(//\|/\*\) SPDX-License-Identifier: '; then
        echo "$file: the first line is not an SPDX-License-Identifier"
        failed=1
    fi
done

if [[ -n ${TIDY:-} ]]; then
    tidy=$(command -v clang-tidy-22 || command -v clang-tidy) || { echo "clang-tidy is not installed"; exit 5; }
    mapfile -t bodies < <(git ls-files 'core/**/*.cpp' 'ui/**/*.cpp' 'cli/*.cpp' 'app/**/*.cpp' |
        { [[ $TIDY == all ]] && cat || grep -- "$TIDY"; })
    "$tidy" -p "$build" --quiet --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-error "${bodies[@]}" || failed=1
fi
exit $failed
