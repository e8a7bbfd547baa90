#!/bin/sh
# Builds and runs the C tests of src/redis, with sanitizers. Each starts a Redis of its own on a Unix socket.
# CC: the compiler. OUT: the folder of the build. TESTS: the tests to run. The last line is "N passed, N failed".
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
out=${OUT:-}
if [ -z "$out" ]; then
	out=$(mktemp -d)
	trap 'rm -rf "$out"' EXIT
fi
mkdir -p "$out"
if ! command -v redis-server >/dev/null; then
	echo "redis-server is not installed"
	echo "0 passed, 0 failed"
	exit 0
fi
tests=${TESTS:-dsn slot key resolver exchange counter faults store limiter}
# A platform without sanitizers names none: TESTS=' '.
if [ -z "$(echo "$tests" | tr -d ' ')" ]; then
	echo "0 passed, 0 failed"
	exit 0
fi

lua=$root/src/redis/lua
sh "$root/src/redis/lua/embed.sh" rl_redis_counter_lua "$out/counter_lua.h" "$lua/counter.lua"
sh "$root/src/redis/lua/embed.sh" rl_redis_limiter_lua "$out/limiter_lua.h" "$lua"/limiter/*.lua

passed=0
failed=0
tls='' tls_libs=''
if pkg-config --atleast-version=1.1.1 openssl; then
	tls="-DHAVE_RATELIMIT_TLS=1 $(pkg-config --cflags openssl)"
	tls_libs=$(pkg-config --libs openssl)
fi

cflags="-std=gnu11 -g -O1 -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=undefined -I$out -I$root -I$root/tests/c/include $tls"
objects=$out/objects
rm -rf "$objects"
mkdir -p "$objects"
# Each file once for all tests, on all processors. Their base names differ.
# shellcheck disable=SC2086
find "$root/src/redis" "$root/src/core" -name '*.c' -print0 |
	objects=$objects xargs -0 -P "$(nproc)" -I{} sh -c 'source=$1; shift; exec "$@" -c "$source" -o "$objects/$(basename "$source" .c).o"' - {} "${CC:-cc}" $cflags

# Links and runs one test, whose output it keeps until the end: several run at a time.
cat >"$out/one.sh" <<-'ONE'
	test=$1
	# The comparison with the C core includes redis_store.c itself.
	parts=$(ls "$objects"/*.o)
	if [ "$test" = limiter ]; then
		parts=$(echo "$parts" | grep -v '/redis_store\.o$')
	fi
	# The resolver's test replaces getaddrinfo().
	wrap=
	[ "$test" != resolver ] || wrap=-Wl,--wrap=getaddrinfo
	rm -f "$out/$test.passed"
	{
		$cc $cflags "$root/tests/c/redis/${test}_test.c" $parts $tls_libs $wrap -lhiredis -lpthread -o "$out/${test}_test" &&
			timeout 300 "$out/${test}_test" && touch "$out/$test.passed"
	} >"$out/$test.log" 2>&1
	echo "$test"
	cat "$out/$test.log"
ONE
export root out objects cflags tls_libs cc="${CC:-cc}"
echo "$tests" | tr ' ' '\n' | xargs -P "${JOBS:-$(nproc)}" -n 1 sh "$out/one.sh"

for test in $tests; do
	if [ -e "$out/$test.passed" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
