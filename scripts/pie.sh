#!/usr/bin/env bash
# Installs the release archive of HEAD with PIE from a path, and uninstalls it: PIE=<bin/pie or pie.phar> scripts/pie.sh
#
# As root, on Debian's folders of PHP, which a private mount namespace overlays: the machine's own installation does not
# change. Exit status 2: skipped, the reason is the last line on stderr.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
	echo "$*" >&2
	exit 2
}
pie=${PIE:-$(command -v pie || true)}
[ -n "$pie" ] || skip "PIE names no program of PIE (php/pie on Packagist)"
unshare --mount true 2>/dev/null || skip "unshare cannot make a mount namespace here: root is required"
[ -d /etc/php ] || skip "PHP's settings are not in /etc/php, as Debian has them"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/source" "$work/home"
git archive HEAD | tar --extract --directory "$work/source"

export PIE_PROGRAM=$pie PIE_SOURCE=$work/source PIE_WORK=$work HOME=$work/home
unshare --mount bash -euo pipefail -c '
	mkdir "$PIE_WORK/overlay"
	mount -t tmpfs none "$PIE_WORK/overlay"
	for folder in usr/bin usr/lib/php etc/php var/lib/php; do
		mkdir -p "$PIE_WORK/overlay/$folder/upper" "$PIE_WORK/overlay/$folder/work"
		mount -t overlay overlay -o "lowerdir=/$folder,upperdir=$PIE_WORK/overlay/$folder/upper,workdir=$PIE_WORK/overlay/$folder/work" "/$folder"
	done
	cd "$PIE_WORK"
	php "$PIE_PROGRAM" repository:add path "$PIE_SOURCE"
	php "$PIE_PROGRAM" install "ratelimit/ratelimit:*@dev"
	answers=$(php -r "echo json_encode([FrequencyLimit::doHandle(\"pie\", 1, 60, 1), FrequencyLimit::doHandle(\"pie\", 1, 60, 1)]);")
	[ "$answers" = "[true,false]" ] || { echo "pie.sh: the installed extension answers $answers" >&2; exit 1; }
	ratelimit --version
	php "$PIE_PROGRAM" uninstall ratelimit/ratelimit
	[[ $(php -m) != *ratelimit* ]] || { echo "pie.sh: the extension is loaded after its removal" >&2; exit 1; }
'
echo "pie.sh: installed, loaded and removed"
