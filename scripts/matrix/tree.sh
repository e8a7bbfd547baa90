# The file systems of other Debian suites, for scripts/matrix*.sh; sourced, not run.
#
# $cache keeps them. DEBIAN_MIRROR: default: the mirror of this machine's apt.
# shellcheck shell=bash

cache=${RATELIMIT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ratelimit}
mirror=${DEBIAN_MIRROR:-$(apt-cache policy 2>/dev/null | sed -n 's/^ *[0-9]* \(http[^ ]*\/debian\) .*/\1/p' | head -n 1)}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

# Prints the names of a suite's PHP packages.
php_packages() {
	case $1 in
		sid) echo php8.5-cli php8.5-dev php8.5-fpm ;;
		*) echo php-cli php-dev php-fpm ;;
	esac
}

# Runs a command inside the tree of a suite, with a process and a mount namespace: no process outlives it.
inside() { # suite, command ...
	local tree=$cache/$1
	shift
	unshare --mount --pid --fork sh -c '
		mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && exec chroot "$0" "$@"' "$tree" "$@"
}

# Makes the tree of a suite once, with what compiles and tests the extension, and adds packages to it.
make_tree() { # suite, packages ...
	local suite=$1 tree=$cache/$1
	shift
	[ "$(id -u)" -eq 0 ] || { echo "matrix.sh: only root can set up $suite" >&2; return 1; }
	if [ ! -f "$tree/.complete" ]; then
		command -v debootstrap >/dev/null || { echo "matrix.sh: debootstrap is missing" >&2; return 1; }
		: "${mirror:?matrix.sh: no Debian mirror among the sources of apt: set DEBIAN_MIRROR}"
		[ -x "$tree/usr/bin/apt-get" ] || nice debootstrap --variant=minbase "$suite" "$tree" "$mirror" || return 1
		cp /etc/resolv.conf "$tree/etc/resolv.conf"
		# A package must not start its server.
		printf '#!/bin/sh\nexit 101\n' >"$tree/usr/sbin/policy-rc.d"
		chmod +x "$tree/usr/sbin/policy-rc.d"
		if [ "$suite" = sid ]; then
			echo "deb $mirror experimental main" >"$tree/etc/apt/sources.list.d/experimental.list"
			# A mirror may be older than the release files allow; signatures are still checked.
			echo 'Acquire::Check-Valid-Until "false";' >"$tree/etc/apt/apt.conf.d/90-lagging-mirror"
		fi
		inside "$suite" apt-get -qq update || return 1
		# shellcheck disable=SC2046
		install_inside "$suite" $(php_packages "$suite") libhiredis-dev libssl-dev openssl gcc clang libc6-dev make pkgconf procps \
			redis-server tzdata valgrind || return 1
		touch "$tree/.complete"
	fi
	[ $# -eq 0 ] || install_inside "$suite" "$@"
}

install_inside() { # suite, packages ...
	local suite=$1
	shift
	inside "$suite" env DEBIAN_FRONTEND=noninteractive nice apt-get install -y -qq --no-install-recommends "$@"
}

# Copies the checkout, without results of a build, to srv/ratelimit of a tree.
copy_inside() { # suite
	rm -rf "$cache/$1/srv/ratelimit"
	mkdir -p "$cache/$1/srv/ratelimit"
	tar --create --exclude=./out --exclude=./.git --exclude=./vendor --exclude='*.lo' --exclude='*.o' --exclude='*.dep' --exclude=.libs . |
		tar --extract --directory "$cache/$1/srv/ratelimit"
}
