PHP_ARG_ENABLE([ratelimit_floor],
  [whether to build the benchmark's call floor],
  [AS_HELP_STRING([--enable-ratelimit-floor], [Build the benchmark's call floor])],
  [yes])

if test "$PHP_RATELIMIT_FLOOR" != "no"; then
  PHP_NEW_EXTENSION([ratelimit_floor], [floor.c least.c], [$ext_shared])
fi
