#!/usr/bin/env bash
# Runs the C tests and PHPT on a whole emulated aarch64 machine: matrix/aarch64.sh [-O0 | -lse]
#
#   (nothing)  Armv8.0 (Cortex-A72): exclusive loads and stores, -O2
#   -O0        the same processor, and a build without optimization
#   -lse       Armv8.2 (Neoverse N1): CASPAL, detected when the module is loaded
#
# The programs come from a cross compiler (gcc-aarch64-linux-gnu), the machine from Debian 12's arm64 packages (mmdebstrap),
# qemu-system-aarch64 emulates it, and its file system is an initrd. qemu emulates the instructions, not the memory order of
# an Arm processor: a missing barrier does not show here.
#
# RATELIMIT_CACHE (default: ~/.cache/ratelimit): the folder of the results. TESTS: the tests (default: folders that need no speed).
# MINUTES: the longest run (default: 90).
set -euo pipefail
cd "$(dirname "$0")/../.."

variant=${1:-}
cache=${RATELIMIT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ratelimit}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
tree=$cache/arm64
build=$cache/aarch64$variant-build
tests=${TESTS:-$(echo tests/do-handle/{ban,changed,comment,illegal,like,numbers,upload}.phpt tests/concurrency/{killed,edges-embedded,exactly}.phpt tests/segment/[!eu]*.phpt tests/monitor/stats.phpt)}
optimize=-O2 processor=cortex-a72
case $variant in
	'') ;;
	-O0) optimize=-O0 ;;
	-lse) processor=neoverse-n1 ;;
	*) echo "matrix/aarch64.sh: no variant '$variant'" >&2; exit 2 ;;
esac
for tool in mmdebstrap qemu-system-aarch64 aarch64-linux-gnu-gcc cpio; do
	command -v "$tool" >/dev/null || {
		echo "matrix/aarch64.sh: $tool is missing: apt-get install mmdebstrap qemu-system-arm gcc-aarch64-linux-gnu cpio" >&2
		exit 2
	}
done

make_tree() {
	local mirror
	mirror=${DEBIAN_MIRROR:-$(apt-cache policy | sed -n 's/^ *[0-9]* \(http[^ ]*\/debian\) .*/\1/p' | head -n 1)}
	rm -rf "$tree"
	nice mmdebstrap --variant=extract --architectures=arm64 \
		--include=php8.2-cli,php8.2-fpm,php8.2-dev,php8.2-opcache,libhiredis-dev,libssl-dev,libc6-dev,redis-server,busybox-static,util-linux,procps,iproute2,openssl,bash,dash,coreutils,sed,grep,findutils,diffutils,linux-image-arm64 \
		bookworm "$tree" "deb ${mirror:?matrix/aarch64.sh: set DEBIAN_MIRROR} bookworm main"
	touch "$tree.complete"
}

# Debian's phpize and php-config of the tree, with the paths of this machine.
php_tools() {
	local tool
	mkdir -p "$cache/arm64-tools"
	for tool in phpize php-config; do
		sed -e "s#'/usr'#'$tree/usr'#; s#\"/usr\"#\"$tree/usr\"#; s#/usr/bin/shtool#$tree&#; s#\"/usr/share/libtool#\"$tree/usr/share/libtool#" \
			-e "s#libtool_version=.*#libtool_version=2.4.7#" "$tree/usr/bin/${tool}8.2" >"$cache/arm64-tools/$tool"
		chmod +x "$cache/arm64-tools/$tool"
	done
}

cross_build() {
	local cc="aarch64-linux-gnu-gcc --sysroot=$tree"
	rm -rf "$build"
	mkdir -p "$build"
	tar --create --exclude=./out --exclude=./.git --exclude=./vendor --exclude='*.lo' --exclude='*.o' --exclude='*.dep' --exclude=.libs . | tar --extract --directory "$build"
	(
		cd "$build"
		export PKG_CONFIG_SYSROOT_DIR=$tree PKG_CONFIG_LIBDIR=$tree/usr/lib/aarch64-linux-gnu/pkgconfig:$tree/usr/share/pkgconfig
		"$cache/arm64-tools/phpize"
		./configure --host=aarch64-linux-gnu --enable-ratelimit-dev --with-php-config="$cache/arm64-tools/php-config" \
			CC="$cc" CFLAGS="-g $optimize"
		make -j"${JOBS:-2}"
		BUILD_ONLY=1 OUT=out/c CC=aarch64-linux-gnu-gcc CFLAGS="--sysroot=$tree -g $optimize" bash tests/c/run.sh
		RATELIMIT_TOOLS=out/tools CC="$cc" PHP_CONFIG=$cache/arm64-tools/php-config sh tests/tools/build.sh
	)
}

# The file system of the machine: the tree without what compiles, and the build.
make_image() {
	local image=$cache/aarch64-image
	rm -rf "$image"
	mkdir "$image"
	tar --create --directory "$tree" --exclude=./boot --exclude=./usr/include --exclude='./usr/share/doc' --exclude=./usr/share/locale \
		--exclude=./usr/share/man --exclude=./var/cache --exclude=./var/lib/apt --exclude=./lib/modules --exclude=./usr/lib/modules --exclude='*.a' \
		--exclude=./usr/lib/gcc --exclude='./usr/lib/*/perl*' . | tar --extract --directory "$image"
	mkdir -p "$image"/{proc,sys,dev,tmp,run,srv,root}
	[ -e "$image/bin/sh" ] || ln -s dash "$image/bin/sh"
	ln -sf php8.2 "$image/usr/bin/php"
	printf 'root:x:0:0::/root:/bin/sh\nwww-data:x:33:33::/:/bin/false\nnobody:x:65534:65534::/:/bin/false\n' >"$image/etc/passwd"
	printf 'root:x:0:\nwww-data:x:33:\nnogroup:x:65534:\n' >"$image/etc/group"
	tar --create --directory "$build" --exclude='*.o' --exclude='*.lo' --exclude=.libs --exclude=./docs --exclude=./bench . \
		| tar --extract --directory "$image/srv"
	cat >"$image/init" <<-INIT
		#!/bin/busybox sh
		export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
		busybox mount -t proc none /proc
		busybox mount -t sysfs none /sys
		busybox mount -t devtmpfs none /dev
		busybox mkdir -p /dev/shm /dev/pts
		busybox mount -t tmpfs none /dev/shm
		busybox mount -t devpts none /dev/pts
		busybox mount -t tmpfs none /tmp
		busybox ip link set lo up
		busybox ln -s /proc/self/fd /dev/fd
		cd /srv
		uname -mr
		# A server needs longer to start here than the tests wait for: Redis is not for this machine.
		export TEST_TIMEOUT=1200 RATELIMIT_TOOLS=/srv/out/tools SKIP_SLOW_TESTS=${SKIP_SLOW_TESTS-1}
		RUN_ONLY=1 TESTS=' ' ALLOC_ROUNDS=${ALLOC_ROUNDS:-2} OUT=/srv/out/c bash tests/c/run.sh
		core=\$?
		TEST_STORE=embedded JOBS=2 PHP=/usr/bin/php8.2 bash scripts/phpt.sh /srv $tests
		echo "machine: C tests \$core, PHPT \$?"
		busybox poweroff -f
	INIT
	chmod +x "$image/init"
	(cd "$image" && find . -print0 | cpio --null --create --format=newc --quiet | gzip -1) >"$cache/aarch64$variant.initrd"
	rm -rf "$image"
}

[ -f "$tree.complete" ] || make_tree >"$cache/arm64.log" 2>&1 || { tail -n 5 "$cache/arm64.log" >&2; exit 1; }
php_tools
# In the background, because "set -e" has no effect in a command that "||" judges.
(set -e; cross_build) >"$build.log" 2>&1 &
wait $! || { grep -E '(error|warning): ' "$build.log" | tail -n 20 >&2; tail -n 5 "$build.log" >&2; exit 1; }
make_image
log=$cache/aarch64$variant.log
nice timeout "${MINUTES:-90}m" qemu-system-aarch64 -M virt -cpu "$processor" -smp 2 -m 4096 -nographic -no-reboot -net none \
	-kernel "$(echo "$tree"/boot/vmlinuz-*)" -initrd "$cache/aarch64$variant.initrd" \
	-append "console=ttyAMA0 quiet rdinit=/init" </dev/null 2>&1 | stdbuf -oL tr '\r' '\n' >"$log" || true
rm -f "$cache/aarch64$variant.initrd"
echo "== aarch64$variant: $processor, $optimize; log: $log"
grep -aE '^(core|usual|store|alloc|reference|segment|liveness|guard|deny-key|stress|stress-with-kills|attack): |^[0-9]+ passed|^FAIL |^Tests (passed|failed|skipped)|^Number of tests|^machine: ' "$log" || tail -n 5 "$log"
grep -aqx 'machine: C tests 0, PHPT 0' "$log"
