#!/bin/sh
# Turns Lua files into one C string: embed-lua.sh NAME OUTPUT FILE...
#
# The files are joined in the order given. Comment lines and indentation stay out, so that Redis need not keep them; the
# lines stay, so that an error's line number can be found. POSIX sh and sed: users build with nothing more.
set -eu

name=$1
output=$2
shift 2

temporary=$output.$$
trap 'rm -f "$temporary"' EXIT

{
	echo "/* Made by scripts/embed-lua.sh: edit the .lua files instead. */"
	echo "static const char $name[] ="
	sed -e 's/^[[:space:]]*//' -e 's/[[:space:]]*$//' -e 's/^--.*//' -e 's/\\/\\\\/g' -e 's/"/\\"/g' \
		-e 's/.*/"&\\n"/' "$@"
	echo ";"
} > "$temporary"
mv -f "$temporary" "$output"
