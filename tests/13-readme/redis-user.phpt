--TEST--
The Redis user that docs/operations.md makes may do all that the extension asks for
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/readme.inc';
require __DIR__ . '/../include/store.inc';

use FrequencyLimit\{Limit, Limiter, Period};

preg_match('/^ACL SETUSER (.+)$/m', readme('docs/operations.md'), $found);
$server = new RedisServer();
$words = explode(' ', $found[1]);
if (version_compare($server->info('server')['redis_version'], '7.0', '<')) {
	$words = array_diff($words, ['+pexpiretime']);
}
same('OK', $server('ACL', 'SETUSER', ...$words), 'ACL SETUSER');
same('OK', $server('ACL', 'SETUSER', 'default', 'off'), 'nobody else may do anything');
use_store("unix://limiter:secret@$server->socket");
ini_set('ratelimit.on_failure', 'throw');

for ($i = 0; $i < 3; $i++) {
	FrequencyLimit::doHandle('like', 7, 10, 2, ['type' => 1, 'ttl' => 60]);
}
same('redis', FrequencyLimit::check('like', 7, 10, 2)->store, 'asked');
same(true, FrequencyLimit::isActionAllowed(7, 'like', 60, 1), 'isActionAllowed()');
same(true, FrequencyLimit::reset('like', 7), 'reset()');

$limiter = new Limiter('user', [Limit::slidingLog(5, 60), Limit::calendar(5, Period::Day, 'UTC')]);
same(true, $limiter->consume(7)->accepted, 'consume()');
same(true, $limiter->peek(7)->accepted, 'peek()');
same(true, $limiter->consumeMany([7, 8])[0]->accepted, 'consumeMany()');
$at = time() + 86400;
same(true, $limiter->reserve(7, $at)->accepted, 'reserve()');
same(true, $limiter->cancel(7, $at), 'cancel()');
$limiter->refund(7);
$limiter->ban(7, 60);
same(true, $limiter->unban(7), 'unban()');
same(true, $limiter->reset(7), 'reset()');

done();
?>
--EXPECT--
done
