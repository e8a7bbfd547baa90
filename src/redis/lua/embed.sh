#!/bin/sh
# Joins Lua files, in the order given, into one C string: embed.sh NAME OUTPUT FILE... An empty NAME: into one Lua script.
#
# It removes comment lines and indentation, so that Redis does not store them. It keeps each line: the output's first
# comment lists the lines of each file, by which the line of an error ("user_script:890:") is found. It needs no more than
# POSIX sh and sed, because every user runs it during the build.
set -eu

name=$1
output=$2
shift 2

temporary=$output.$$
trap 'rm -f "$temporary"' EXIT

join() {
	sed -e 's/^[[:space:]]*//' -e 's/[[:space:]]*$//' -e 's/^--.*//' "$@"
}

c_string() {
	echo "/* Made by src/redis/lua/embed.sh: edit the .lua files instead. Lines of the script, and their files:"
	echo " *"
	first=1
	for file in "$@"; do
		last=$((first + $(wc -l < "$file") - 1))
		echo " *   $first-$last  ${file##*src/redis/lua/}"
		first=$((last + 1))
	done
	echo " */"
	echo "static const char ${name}[] ="
	join "$@" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/'
	echo ";"
}

if [ -n "$name" ]; then
	c_string "$@" > "$temporary"
else
	join "$@" > "$temporary"
fi
mv -f "$temporary" "$output"
