#!/usr/bin/env bash
# Runs the tests of the Redis store on another server, with this machine's PHP: matrix/server.sh NAME
#
#   redis8    Redis 8.0 of Debian 13         valkey8  Valkey 8.1 of Debian 13
#   redict    Redict 7.3 of Debian's next    valkey9  Valkey 9.1 of Debian's next
#   keydb     the program that KEYDB_SERVER names, because Debian has no package
#
# The server's packages are unpacked in $RATELIMIT_CACHE (default: ~/.cache/ratelimit), with libraries of their own. TESTS: the tests.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/matrix/tree.sh

name=${1:?matrix/server.sh: the server is missing}
tests=${TESTS:-tests/redis tests/redis-faults tests/conformance tests/guard tests/clocks}
case $name in
	redis8) suite=trixie package=redis-server ;;
	valkey8) suite=trixie package=valkey-server ;;
	redict) suite=sid package=redict-server ;;
	valkey9) suite=sid package=valkey-server ;;
	keydb) suite='' package=keydb-server ;;
	*) echo "matrix/server.sh: no server '$name'" >&2; exit 2 ;;
esac

tree=$cache/server-$name
mkdir -p "$tree"
if [ "$name" = keydb ]; then
	program=${KEYDB_SERVER:?matrix/server.sh: KEYDB_SERVER must name the program keydb-server}
	command=("$program")
else
	command -v mmdebstrap >/dev/null || { echo "matrix/server.sh: mmdebstrap is missing: apt-get install mmdebstrap" >&2; exit 2; }
	if [ ! -f "$tree/complete" ]; then
		rm -rf "$tree/root"
		nice mmdebstrap --variant=extract --aptopt='Acquire::Check-Valid-Until "false"' --include="$package" "$suite" "$tree/root" \
			"deb ${mirror:?matrix/server.sh: set DEBIAN_MIRROR} $suite main" >"$tree/log" 2>&1 || { tail -n 5 "$tree/log" >&2; exit 1; }
		touch "$tree/complete"
	fi
	program=$(find "$tree/root/usr/bin" -name "$package" -o -name "${package%-server}-check-rdb" | head -n 1)
	libraries=$tree/root/usr/lib/x86_64-linux-gnu:$tree/root/lib/x86_64-linux-gnu
	command=("$(find "$tree/root" -name 'ld-linux-x86-64.so.2' ! -type d | head -n 1)" --library-path "$libraries" --argv0 "$package" "$program")
fi

# The tests find the first redis-server of the path.
mkdir -p "$tree/bin"
printf '#!/bin/sh\nexec' >"$tree/bin/redis-server"
printf ' %q' "${command[@]}" >>"$tree/bin/redis-server"
printf ' "$@"\n' >>"$tree/bin/redis-server"
chmod +x "$tree/bin/redis-server"
export PATH=$tree/bin:$PATH
echo "== $name: $(redis-server --version)"

build=$cache/server-build
newer() { find src ratelimit.c config.m4 tests -newer "$build/modules/ratelimit.so" -type f ! -name '*.o' ! -name '*.lo' ! -name '*.dep' -print -quit; }
if [ ! -f "$build/modules/ratelimit.so" ] || [ -n "$(newer)" ]; then
	OUT=$build scripts/build.sh >/dev/null
fi
# shellcheck disable=SC2086
scripts/phpt.sh "$build" $tests
