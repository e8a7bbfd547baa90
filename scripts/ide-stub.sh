#!/usr/bin/env bash
# Generates packages/ide-stub/ratelimit.php, the stub for IDEs and static analysis, from ratelimit.stub.php.
#
#   scripts/ide-stub.sh           writes the stub
#   scripts/ide-stub.sh --check   fails when the committed one differs from a generated one
set -euo pipefail
cd "$(dirname "$0")/.."

stub=packages/ide-stub/ratelimit.php
new=$(mktemp)
trap 'rm -f "$new"' EXIT
"${PHP:-php}" -n scripts/ide-stub.php >"$new"
"${PHP:-php}" -n -l "$new" >/dev/null
if [ "${1:-}" != --check ]; then
	cp "$new" "$stub"
	chmod 644 "$stub"
	echo "$stub written"
else
	diff -u "$stub" "$new" || {
		echo "ide-stub.sh: $stub does not match ratelimit.stub.php: run scripts/ide-stub.sh" >&2
		exit 1
	}
fi
