#!/usr/bin/env bash
# Tries the embedded store under other SAPIs, in the tree of Debian 12: matrix/sapi.sh [NAME ...]
#
#   apache  Apache (prefork) with mod_php      cgi    php-cgi as a FastCGI server with three children
#   uwsgi   uWSGI with its php plugin          embed  a program that embeds PHP and forks
#
# Of 60 calls by 8 clients at once a limit of 20 must admit 20; a worker that is killed must block none; the log must be clean.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/matrix/tree.sh

[ $# -gt 0 ] || set -- apache cgi uwsgi embed
if [ "$1" != --inside ]; then
	make_tree bookworm apache2 libapache2-mod-php php-cgi libfcgi-bin uwsgi-core uwsgi-plugin-php libphp-embed curl >"$cache/bookworm.log" 2>&1 ||
		{ tail -n 5 "$cache/bookworm.log" >&2; exit 1; }
	copy_inside bookworm
	inside bookworm env CC=gcc /srv/ratelimit/scripts/matrix/sapi.sh --inside "$@"
	exit
fi

if [ $# -gt 2 ]; then
	shift
	for name; do
		scripts/matrix/sapi.sh --inside "$name"
	done
	exit
fi
name=$2
folder=/srv/sapi
port=$((20000 + RANDOM % 20000))
rm -rf $folder
mkdir -p $folder/root
# Each run has a tree of its own: a module of it is this run's.
[ -f /srv/ratelimit/built ] || { rm -rf /srv/build && OUT=/srv/build scripts/build.sh >/dev/null && touch /srv/ratelimit/built; }
cat >$folder/php.ini <<-INI
	extension=/srv/build/modules/ratelimit.so
	ratelimit.shm_path=private
	log_errors=1
	error_log=$folder/errors
INI
cat >$folder/root/call.php <<'PHP'
<?php echo FrequencyLimit::doHandle('sapi', 1, 3600, 20) ? 'passed' : 'refused', ' ', getmypid(), "\n";
PHP
chmod -R a+rX /srv/build $folder
chmod a+rwx $folder

# ask: one call; pids: the processes that may be killed
case $name in
	apache)
		cat >$folder/apache.conf <<-CONF
			ServerName localhost
			Listen 127.0.0.1:$port
			PidFile $folder/apache.pid
			ErrorLog $folder/apache.log
			LoadModule mpm_prefork_module /usr/lib/apache2/modules/mod_mpm_prefork.so
			LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
			LoadModule dir_module /usr/lib/apache2/modules/mod_dir.so
			LoadModule php_module /usr/lib/apache2/modules/libphp8.2.so
			User www-data
			Group www-data
			StartServers 3
			MinSpareServers 3
			DocumentRoot $folder/root
			PHPIniDir $folder
			<FilesMatch \.php$>
				SetHandler application/x-httpd-php
			</FilesMatch>
		CONF
		start() { APACHE_RUN_DIR=$folder apache2 -f $folder/apache.conf -k start; }
		stop() { apache2 -f $folder/apache.conf -k stop; }
		restart() { apache2 -f $folder/apache.conf -k graceful; }
		ask() { curl -sS --retry 3 --retry-connrefused "http://127.0.0.1:$port/call.php"; }
		;;
	cgi)
		start() {
			cd $folder
			PHP_FCGI_CHILDREN=3 PHP_FCGI_MAX_REQUESTS=0 php-cgi -n -c $folder/php.ini -b $folder/sock 2>>$folder/errors &
			echo $! >$folder/pid
		}
		stop() { kill "$(cat $folder/pid)"; wait || true; }
		restart() { stop; start; }
		ask() { REQUEST_METHOD=GET SCRIPT_FILENAME=$folder/root/call.php cgi-fcgi -bind -connect $folder/sock | tail -n 1; }
		;;
	uwsgi)
		start() {
			uwsgi --plugins-dir /usr/lib/uwsgi/plugins --plugin php --master --processes 3 --http-socket "127.0.0.1:$port" --http-socket-modifier1 14 \
				--php-docroot $folder/root --php-ini $folder/php.ini --pidfile $folder/pid --uid www-data --gid www-data \
				--daemonize $folder/uwsgi.log
		}
		stop() { kill -QUIT "$(cat $folder/pid)"; }
		restart() { kill -HUP "$(cat $folder/pid)"; }
		ask() { curl -sS --retry 3 --retry-connrefused "http://127.0.0.1:$port/call.php"; }
		;;
	embed)
		cat >$folder/embed.c <<'C'
#include <sapi/embed/php_embed.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Eight children make 60 calls; one is killed before. Then the program starts PHP again. */
static void children(char *code)
{
	for (int i = 0; i < 9; i++) {
		if (fork() == 0) {
			if (i == 8) {
				zend_eval_string("FrequencyLimit::peek('sapi', 1, 3600, 20);", NULL, "embed");
				kill(getpid(), SIGKILL);
			}
			for (int call = i; call < 60; call += 8) {
				zend_eval_string(code, NULL, "embed");
			}
			_exit(0);
		}
	}
	while (wait(NULL) > 0) {
	}
}

int main(int argc, char **argv)
{
	char code[] = "file_put_contents('php://stdout', FrequencyLimit::doHandle('sapi', 1, 3600, 20) ? \"passed\\n\" : \"refused\\n\");";

	setenv("PHP_INI_SCAN_DIR", "", 1);
	php_embed_module.php_ini_path_override = "/srv/sapi/php.ini";
	for (int round = 0; round < 2; round++) {
		if (php_embed_init(argc, argv) != SUCCESS) {
			return 1;
		}
		children(code);
		php_embed_shutdown();
	}
	return 0;
}
C
		# shellcheck disable=SC2046
		gcc -w $(php-config --includes) -I"$(php-config --include-dir)" -o $folder/embed $folder/embed.c -L/usr/lib -lphp8.2
		$folder/embed >$folder/calls
		passed=$(grep -c '^passed' $folder/calls)
		refused=$(grep -c '^refused' $folder/calls)
		# A second start of PHP has a segment of its own.
		[ "$passed $refused" = '40 80' ] || { echo "matrix/sapi.sh: embed: $passed passed, $refused refused, not 40 and 80" >&2; exit 1; }
		[ ! -s $folder/errors ] || { cat $folder/errors >&2; exit 1; }
		echo "== embed: twice 20 of 60 passed"
		exit
		;;
	*) echo "matrix/sapi.sh: no SAPI '$name'" >&2; exit 2 ;;
esac

fail() {
	echo "matrix/sapi.sh: $name: $*" >&2
	cat $folder/errors $folder/*.log 2>/dev/null | tail -n 10 >&2
	exit 1
}
ready() {

	for _ in $(seq 100); do
		if ask 2>/dev/null | grep -E '^(passed|refused) [0-9]+'; then
			return 0
		fi
		sleep 0.1
	done
	return 1
}
export -f ask
export folder port

start
trap 'stop >/dev/null 2>&1 || true' EXIT
first=$(ready) || fail 'the server does not answer'
[ "${first% *}" = passed ] || fail "the first call: $first"
seq 59 | xargs -P 8 -I{} bash -c ask >$folder/calls
passed=$(($(grep -c '^passed' $folder/calls) + 1))
[ "$passed" -eq 20 ] || fail "$passed of 60 passed, not 20"
workers=$(awk '{ print $2 }' $folder/calls | sort -u | wc -l)
kill -9 "$(ask | awk '{ print $2 }')"
for _ in 1 2 3 4 5 6; do
	answer=$(ready) || fail 'no answer after a kill'
	[ "${answer% *}" = refused ] || fail "after a kill: $answer"
done
restart
after=$(ready) || fail 'no answer after a restart'
stop
trap - EXIT
! grep -v 'exit signal Killed' $folder/errors 2>/dev/null | grep . || fail 'the log has messages'
echo "== $name: 20 of 60 passed by $workers workers, a killed worker blocks none, after a restart: ${after% *}"
