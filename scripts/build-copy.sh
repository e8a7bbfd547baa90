#!/usr/bin/env bash
# Builds the extension in a copy of the checkout, so that the checkout stays as it is: build-copy.sh <folder>
# Prints the path of the module. PHPIZE and PHP_CONFIG name another PHP. CC, CFLAGS and CONFIGURE_OPTIONS (words, without
# blanks in them) reach configure.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:?build-copy.sh: the folder of the build is missing}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
log=$folder.log
read -ra options <<<"${CONFIGURE_OPTIONS:-}"

# When a source has moved since the last build in the folder, all is compiled anew: not both files, nor by old dependencies.
if [ -d "$folder/src" ]; then
	(cd "$folder" && find src -name '*.[ch]' ! -name '*_lua.h') | while read -r file; do
		[ -e "$file" ] || { rm -rf "${folder:?}/src" "$folder"/ratelimit.{dep,lo} && break; }
	done
fi
# Objects of a build in the checkout stay behind: they may be of another compiler or PHP.
tar --create --exclude=./out --exclude=./.git --exclude=./vendor --exclude='*.lo' --exclude='*.o' --exclude='*.dep' --exclude=.libs . | tar --extract --directory "$folder"
if ! (
	cd "$folder"
	"${PHPIZE:-phpize}" &&
		./configure --with-php-config="${PHP_CONFIG:-php-config}" "${options[@]}" &&
		make -k -j"${JOBS:-2}"
) >"$log" 2>&1; then
	echo "build-copy.sh: the build failed; the end of $log:" >&2
	grep -E '^configure: error|(error|warning): |: undefined|^make: ' "$log" | tail -n 20 >&2 || tail -n 5 "$log" >&2
	exit 1
fi
echo "$folder/modules/ratelimit.so"
