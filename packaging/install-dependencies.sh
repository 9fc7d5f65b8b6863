#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what packaging/dependencies.txt lists and this machine lacks. Asks nothing, can be run again at any time,
# waits for other users of apt, and does not touch apt when everything is there.
set -euo pipefail
list="$(dirname "$0")/dependencies.txt"

missing=()
while read -r package version; do
    have=$(dpkg-query -W -f='${db:Status-Status} ${Version}' "$package" 2>/dev/null || true)
    if [[ $have != installed\ * ]] || ! dpkg --compare-versions "${have#installed }" ge "$version~"; then
        missing+=("$package")
    fi
done < <(grep -vE '^[[:space:]]*(#|$)' "$list")

if [[ ${#missing[@]} -eq 0 ]]; then
    exit 0
fi
echo "Installing ${#missing[@]} Debian packages: ${missing[*]}"

as_root=()
if [[ $(id -u) -ne 0 ]]; then
    if ! command -v sudo >/dev/null; then
        echo "fettle: error: cannot install packages: this user is not root and there is no sudo. Run as root:" >&2
        echo "    apt-get install ${missing[*]}" >&2
        exit 5
    fi
    as_root=(sudo)
fi
apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600 "$@"
}
apt update
apt install --no-install-recommends "${missing[@]}"
