PHP_ARG_ENABLE([ratelimit],
  [whether to enable ratelimit],
  [AS_HELP_STRING([--enable-ratelimit],
    [Enable ratelimit, a rate limiter on shared memory or Redis])],
  [yes])

PHP_ARG_WITH([ratelimit-tls],
  [whether ratelimit supports TLS to Redis],
  [AS_HELP_STRING([[--with-ratelimit-tls]],
    [ratelimit: TLS to Redis with OpenSSL; default: if found])],
  [auto],
  [no])

PHP_ARG_ENABLE([ratelimit-dev],
  [whether to build ratelimit for development],
  [AS_HELP_STRING([--enable-ratelimit-dev],
    [ratelimit: enable warnings, as errors])],
  [no],
  [no])

PHP_ARG_WITH([ratelimit-sanitizer],
  [whether to build ratelimit with sanitizers],
  [AS_HELP_STRING([[--with-ratelimit-sanitizer=LIST]],
    [ratelimit: -fsanitize=LIST, for example address,undefined])],
  [no],
  [no])

if test "$PHP_RATELIMIT" != "no"; then

  dnl The embedded store swaps 16 bytes by one instruction (src/shm/segment/atomic128.h). The compiler decides, not the machine:
  dnl both a cross build and a 32-bit system on a 64-bit kernel differ from it.
  AC_MSG_CHECKING([whether ratelimit supports this processor])
  AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#if !(defined(__x86_64__) || defined(__aarch64__)) || !defined(__LP64__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
# error "ratelimit supports x86-64 and aarch64"
#endif
  ]])], [AC_MSG_RESULT([yes])], [
    AC_MSG_RESULT([no])
    AC_MSG_ERROR([ratelimit supports x86-64 and aarch64 (64-bit, little-endian) only, and this build is for $host_cpu: its shared memory needs a 16-byte compare-and-swap. Use a 64-bit PHP on such a processor])
  ])

  dnl hiredis, without PKG_CHECK_MODULES: a machine without pkg-config may lack that macro.
  AC_PATH_PROG([PKG_CONFIG], [pkg-config], [no])
  ratelimit_install="install it with: apt-get install pkg-config libhiredis-dev (Debian, Ubuntu), apk add pkgconf hiredis-dev (Alpine) or dnf install pkgconf hiredis-devel (Fedora)"
  if test "$PKG_CONFIG" = "no"; then
    AC_MSG_ERROR([ratelimit needs pkg-config to find hiredis: $ratelimit_install])
  fi
  ratelimit_hiredis=`"$PKG_CONFIG" --modversion hiredis 2>/dev/null`
  AC_MSG_CHECKING([for hiredis 0.14 or later])
  if "$PKG_CONFIG" --atleast-version=0.14 hiredis; then
    AC_MSG_RESULT([$ratelimit_hiredis])
  elif "$PKG_CONFIG" --exists hiredis; then
    AC_MSG_RESULT([$ratelimit_hiredis])
    AC_MSG_ERROR([ratelimit needs hiredis 0.14 or later, and found version $ratelimit_hiredis: $ratelimit_install])
  else
    AC_MSG_RESULT([no])
    AC_MSG_ERROR([ratelimit needs hiredis, the C client library of Redis: $ratelimit_install])
  fi
  PHP_EVAL_INCLINE([`"$PKG_CONFIG" --cflags-only-I hiredis`])
  dnl The sources include <hiredis/hiredis.h>, and hiredis.pc names the folder "hiredis" only, some as its includedir.
  ratelimit_includedir=`"$PKG_CONFIG" --variable=includedir hiredis | sed 's,/hiredis/*$,,'`
  if test -n "$ratelimit_includedir"; then
    PHP_ADD_INCLUDE([$ratelimit_includedir])
  fi
  PHP_EVAL_LIBLINE([`"$PKG_CONFIG" --libs hiredis`], [RATELIMIT_SHARED_LIBADD])

  dnl TLS (rediss://) uses OpenSSL on the extension's own socket. hiredis only parses replies: it needs no TLS support.
  if test "$PHP_RATELIMIT_TLS" != "no"; then
    ratelimit_openssl=`"$PKG_CONFIG" --modversion openssl 2>/dev/null`
    AC_MSG_CHECKING([for OpenSSL 1.1.1 or later])
    if "$PKG_CONFIG" --atleast-version=1.1.1 openssl; then
      AC_MSG_RESULT([$ratelimit_openssl])
      PHP_EVAL_INCLINE([`"$PKG_CONFIG" --cflags-only-I openssl`])
      PHP_EVAL_LIBLINE([`"$PKG_CONFIG" --libs openssl`], [RATELIMIT_SHARED_LIBADD])
      AC_DEFINE([HAVE_RATELIMIT_TLS], [1], [Define to 1 if ratelimit supports TLS.])
    elif test "$PHP_RATELIMIT_TLS" = "yes"; then
      AC_MSG_RESULT([no])
      AC_MSG_ERROR([ratelimit needs OpenSSL 1.1.1 or later for TLS: install it with: apt-get install libssl-dev (Debian, Ubuntu), apk add openssl-dev (Alpine) or dnf install openssl-devel (Fedora)])
    else
      AC_MSG_RESULT([no: rediss:// and tls=1 will be refused])
    fi
  fi

  PHP_SUBST([RATELIMIT_SHARED_LIBADD])

  dnl The build writes the Lua scripts as headers into src/redis of its own folder, which need not be the sources'.
  ratelimit_cflags="-iquote @ext_builddir@/src/redis -std=gnu11 -fvisibility=hidden -DZEND_ENABLE_STATIC_TSRMLS_CACHE=1"
  dnl Without the table of stubs that calls of PHP and of libc go through: a first decision touches fewer pages of code.
  AX_CHECK_COMPILE_FLAG([-fno-plt], [ratelimit_cflags="$ratelimit_cflags -fno-plt"], [], [-Werror])
  if test "$PHP_THREAD_SAFETY" = "yes"; then
    ratelimit_cflags="$ratelimit_cflags -DRL_THREADS=1"
  fi
  if test "$PHP_RATELIMIT_DEV" != "no"; then
    ratelimit_cflags="$ratelimit_cflags -g -Wall -Wextra -Werror -Wstrict-prototypes -Wno-unused-parameter"
    AX_CHECK_COMPILE_FLAG([-Wshadow=local], [ratelimit_cflags="$ratelimit_cflags -Wshadow=local"], [], [-Werror])
  fi
  if test "$PHP_RATELIMIT_SANITIZER" != "no" && test "$PHP_RATELIMIT_SANITIZER" != "yes"; then
    ratelimit_cflags="$ratelimit_cflags -g -fno-omit-frame-pointer -fsanitize=$PHP_RATELIMIT_SANITIZER -fno-sanitize-recover=undefined"
    LDFLAGS="$LDFLAGS -fsanitize=$PHP_RATELIMIT_SANITIZER"
  fi

  dnl The build includes every .c file in src and in its folders.
  ratelimit_files=`cd PHP_EXT_SRCDIR([ratelimit]) && find src -name '*.c' | sort`
  ratelimit_sources="ratelimit.c `echo $ratelimit_files`"

  PHP_NEW_EXTENSION([ratelimit], [$ratelimit_sources], [$ext_shared],, [$ratelimit_cflags])

  for ratelimit_file in $ratelimit_files; do
    PHP_ADD_BUILD_DIR([$ext_builddir/`dirname $ratelimit_file`])
  done
  PHP_ADD_INCLUDE([$ext_srcdir])
  PHP_ADD_MAKEFILE_FRAGMENT
fi
