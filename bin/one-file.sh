#!/bin/sh
# Writes the command `ratelimit` as one file, to standard output: bin/ratelimit with the classes that it shares with
# ratelimit.php. A copy of that file, or a link to it, works in any folder. `make install` runs this script.
#
#   bin/one-file.sh [PHP]    PHP: the program for the first line; default: /usr/bin/env php
#
# POSIX sh and sed, because users build with nothing more.
set -eu
cd "$(dirname "$0")/.."

echo "#!${1:-/usr/bin/env php}"
sed -e 1d -e '/^exit(main(/,$d' bin/ratelimit
sed -n -e '/^\/\/ ---- Limits as text/,/^\/\/ ---- Access to the page/p' ratelimit.php | sed -e '$d'
sed -n -e '/^exit(main(/,$p' bin/ratelimit
