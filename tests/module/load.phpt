--TEST--
The extension loads and unloads without output, and --ri describes it
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';

same([0, ''], run_php(';', ['display_startup_errors' => '1', 'display_errors' => '1']), 'starting and ending prints nothing');
[$exit, $text] = run_command(php_command([], ['--ri', 'ratelimit']));
same(0, $exit, '--ri');
foreach (['hiredis', 'ratelimit.store', 'ratelimit.prefix', 'ratelimit.shm_size', 'ratelimit.shm_path',
	'ratelimit.on_failure', 'ratelimit.testing', 'ratelimit.attributes', 'ratelimit.trusted_proxies', 'ratelimit.ipv6_prefix', phpversion('ratelimit')] as $word) {
	ok(str_contains($text, $word), "--ri tells $word");
}
done();
?>
--EXPECT--
done
