#!/usr/bin/env bash
# Runs the linters: lint.sh [shell] [lua] [tidy]
#
#   shell   shellcheck over all shell scripts (.shellcheckrc)
#   lua     luacheck over the Lua scripts, joined as the build joins them (.luacheckrc)
#   tidy    clang-tidy over src (.clang-tidy, scripts/tidy-baseline.txt); takes some minutes
#
# Without an argument: shell and lua. Exit status: 0 clean, 1 findings, 2 a tool is not installed. JOBS: processes of
# clang-tidy (default: the number of processors). PHP_CONFIG: of the PHP whose headers clang-tidy reads.
set -euo pipefail
cd "$(dirname "$0")/.."

temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

need() { # program, package
	command -v "$1" >/dev/null || {
		echo "lint.sh: $1 is not installed: apt-get install $2" >&2
		exit 2
	}
}

lint_shell() {
	need shellcheck shellcheck
	local files
	mapfile -t files < <(find scripts tests bench packaging bin src packages .ci -type f \( -name '*.sh' -o -path .ci/run \) -not -path '*/vendor/*' | sort)
	# run-tests.php leaves a .sh beside a test that failed.
	mapfile -t files < <(for file in "${files[@]}"; do [ -f "${file%.sh}.phpt" ] || echo "$file"; done)
	shellcheck --external-sources "${files[@]}"
	# Under "pipefail" a grep that ends at its first match fails the pipeline now and then: its writer gets SIGPIPE.
	if grep -nE '[^|]\| grep -[a-zA-Z]*q' "${files[@]}"; then
		echo "lint.sh: replace a pipe into grep -q by grep >/dev/null, which reads to the end" >&2
		return 1
	fi
}

lint_lua() {
	need luacheck lua-check
	cat src/redis/lua/limiter/*.lua >"$temporary/limiter.lua"
	luacheck --quiet --no-color --config .luacheckrc src/redis/lua/counter.lua "$temporary/limiter.lua"
}

lint_tidy() {
	need clang-tidy clang-tidy
	local folder=$temporary includes files
	mkdir -p "$folder/src/redis"
	sh src/redis/lua/embed.sh rl_redis_counter_lua "$folder/src/redis/counter_lua.h" src/redis/lua/counter.lua
	sh src/redis/lua/embed.sh rl_redis_limiter_lua "$folder/src/redis/limiter_lua.h" src/redis/lua/limiter/*.lua
	read -ra includes <<<"$("${PHP_CONFIG:-php-config}" --includes) $(pkg-config --cflags hiredis)"
	mapfile -t files < <(find src ratelimit.c -name '*.c' | sort)
	mkdir "$folder/reports"
	export REPORTS=$folder/reports
	# A file, then the compiler's options: each report goes into a file of its own.
	printf '%s\0' "${files[@]}" | xargs -0 -I FILE -P "${JOBS:-$(nproc)}" sh -c '
		report=$REPORTS/$(echo "$1" | tr / -)
		file=$1
		shift
		nice clang-tidy --quiet "$file" -- "$@" >"$report" 2>/dev/null' tidy FILE \
		-std=gnu11 -D_GNU_SOURCE -DCOMPILE_DL_RATELIMIT=1 -DHAVE_RATELIMIT_TLS=1 -DZEND_ENABLE_STATIC_TSRMLS_CACHE=1 \
		-I. -I"$folder/src/redis" "${includes[@]}" || true
	judge "$folder/reports"
}

# Prints the reports that the baseline does not have. One header's report comes once for each file that includes it.
judge() { # folder of reports
	local reports found
	reports=$(cat "$1"/* | sed -n "s|^$PWD/||; s|^\([^:]*\):\([0-9]*\):[0-9]*: [a-z]*: \(.*\) \[\([^]]*\)\]\$|\1 \4 line \2: \3|p" | sort -u)
	found=$(awk 'NR == FNR {known[$1 " " $2] = 1; next} NF && !(($1 " " $2) in known)' scripts/tidy-baseline.txt - <<<"$reports")
	[ -z "$found" ] || echo "$found"
	echo "lint.sh: $(grep -c . <<<"$found" || true) findings, $(grep -c . <<<"$reports" || true) reports in $(find "$1" -type f | wc -l) files"
	[ -z "$found" ]
}

[ $# -gt 0 ] || set -- shell lua
for linter; do
	case $linter in
		shell | lua | tidy) "lint_$linter" ;;
		*) echo "lint.sh: no linter '$linter' (there are: shell lua tidy)" >&2; exit 2 ;;
	esac
done
