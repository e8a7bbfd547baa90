#!/usr/bin/env bash
# Runs PHPT with a module that scripts/build-copy.sh has built: phpt.sh <its folder> [tests ...]
# PHP names the interpreter; TEST_PHP_ARGS are more options of run-tests.php, which reads them itself.
set -euo pipefail

folder=$(cd "${1:?phpt.sh: the folder of a build}" && pwd)
shift
cd "$folder"
php=$(command -v "${PHP:-php}")

# No php.ini of a distribution; the module by its path, so that a test's child processes find it too.
export NO_INTERACTION=1 REPORT_EXIT_STATUS=1 TEST_PHP_EXECUTABLE=$php
exec "$php" -n run-tests.php -n -q -j"${JOBS:-2}" --show-diff -d "extension=$folder/modules/ratelimit.so" \
	"${@:-tests}"
