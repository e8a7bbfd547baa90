#!/usr/bin/env bash
# Formats the C code by .clang-format: format.sh; or checks its format: format.sh --check
#
# Releases of clang-format differ in their results for one configuration. The reference is release 14, of Debian 12. With
# another release the script changes nothing, and its exit status is 2. CLANG_FORMAT names the program.
set -euo pipefail
cd "$(dirname "$0")/.."

program=${CLANG_FORMAT:-$(command -v clang-format-14 || command -v clang-format || true)}
if [ -z "$program" ] || [[ $("$program" --version) != *"version 14."* ]]; then
	echo "format.sh: clang-format 14 is not installed" >&2
	exit 2
fi
mapfile -t files < <(find src tests bench ratelimit.c php_ratelimit.h -name '*.[ch]' ! -name '*_lua.h')
if [ "${1:-}" = --check ]; then
	exec "$program" --dry-run -Werror "${files[@]}"
fi
exec "$program" -i "${files[@]}"
