--TEST--
The Sentinel user of docs/redis.md has every right that finding the master needs, and no other
--EXTENSIONS--
ratelimit
--INI--
ratelimit.on_failure=throw
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/redis-user.inc';
require __DIR__ . '/../include/topology.inc';
store_options(retry_delay: 1, deny_cache: 0);

$set = new RedisSentinels(1);
$words = documented_user('the sentinels');
$n = 0;
$make = function (array $words) use ($set, &$n): void {
	$words[0] = 'limiter' . ++$n;
	foreach ($set->sentinels as $sentinel) {
		same('OK', $sentinel('ACL', 'SETUSER', ...$words), implode(' ', $words));
	}
	use_store($set->dsn("?sentinel_user=$words[0]&sentinel_password=secret"));
};
$ask = function () use (&$n) {
	same('redis', FrequencyLimit::check("sentinel$n", 1, 60, 10)->store, 'asked');
};
/* Without these two it works, and hears of a new master only when the old one fails. */
$news = ['&+switch-master', '+subscribe'];
each_is_needed(array_values(array_diff($words, $news)), $make, $ask);
$listening = function () use ($set, &$n): bool {
	return (bool) preg_match("/ sub=1 .* user=limiter$n /", $set->sentinels[0]('CLIENT', 'LIST'));
};
same(false, $listening(), 'without them nobody listens');
foreach ($news as $word) {
	$make(array_values(array_diff($words, [$word])));
	$ask();
	same(false, $listening(), "without $word nobody listens");
}
$make($words);
$ask();
same(true, eventually($listening), 'with them it listens');
done();
?>
--EXPECT--
done
