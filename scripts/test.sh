#!/usr/bin/env bash
# Builds the extension and tests it: scripts/test.sh [all | tests ...]
#
# Installs missing packages (install-deps.sh) and builds in out/test with warnings as errors. Without an argument it runs the PHPT
# tests on both stores, without those that take long or need more than the base packages: tests/README.md lists them. That takes
# five minutes on two processors. Tests that are named run alone. "all" runs everything, as CI does: the linters, the C tests, the
# check of the stub, the tests of the Composer packages, and the PHPT tests: all without opcache; those that opcache, or its tracing JIT, concerns with it,
# on the embedded store; and those of asan.sh under AddressSanitizer. The last line is "N passed, N failed", with ", N skipped" if
# there are any. Each skipped one is listed above with its reason.
#
# OUT: the folder of the build (default: out/test). JOBS: concurrent tests (default: the number of processors; of the short run twice
# as many, because many a test waits).
# SLOW=0: skip the tests that the short run leaves out.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-brief} in
	all | brief) scope=${1:-brief} tests=(tests) ;;
	*) scope=named tests=("$@") ;;
esac
began=$SECONDS
out=$(realpath -m "${OUT:-out/test}")
processors=$(nproc)
jobs=$processors
[ "$scope" != brief ] || jobs=$((2 * processors))
export JOBS=${JOBS:-$jobs} TEST_TIMEOUT=${TEST_TIMEOUT:-300}
passed=0 failed=0 skipped=0
reasons=()

# Prints a title, and notes how long the part before it took.
took=() part=
title() {
	end_part
	part=$1 part_began=$SECONDS
	printf '\n== %s\n' "$1"
}
end_part() {
	[ -z "$part" ] || took+=("$((SECONDS - part_began)) s $part")
	part=
}
summary() {
	end_part
	[ "$scope" = named ] || printf '%s\n' "${took[@]}" | sort -rn | head -n 12
	if [ ${#reasons[@]} -gt 0 ]; then
		title "Skipped"
		printf '%s\n' "${reasons[@]}"
	fi
	[ $((passed + failed)) -gt 0 ] || failed=1
	echo
	if [ "$skipped" -gt 0 ]; then
		echo "$passed passed, $failed failed, $skipped skipped"
	else
		echo "$passed passed, $failed failed"
	fi
	[ "$failed" -eq 0 ]
}
# Runs a command as one test.
step() { # name, command
	title "$1"
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		return 1
	fi
}
# Runs a command as one test; its exit status 2 is a skip, whose reason is its last line on stderr.
step_or_skip() { # name, command
	local name=$1 code=0
	title "$name"
	shift
	"$@" 2>"$out/step.log" || code=$?
	cat "$out/step.log" >&2
	case $code in
		0) passed=$((passed + 1)) ;;
		2) skip "$name" "$(tail -n 1 "$out/step.log")" ;;
		*) failed=$((failed + 1)) ;;
	esac
}
skip() { # name, reason
	skipped=$((skipped + 1))
	reasons+=("$1: $2")
}

if [ "$scope" = brief ]; then
	scripts/install-deps.sh brief
else
	scripts/install-deps.sh test
fi
rm -rf "$out"
mkdir -p "$out"

# The packages' dependencies come while the extension is built and tested.
packages=
if [ "$scope" = all ] && [ -d packages ]; then
	OUT=$out/composer scripts/packages.sh prepare >"$out/packages.log" 2>&1 &
	packages=$!
fi

php --version | head -n 1
step "Build with ${CC:-gcc}, every warning an error" env OUT="$out/build" scripts/build.sh "${CC:-gcc}" || { summary; exit 1; }
if [ "$scope" != brief ]; then
	if [ "${CC:-gcc}" = clang ]; then
		true
	elif command -v clang >/dev/null; then
		step "Build with clang, every warning an error" env OUT="$out/clang" scripts/build.sh clang || true
	else
		skip "Build with clang" "clang is not installed"
	fi
	step_or_skip "The arginfo header matches the stub" scripts/stub.sh --check
	step_or_skip "The C code is formatted" scripts/format.sh --check
	step_or_skip "The shell scripts pass shellcheck" scripts/lint.sh shell
	step_or_skip "The Lua scripts pass luacheck" scripts/lint.sh lua
	if [ -x scripts/prose.sh ]; then
		step_or_skip "The prose follows its rules" scripts/prose.sh
	fi
fi
built=$SECONDS

# The C tests run beside those of the packages: most of both have one process.
c_tests=
if [ "$scope" = all ]; then
	OUT=$out/c JOBS=$(((JOBS + 1) / 2)) bash tests/c/run.sh >"$out/c.log" 2>&1 &
	c_tests=$!
fi

# Runs the PHPT tests in one configuration. The runner's exit status 2 is a skip, whose reason is its last line.
runner=(scripts/phpt.sh "$out/build")
# Says how far the tests are: on a terminal in place, else in a line each half minute.
progress() { # log
	local n i=0
	while sleep 5; do
		i=$((i + 1))
		n=$(tr '\r' '\n' <"$1" 2>/dev/null | grep -aoE '^TEST [0-9]+/[0-9]+' | tail -n 1)
		if [ -t 2 ]; then
			printf '\r%s ' "${n/TEST/tests}" >&2
		elif [ $((i % 6)) -eq 0 ]; then
			echo "${n/TEST/tests}" >&2
		fi
	done
}
phpt() { # name, options of PHP
	local name=$1 log="$out/phpt-${1// /-}.log" code=0 ran
	title "PHPT, $name"
	shift
	local options="--no-color${*:+ $*}" # without a blank at its end, which run-tests.php would take for a test's name
	progress "$log" &
	local watcher=$!
	TEST_PHP_ARGS=$options "${runner[@]}" "${tests[@]}" >"$log" 2>&1 || code=$?
	kill "$watcher" 2>/dev/null || true
	if [ "$code" -eq 2 ]; then
		skip "PHPT, $name" "$(tail -n 1 "$log")"
		return
	fi
	# Prints the failures with their differences, without the progress.
	tr '\r' '\n' <"$log" | sed -E '/^ *$|^[=-]+$|^(PASS|SKIP|TEST [0-9]|TIME |Spawning |Running selected |Tests |Number of tests )|^[A-Za-z_. ]+ +: |^[A-Z_]+: /d'
	count() { sed -nE "s/^Tests $1 *: *([0-9]+).*/\1/p" "$log" | tail -n 1; }
	# A test that neither passed nor was skipped has failed: warned, leaked, borked.
	ran=$(sed -nE 's/^Number of tests : *([0-9]+).*/\1/p' "$log" | tail -n 1)
	local good skips
	good=$(count passed) skips=$(count skipped)
	if [ -z "$ran" ] || [ "${good:-0}" -eq 0 ]; then
		echo "No test passed; the end of $log:"
		tail -n 5 "$log"
		failed=$((failed + 1))
		return
	fi
	echo "$good passed, $((ran - good - skips)) failed, $skips skipped in $(sed -nE 's/^Time taken *: *([0-9]+).*/\1/p' "$log" | tail -n 1) s"
	passed=$((passed + good))
	skipped=$((skipped + skips))
	failed=$((failed + ran - good - skips))
	if [ "$code" -ne 0 ] && [ $((ran - good - skips)) -eq 0 ]; then
		echo "run-tests.php ended with $code"
		failed=$((failed + 1))
	fi
	while IFS= read -r line; do
		reasons+=("$name: $line")
	done < <(tr '\r' '\n' <"$log" | sed -nE 's/^SKIP (.*) \[([^]]*)\] reason: (.*)$/\2: \3/p; s/^PASS (.*) \[([^]]*)\] \(info: (.*)\)$/\2: \3/p')
}

if [ "$packages" ]; then
	code=0
	wait "$packages" || code=$?
	for package in $(scripts/packages.sh list); do
		if [ "$code" -eq 2 ]; then
			skip "The package $package" "$(tail -n 1 "$out/packages.log")"
		else
			step_or_skip "The package $package" env OUT="$out/composer" MODULE="$out/build/modules/ratelimit.so" scripts/packages.sh test "$package"
		fi
	done
fi

if [ "$c_tests" ]; then
	title "The C tests"
	code=0
	wait "$c_tests" || code=$?
	cat "$out/c.log"
	if [[ $(tail -n 1 "$out/c.log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
		passed=$((passed + BASH_REMATCH[1]))
		failed=$((failed + BASH_REMATCH[2]))
		[ "$code" -eq 0 ] || [ "${BASH_REMATCH[2]}" -gt 0 ] || failed=$((failed + 1))
	else
		failed=$((failed + 1))
	fi
fi

# A third-party parser of structured fields, and a checker of accessibility; without them their tests are skipped with the reason.
from_npm() { # name, folder with the package.json
	[ "$scope" != brief ] || return 1
	mkdir -p "$out/$1"
	cp "$2/package.json" "$out/$1/"
	command -v npm >/dev/null && command -v node >/dev/null &&
		npm install --prefix "$out/$1" --no-audit --no-fund >"$out/$1.log" 2>&1
}
! from_npm structured-fields tests/results || export STRUCTURED_FIELDS=$out/structured-fields
! from_npm axe tests/pages || export AXE_CORE=$out/axe/node_modules/axe-core/axe.min.js

# grep -q would end before PHP, and pipefail would make that an error.
has_opcache() { [[ $(php -n "$@" -m 2>/dev/null) == *"Zend OPcache"* ]]; }
opcache=()
has_opcache || opcache=(-d zend_extension=opcache)
if [ "$scope" = brief ] || [ "${SLOW:-1}" = 0 ]; then
	export SKIP_SLOW_TESTS=1
fi
phpt "without opcache"
if [ "$scope" = brief ]; then
	true
elif has_opcache "${opcache[@]}"; then
	# opcache changes the code that calls us, not the C code: one run of the slow tests and of the other store is enough, and
	# segments, deaths, Redis, documents and the page need no second run.
	export SKIP_SLOW_TESTS=1 TEST_STORE=embedded
	calls=(tests/{arguments,attribute,do-handle,permits,results})
	[ "$scope" = named ] || tests=("${calls[@]}" tests/{fpm,module} tests/monitor/{counters,listener}*.phpt)
	phpt "with opcache" "${opcache[@]}" -d opcache.enable_cli=1 -d opcache.jit=disable
	# The JIT compiles calls otherwise again. Servers and settings need no third run.
	[ "$scope" = named ] || tests=("${calls[@]}" tests/conformance tests/random-programs)
	phpt "with the tracing JIT" "${opcache[@]}" -d opcache.enable_cli=1 -d opcache.jit=tracing -d opcache.jit_buffer_size=64M
	unset TEST_STORE
else
	skip "PHPT with opcache, and with its JIT" "opcache is not installed"
fi
if [ "$scope" = all ]; then
	runner=(env OUT="$out/asan" scripts/asan.sh)
	tests=() # asan.sh has the list
	phpt "under AddressSanitizer"
fi

printf '\nInstalled and built in %d s, tested in %d s.\n' $((built - began)) $((SECONDS - built))
summary
