#!/usr/bin/env bash
# Runs the steps of the packages whose systems cannot be had here, in the tree of Debian 12: matrix/image.sh NAME
#
#   image  packaging/docker/Dockerfile, by buildah, on an image that is made of Debian's packages and named php:8-fpm
#   apk    the functions of packaging/alpine/APKBUILD, with busybox' shell and tools, and Debian's PHP under Alpine's names
#
# Dockerfile.alpine needs Alpine's packages: only its syntax is checked (tests/documents/packages.phpt).
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/matrix/tree.sh

case ${1:?matrix/image.sh: image or apk} in
	image)
		for tool in buildah mmdebstrap; do
			command -v "$tool" >/dev/null || { echo "matrix/image.sh: $tool is missing: apt-get install buildah mmdebstrap" >&2; exit 2; }
		done
		store=$cache/containers
		mkdir -p "$store"
		engine=(buildah --root "$store/root" --runroot "$store/run" --storage-driver vfs)
		# The official image has PHP, its headers, PHP_INI_DIR and apt.
		if ! "${engine[@]}" inspect --type image php:8-fpm >/dev/null 2>&1; then
			nice mmdebstrap --variant=apt --include=php8.2-cli,php8.2-fpm,php8.2-dev,gcc,libc6-dev,make bookworm "$store/php.tar" \
				"deb ${mirror:?matrix/image.sh: set DEBIAN_MIRROR} bookworm main" >"$store/log" 2>&1
			container=$("${engine[@]}" from scratch)
			"${engine[@]}" add "$container" "$store/php.tar" / >/dev/null
			"${engine[@]}" config --env PHP_INI_DIR=/etc/php/8.2/cli --env PHPIZE_DEPS=autoconf "$container"
			"${engine[@]}" commit --rm "$container" php:8-fpm >/dev/null
			rm -f "$store/php.tar"
		fi
		log=$store/build.log
		nice "${engine[@]}" bud --isolation chroot --pull-never --file packaging/docker/Dockerfile --tag ratelimit-check . >"$log" 2>&1 ||
			{ tail -n 15 "$log" >&2; exit 1; }
		base=$("${engine[@]}" from --pull-never php:8-fpm)
		container=$("${engine[@]}" from --pull-never localhost/ratelimit-check)
		trap '"${engine[@]}" rm "$base" "$container" >/dev/null; "${engine[@]}" rmi localhost/ratelimit-check >/dev/null' EXIT
		decided=$("${engine[@]}" run --isolation chroot --volume "$PWD/packaging/debian/tests:/check:ro" "$container" -- php /check/decision.php)
		[ "$decided" = 'true false' ] || { echo "matrix/image.sh: the image decides '$decided'" >&2; exit 1; }
		# The image has no headers beside those that PHP's own image has.
		headers() { "${engine[@]}" run --isolation chroot "$1" -- sh -c "dpkg-query --show --showformat '\${Package}\n' | grep -e '-dev\$' | sort"; }
		added=$(comm -13 <(headers "$base") <(headers "$container"))
		[ -z "$added" ] || { echo "matrix/image.sh: the image has headers: $added" >&2; exit 1; }
		"${engine[@]}" run --isolation chroot "$container" -- sh -c 'test ! -e /tmp/ratelimit && ratelimit check' >>"$log" 2>&1 ||
			{ tail -n 5 "$log" >&2; exit 1; }
		echo "== image: built, decided, without headers"
		;;
	apk)
		make_tree bookworm busybox >"$cache/bookworm.log" 2>&1 || { tail -n 5 "$cache/bookworm.log" >&2; exit 1; }
		copy_inside bookworm
		cat >"$cache/bookworm/srv/check-apk.sh" <<'CHECK'
set -eu
rm -rf /srv/apk
mkdir -p /srv/apk/src /srv/apk/bin
# The tools that embed.sh and one-file.sh use are busybox' ones; configure and make have those of every system.
for tool in sh ash sed wc mv rm cat mkdir chmod grep tr cut; do ln -sf "$(command -v busybox)" /srv/apk/bin/$tool; done
ln -sf "$(command -v phpize)" /srv/apk/bin/phpize84
ln -sf "$(command -v php)" /srv/apk/bin/php84
ln -sf "$(command -v php-config)" /usr/bin/php-config84
export PATH=/srv/apk/bin:$PATH
export srcdir=/srv/apk/src pkgdir=/srv/apk/pkg
. /srv/ratelimit/packaging/alpine/APKBUILD
for name in pkgname pkgver pkgrel pkgdesc url arch license source builddir; do eval "test -n \"\$$name\""; done
rm -rf "$builddir"
cp -R /srv/ratelimit "$builddir"
cd "$builddir"
build
check
package
test -f "$pkgdir$(php-config --extension-dir)/ratelimit.so"
test -x "$pkgdir/usr/bin/ratelimit"
test -f "$pkgdir/etc/php84/conf.d/80_ratelimit.ini"
test "$(php -n -d extension="$pkgdir$(php-config --extension-dir)/ratelimit.so" packaging/debian/tests/decision.php)" = 'true false'
cd "$pkgdir" && find . -type f | sort
CHECK
		inside bookworm busybox ash /srv/check-apk.sh >"$cache/apk.log" 2>&1 || { tail -n 15 "$cache/apk.log" >&2; exit 1; }
		echo "== apk: build, check and package of the APKBUILD ran in busybox ash"
		;;
	*) echo "matrix/image.sh: no row '$1'" >&2; exit 2 ;;
esac
