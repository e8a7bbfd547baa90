#!/bin/sh
# Writes the manual page of the command, whose --help is its text: manpage.sh TEXT
set -eu

first=$(printf '%s\n' "$1" | sed -n 1p)
cat <<PAGE
.TH RATELIMIT 1 "" "ratelimit $(sed -n 's/^#define PHP_RATELIMIT_VERSION "\(.*\)"/\1/p' php_ratelimit.h)" "User Commands"
.SH NAME
ratelimit \\- ${first#ratelimit: }
.SH SYNOPSIS
.B ratelimit
.I COMMAND
.RI [ ARGUMENT " ...]"
.SH DESCRIPTION
.nf
PAGE
# A line may begin with a dot, and a hyphen is a minus that can be copied.
printf '%s\n' "$1" | sed -e 1,2d -e 's/\\/\\e/g' -e 's/-/\\-/g' -e 's/^\./\\\&./' -e 's/…/.../g'
echo .fi
