#!/bin/sh
# Joins Lua files, in the order given, into one C string: embed-lua.sh NAME OUTPUT FILE...
#
# It removes comments and indentation, so that Redis does not store them. It keeps each line, so that the line number of an
# error can be found. It needs no more than POSIX sh and sed, because every user runs it during the build.
set -eu

name=$1
output=$2
shift 2

temporary=$output.$$
trap 'rm -f "$temporary"' EXIT

{
	echo "/* Made by scripts/embed-lua.sh: edit the .lua files instead. */"
	echo "static const char ${name}[] ="
	sed -e 's/^[[:space:]]*//' -e 's/[[:space:]]*$//' -e 's/^--.*//' -e 's/\\/\\\\/g' -e 's/"/\\"/g' \
		-e 's/.*/"&\\n"/' "$@"
	echo ";"
} > "$temporary"
mv -f "$temporary" "$output"
