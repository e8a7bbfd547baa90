--TEST--
A Redis in protected mode is a configuration error with the reason
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
require __DIR__ . '/../tools/network.inc';
needs_redis();
if (!Network::possible()) {
	die('skip there can be no network namespaces here');
}
?>
--FILE--
<?php
require __DIR__ . '/../include/redis.inc';
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../tools/network.inc';

$network = new Network(1);
$redis = new RedisServer(['--bind', $network->server, '--port', '6379', '--protected-mode', 'yes'], within: $network->within('server'));
$ask = function (string $policy) use ($network): string {
	$php = php_command(['ratelimit.store' => with_store_options("redis://$network->server:6379"), 'ratelimit.on_failure' => $policy], ['-r', 'try { echo FrequencyLimit::check("a", 1, 60, 10)->store; }
		catch (FrequencyLimit\StoreException $e) { echo "threw: ", $e->getMessage(); }']);
	return run_command([...$network->within(0), ...$php])[1];
};
foreach (['throw', 'deny'] as $policy) {
	$said = $ask($policy);
	ok(str_contains($said, 'threw: ') && str_contains($said, 'DENIED'), "$policy: $said");
}
ok(str_ends_with($ask('local'), 'local'), 'local');
same('OK', $redis('CONFIG', 'SET', 'protected-mode', 'no'), 'protected-mode');
same('redis', $ask('throw'), 'without it');
done();
?>
--EXPECT--
done
