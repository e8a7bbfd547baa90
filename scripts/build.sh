#!/usr/bin/env bash
# Builds the extension for development, with warnings as errors, in out/dev: scripts/build.sh [clang, gcc ...]
# Prints the path of the module. The environment of build-copy.sh applies.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -gt 0 ]; then
	export CC=$1
fi
export CONFIGURE_OPTIONS="--enable-ratelimit-dev ${CONFIGURE_OPTIONS:-}"
exec scripts/build-copy.sh "${OUT:-out/dev}"
