#!/bin/sh
# Builds the Debian package for the PHP of this machine: packaging/deb.sh [FOLDER]
#
# FOLDER (default: out/deb) gets the .deb; the checkout stays as it is. dpkg-buildpackage names the packages that it
# requires. The folder "debian" is not on the top level: a distribution that packages ratelimit brings its own.
set -eu
cd "$(dirname "$0")/.."

folder=${1:-out/deb}
rm -rf "$folder/source"
mkdir -p "$folder/source"
folder=$(cd "$folder" && pwd)
tar --create --exclude=./out --exclude=./.git --exclude=./vendor --exclude=./tests --exclude=./bench . | tar --extract --directory "$folder/source"
cd "$folder/source"
[ ! -f Makefile ] || phpize --clean >/dev/null
find . \( -name '*.lo' -o -name '*.o' -o -name '*.dep' -o -name '*_lua.h' \) -exec rm -f {} +
find . -name .libs -prune -exec rm -rf {} +
cp -R packaging/debian debian
nice dpkg-buildpackage --unsigned-source --unsigned-changes --build=binary >../build.log 2>&1 || {
	tail -n 20 ../build.log >&2
	exit 1
}
cd ..
rm -rf source
ls "$folder"/*.deb
