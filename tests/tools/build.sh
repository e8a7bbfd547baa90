#!/bin/sh
# Builds the tests' tools into a folder ($RATELIMIT_TOOLS, else out/tools) and prints its name. A tool that is newer than
# its source is not built again. A tool that does not compile here (the stepper supports x86-64 only) is missing, not an
# error: its tests skip with the reason.
#
# dash has -nt. $flags and php-config print several words.
# shellcheck disable=SC3013,SC2046,SC2086
set -eu

here=$(cd "$(dirname "$0")" && pwd)
out=${RATELIMIT_TOOLS:-$here/../../out/tools}
mkdir -p "$out"
out=$(cd "$out" && pwd)
flags="-std=c11 -O2 -Wall -Wextra -Wshadow -Wconversion -Werror"

# build NAME FLAGS...: builds under a name with this process' id first, because several tests may build at the same time.
build() {
	name=$1
	source=$here/${name%.so}.c
	shift
	for file in "$source" "$here"/*.h "$here/build.sh"; do
		if [ ! -e "$out/$name" ] || [ "$file" -nt "$out/$name" ]; then
			if ! ${CC:-cc} $flags "$@" -o "$out/.$name.$$" "$source" -ldl 2>"$out/$name.log"; then
				rm -f "$out/.$name.$$" "$out/$name"
				echo "$name: not built, see $out/$name.log" >&2
				return 0
			fi
			mv "$out/.$name.$$" "$out/$name"
			rm -f "$out/$name.log"
			return 0
		fi
	done
}

build stepper
build simclock.so -shared -fPIC
build proxy
build forbid_memfd
build refuse
build no_deepbind.so -shared -fPIC
# An extension of this PHP, whose headers are not held to our warnings.
build worker_mode.so -shared -fPIC $(${PHP_CONFIG:-php-config} --includes 2>/dev/null | sed "s/-I/-isystem /g")
echo "$out"
