#!/usr/bin/env bash
# Measures the cost of #[AccessLimit]: a function with it, and one without it beside a PHP without the extension.
#
#   bench/attribute.sh            some minutes; prints the table of bench/NOTES.md
#
# ROUNDS: the number of processes of each kind (default 7). The kinds take turns; the smallest figure of each counts.
set -euo pipefail
cd "$(dirname "$0")/.."

out=$PWD/out/attribute
mkdir -p "$out"
module=${MODULE:-$(scripts/build-copy.sh "$out/src")}
opcache=(-d zend_extension=opcache)
[[ $(php -n -m) != *"Zend OPcache"* ]] || opcache=()

run() { # name, options of PHP
	local name=$1
	shift
	php -n "$@" bench/attribute.php >>"$out/$name.jsonl"
	echo >>"$out/$name.jsonl"
}
# The same in a web request, of PHP's own server: the path and the client are those of the request.
run_web() { # name, options of PHP
	local name=$1 address='' server
	shift
	php -n "$@" -S 127.0.0.1:0 bench/attribute.php >"$out/server.log" 2>&1 &
	server=$!
	for ((i = 0; i < 200; i++)); do
		address=$(sed -n 's/.*(\(http:[^)]*\)) started.*/\1/p' "$out/server.log")
		[ -z "$address" ] || break
		sleep 0.05
	done
	php -n -r 'echo file_get_contents($argv[1]), "\n";' "$address/page" >>"$out/$name.jsonl"
	kill "$server"
	wait "$server" || true
}
rm -f "$out"/*.jsonl
for ((round = 0; round < ${ROUNDS:-7}; round++)); do
	for kind in absent off on; do
		case $kind in
			absent) with=() ;;
			off) with=(-d "extension=$module" -d ratelimit.shm_path=private -d ratelimit.attributes=0) ;;
			on) with=(-d "extension=$module" -d ratelimit.shm_path=private) ;;
		esac
		interpreted=("${opcache[@]}" -d opcache.enable_cli=1 -d opcache.file_update_protection=0 -d opcache.jit=disable "${with[@]}")
		traced=("${opcache[@]}" -d opcache.enable_cli=1 -d opcache.file_update_protection=0 -d opcache.jit=tracing -d opcache.jit_buffer_size=64M
			"${with[@]}")
		run "plain-$kind" "${with[@]}"
		run "opcache-$kind" "${interpreted[@]}"
		run "tracing-$kind" "${traced[@]}"
		if [ "$kind" = on ]; then
			run_web plain-on "${with[@]}"
			run_web opcache-on "${interpreted[@]}"
			run_web tracing-on "${traced[@]}"
		fi
	done
done

php -n -r '
	$folder = $argv[1];
	$least = [];
	foreach (["plain", "opcache", "tracing"] as $mode) foreach (["absent", "off", "on"] as $kind)
		foreach (file("$folder/$mode-$kind.jsonl", FILE_IGNORE_NEW_LINES | FILE_SKIP_EMPTY_LINES) as $line)
			foreach (json_decode($line, true) as $name => $ns)
				$least[$name][$mode][$kind] = min($least[$name][$mode][$kind] ?? INF, $ns);
	$show = fn (?float $x): string => $x === null ? "" : ($x < 100 ? sprintf("%.1f", $x) : sprintf("%.0f", $x));
	echo "PHP ", PHP_VERSION, ", ns a call\n\n";
	echo "|  | without opcache | with opcache | tracing JIT |\n|---|---:|---:|---:|\n";
	foreach (["function" => "a function without it", "other attribute" => "one with another attribute", "method" => "a method without it",
			"compiling" => "compiling 3,000 methods, ms"] as $name => $text)
		foreach (["absent" => "without the extension", "off" => "`attributes=0`", "on" => "`attributes=1`"] as $kind => $how)
			echo "| $text, $how | ", implode(" | ", array_map(fn ($mode) => $show($least[$name][$mode][$kind]), ["plain", "opcache", "tracing"])), " |\n";
	foreach (["web" => "a function with it in a web request, by its path", "doHandle" => "`doHandle()` there",
			"admitted" => "a function with it on the command line", "two limits" => "with two of them", "refused" => "refused: exception and Result",
			"by hand" => "`Limiter::consume()` in its place"] as $name => $text)
		echo "| $text | ", implode(" | ", array_map(fn ($mode) => $show($least[$name][$mode]["on"]), ["plain", "opcache", "tracing"])), " |\n";
' "$out"
