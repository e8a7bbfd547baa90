#!/usr/bin/env bash
# Checks that the Chinese pages follow the English ones: scripts/translations.sh [--check | --stamp PAGE ...]
#
# The last line of a Chinese page is a comment with the English page, or one section of it (docs/page.md#its-heading), and the
# beginning of its SHA-256, without the times that scripts/bench.sh writes. So is the last line of ratelimit.zh-CN.ini.
# --check (the default) lists the pages whose English page has changed since, the English pages that are gone, and the pages
# of "translated" that have no Chinese page; its exit status is 1 if there are any. --stamp records the English page as it is
# now: run it after the translation.
set -euo pipefail
cd "$(dirname "$0")/.."

# The pages, or sections of them, that have a Chinese page.
translated=(README.md ratelimit.ini docs/README.md docs/installing.md docs/from-the-article.md docs/recipes.md docs/runbook.md
	docs/operations.md docs/settings.md docs/limiters.md docs/http.md docs/semantics.md#the-counter-dohandle-and-check
	packages/symfony/README.md packages/laravel/README.md packages/psr15/README.md packages/http-client/README.md)

# Prints a page, or one section of the second level.
text_of() { # English page or section
	if [ "${1#*#}" = "$1" ]; then
		sed -E '/<!-- bench:begin -->/,/<!-- bench:end -->/d; /^\| a decision /d; s/<!-- (fast|exact) -->.*<!-- .(fast|exact) -->//' "$1"
	else
		awk -v wanted="${1#*#}" '
			/^## / { name = tolower(substr($0, 4)); gsub(/[^a-z0-9 -]/, "", name); gsub(/ /, "-", name); is_in = name == wanted }
			is_in' "${1%%#*}"
	fi
}
digest() { # English page or section
	text_of "$1" | sha256sum | cut -c1-16
}
comment() { # Chinese page
	sed -nE '$s/^(<!--|;) (\S+) ([0-9a-f]{16})( -->)?$/\2 \3/p' "$1"
}
# The first stamp of a page is that of the whole English page; a section is written into the comment by hand.
english_of() { # Chinese page
	local old
	old=$(comment "$1")
	case $old in
		?*) echo "${old% *}" && return ;;
	esac
	case $1 in
		docs/zh-CN/*) echo "docs/${1#docs/zh-CN/}" ;;
		*) echo "${1/.zh-CN./.}" ;;
	esac
}

if [ "${1:-}" = --stamp ]; then
	shift
	for page in "$@"; do
		english=$(english_of "$page")
		[ -z "$(comment "$page")" ] || sed -i '$d' "$page"
		case $page in
			*.ini) echo "; $english $(digest "$english")" >>"$page" ;;
			*) echo "<!-- $english $(digest "$english") -->" >>"$page" ;;
		esac
	done
	exit
fi
behind=0
found=' '
for page in *.zh-CN.md *.zh-CN.ini docs/zh-CN/*.md packages/*/README.zh-CN.md; do
	read -r english stamp <<<"$(comment "$page")" || true
	found+="$english "
	if [ -z "$english" ]; then
		echo "$page: no comment with its English page: run $0 --stamp $page"
	elif [ ! -f "${english%%#*}" ] || [ -z "$(text_of "$english")" ]; then
		echo "$page: $english is gone"
	elif [ "$(digest "$english")" != "$stamp" ]; then
		echo "$page: $english has changed: translate the change, then run $0 --stamp $page"
	else
		continue
	fi
	behind=1
done
for english in "${translated[@]}"; do
	if [[ $found != *" $english "* ]]; then
		echo "$english: no Chinese page names it in its last line"
		behind=1
	fi
done
exit "$behind"
