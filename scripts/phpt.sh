#!/usr/bin/env bash
# Runs PHPT with a module that scripts/build-copy.sh has built: phpt.sh <folder of the build> [tests ...]
# PHP names the interpreter. run-tests.php reads TEST_PHP_ARGS, further options, itself.
set -euo pipefail

folder=$(cd "${1:?phpt.sh: the folder of the build is missing}" && pwd)
shift
cd "$folder"
php=$(command -v "${PHP:-php}")

# run-tests.php ends a test after a minute, which a loaded machine may need.
export TEST_TIMEOUT=${TEST_TIMEOUT:-600}
# No php.ini of a distribution applies. The module has an absolute path, so that child processes of a test find it.
export NO_INTERACTION=1 REPORT_EXIT_STATUS=1 TEST_PHP_EXECUTABLE=$php
# run-tests.php gives each worker 32 tests at a time: its last ones would run alone. Here it gives one, or two. It waits 5 seconds for a worker to start, which an
# emulated machine exceeds.
sed 's/\$shuffle ? 4 : 32/1/; s/stream_socket_accept(\$listenSock, 5)/stream_socket_accept($listenSock, 60)/' run-tests.php >run-tests-$$.php
mv run-tests-$$.php run-tests-by-one.php
# Each test has counts of its own, not those of all PHP processes of this user.
exec "$php" -n run-tests-by-one.php -n -q -j"${JOBS:-2}" --show-diff -d "extension=$folder/modules/ratelimit.so" \
	-d ratelimit.shm_path=private \
	"${@:-tests}"
