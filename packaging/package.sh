#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# make package: a Debian package of the release build, in BUILD_FOLDER.   usage: packaging/package.sh BUILD_FOLDER
set -euo pipefail
build=${1:-build}
for program in fettle fettle-cli fettle-worker fettle-runner; do
    if [[ ! -x $build/bin/$program ]]; then
        echo "fettle: error: cannot make the package ($build/bin/$program): this program was not built. Run make build." >&2
        exit 1
    fi
done
cd "$build"
cpack -G DEB
package=$(ls -t ./fettle_*.deb | head -1)
dpkg-deb --info "$package"
dpkg-deb --contents "$package" | awk '{print $3, $6}'
echo "$build/${package#./}"
