--TEST--
FrequencyLimit\Monitor::scan() returns the actions and limiters of the prefix page by page, and no other keys
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/redis.inc';
use FrequencyLimit\{Limit, Limiter};

/** Returns all keys, and the number of pages. */
function all_keys(): array
{
	[$keys, $position, $pages] = [[], '', 0];
	do {
		$page = FrequencyLimit\Monitor::scan($position);
		foreach ($page['keys'] as $key) {
			$keys["$key[kind]/$key[name]/" . ($key['by'] === null ? '' : "$key[by]=") . $key['identity']] = $key['identity'];
		}
		$position = $page['next'];
		$pages++;
	} while ($position !== '');
	ksort($keys);
	return [$keys, $pages];
}

same(['next' => '', 'keys' => []], FrequencyLimit\Monitor::scan(), 'shared memory has no keys');
$redis = new RedisServer();
ini_set('ratelimit.store', $redis->dsn());
same([[], 1], all_keys(), 'an empty Redis');
FrequencyLimit::doHandle('like', 7, 60, 5);
FrequencyLimit::check('li:ke', 'a:b', 60, 5);
(new Limiter('login', Limit::slidingLog(5, 60)))->consume(7);
FrequencyLimit::isActionAllowed(7, 'log', 60, 5);
(new Limiter('try', Limit::slidingLog(5, 60)->shadow()))->consume(7);
(new Limiter('api', [Limit::slidingLog(5, 60)->by('tenant'), Limit::fixedWindow(5, 60)->by('user')]))->consume(['tenant' => 'a:b', 'user' => 7]);
$redis('SET', "act:limit:tenant\0:x:7b", 'a label without a name');
$redis('SET', 'act:limit:other', 'a value of another program');
$redis('SET', 'another:like:7', '1');
$redis('RPUSH', 'act:limit:list:7', '1');
same(['action/li:ke/a:b' => 'a:b', 'action/like/7' => 7, 'limiter/api/tenant=a:b' => 'a:b', 'limiter/api/user=7' => '7', 'limiter/login/7' => '7'], all_keys()[0], 'the keys');
ini_set('ratelimit.prefix', 'an*[o]?ther:');
same([], all_keys()[0], 'a prefix is no pattern');
FrequencyLimit::doHandle('like', 8, 60, 5);
same(['action/like/8' => 8], all_keys()[0], 'a prefix of special characters');
ini_set('ratelimit.prefix', 'act:limit:');
for ($i = 1; $i <= 2500; $i++) {
	FrequencyLimit::doHandle('many', $i, 60, 5);
}
[$keys, $pages] = all_keys();
ok(count($keys) === 2505 && $pages >= 3, count($keys) . " keys in $pages pages");
foreach (['x', '0', '0:', '99999:0', '0:0x', '-1:0'] as $position) {
	throws(FrequencyLimit\InvalidArgument::class, ['$position must be'], fn () => FrequencyLimit\Monitor::scan($position), "position $position");
}
$redis('ACL', 'SETUSER', 'weak', 'on', '>geheim', '~*', '+hello', '+get');
ini_set('ratelimit.store', str_replace('unix://', 'unix://weak:geheim@', $redis->dsn()));
throws(FrequencyLimit\StoreException::class, ['Redis refuses SCAN: NOPERM'], fn () => FrequencyLimit\Monitor::scan(), 'no right');
$redis->stop();
throws(FrequencyLimit\StoreException::class, ['Redis at '], fn () => FrequencyLimit\Monitor::scan(), 'away');
done();
?>
--EXPECT--
done
