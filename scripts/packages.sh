#!/usr/bin/env bash
# Tests the Composer packages in packages/ against a built module: packages.sh [generate [folder] | prepare | test <package> | list]
#
#   generate  writes what the packages have beside their committed files: the polyfill's Lua scripts and the IDE stub's
#             ratelimit.php; into a folder of packages (default: packages)
#   prepare   copies the packages to $OUT/packages, generates there, and installs their dependencies from Packagist, all at once
#   test      runs a prepared package's own tests (vendor/bin/phpunit), with the module loaded. RATELIMIT_SO names it, too
#   list      prints the names of the packages
#
# Without an argument it prepares and tests all of them. Exit status 2: skipped, the reason is the last line on stderr (there
# is no Composer, no network, or no extension that PHPUnit requires). A package is a folder with composer.json, src, tests and phpunit.xml.dist.
#
# OUT: the folder of the copies (default: out/composer), with links to the repository's files around them. MODULE: the built module (default: modules/ratelimit.so). PHP: the
# interpreter. PACKAGE_DEADLINE: seconds for one package's tests (default: 300).
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD
out=$(realpath -m "${OUT:-out/composer}")
php=$(command -v "${PHP:-php}") || { echo "packages.sh: PHP is missing" >&2; exit 1; }

generate() { # folder of packages
	local polyfill=$1/polyfill/resources stub=$1/ide-stub/ratelimit.php
	mkdir -p "$polyfill" "$1/ide-stub"
	sh src/redis/lua/embed.sh '' "$polyfill/counter.lua" src/redis/lua/counter.lua
	sh src/redis/lua/embed.sh '' "$polyfill/limiter.lua" src/redis/lua/limiter/*.lua
	"$php" -n packages/ide-stub.php >"$stub.new"
	"$php" -n -l "$stub.new" >/dev/null
	mv "$stub.new" "$stub"
}

list() {
	for manifest in packages/*/composer.json; do
		[ -e "$manifest" ] && basename "$(dirname "$manifest")"
	done
}

# Installs a package's dependencies and writes its status. The module may not be built yet.
install_one() { # package
	local log="$out/$1.install.log" code=0
	(cd "$out/packages/$1" && "$php" -d error_reporting=8191 "$(command -v composer)" install --no-interaction --no-progress --prefer-dist \
		--ignore-platform-req='ext-*') >"$log" 2>&1 || code=$?
	if [ "$code" -eq 0 ]; then
		echo ready >"$out/$1.status"
	elif grep -qiE 'curl error|could not resolve|could not be downloaded|could not connect|connection (refused|timed out)|network is unreachable|failed to open stream' "$log"; then
		echo "Packagist cannot be reached: $(grep -iEm 1 'curl error|resolve|download|connect|network|stream' "$log" | sed 's/^ *//' | cut -c1-160)" >"$out/$1.status"
	else
		echo failed >"$out/$1.status"
	fi
}

prepare() {
	local package pids=()
	if ! command -v composer >/dev/null; then
		echo "Composer is not installed" >&2
		exit 2
	fi
	if [[ $("$php" -m) != *dom*mbstring*xmlwriter* ]]; then
		echo "PHP lacks dom, mbstring or xmlwriter, which PHPUnit requires" >&2
		exit 2
	fi
	rm -rf "$out"
	mkdir -p "$out"
	cp -r packages "$out/packages"
	generate "$out/packages"
	ln -s "$root"/{ratelimit.stub.php,src,tests,scripts} "$out/"
	for package in $(list); do
		rm -rf "$out/packages/$package/vendor" "$out/packages/$package/composer.lock"
		install_one "$package" &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid"
	done
}

test_one() { # package
	local status module ini
	status=$(cat "$out/$1.status" 2>/dev/null || echo "packages.sh prepare has not run")
	if [ "$status" = failed ]; then
		tail -n 30 "$out/$1.install.log" >&2
		exit 1
	elif [ "$status" != ready ]; then
		echo "$status" >&2
		exit 2
	fi
	module=$(realpath "${MODULE:-modules/ratelimit.so}")
	ini=$out/$1.ini
	mkdir -p "$ini"
	# Tests start other processes of PHP: a folder of settings reaches them all. The empty part is PHP's own folder.
	# The polyfill's tests have a PHP without the module, and start another one with it.
	if [ "$1" != polyfill ]; then
		# Servers and commands that the tests start have counts of their own, not those of all PHP processes of this user.
		printf 'extension=%s\nratelimit.shm_path=private\n' "$module" >"$ini/ratelimit.ini"
	fi
	cd "$out/packages/$1"
	RATELIMIT_SO=$module PHP_INI_SCAN_DIR=":$ini" timeout -k 10 "${PACKAGE_DEADLINE:-300}" \
		"$php" vendor/bin/phpunit --no-progress --display-skipped || exit 1
}

case ${1:-all} in
	list) list ;;
	generate) generate "${2:-packages}" ;;
	prepare) prepare ;;
	test) test_one "${2:?packages.sh: the package is missing}" ;;
	all)
		code=0
		prepare
		for package in $(list); do
			printf '\n== %s\n' "$package"
			(test_one "$package") || code=1
		done
		exit "$code"
		;;
	*)
		echo "packages.sh: $1 is none of generate, prepare, test, list" >&2
		exit 1
		;;
esac
