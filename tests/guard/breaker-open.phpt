--TEST--
Resets, bans and new settings take effect while the circuit breaker is open; one lost reply does not open it
--EXTENSIONS--
ratelimit
--INI--
error_log=/dev/null
--SKIPIF--
<?php
require __DIR__ . '/../include/proxy.inc';
needs_redis();
needs_tool('proxy');
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/proxy.inc';
store_options(retry_delay: 3600000, deny_cache: 3600000, timeout: 1000);

use FrequencyLimit\{Limit, Limiter, Reason, StoreException};

/** A command that Redis did not carry out throws, and takes effect on this machine. */
function only_here(callable $command, string $what): void
{
	throws(StoreException::class, ['not done in Redis, only on this machine until Redis is back: '], $command, $what);
}

$redis = new RedisServer();
$proxy = new FaultProxy($redis->socket);
ini_set('ratelimit.store', $proxy->dsn());

/* A server that answers is not away because it did not answer for all: the next question is asked. */
$many = new Limiter('many', Limit::fixedWindow(100, 3600));
$many->consume('the script is known');
$proxy->rule('EVALSHA', 8, 'drop-request');
$stores = array_column(array_map(fn ($result) => ['store' => $result->store], $many->consumeMany(range(1, 8))), 'store');
same([...array_fill(0, 7, 'redis'), 'local'], $stores, 'seven answers of eight');
$proxy->clear();
same('redis', $many->consume(1)->store, 'the server is asked again');

/* A batch of permits and a cached refusal of this machine; then Redis dies, and commands still take effect. */
$leased = new Limiter('leased', Limit::fixedWindow(1_000_000, 3600)->leased());
$once = new Limiter('once', Limit::fixedWindow(1, 3600));
$once->consume(7);
$once->consume(7);
same('cache', $once->consume(7)->store, 'a remembered refusal');
FrequencyLimit::check('plain', 7, 3600, 1);
FrequencyLimit::check('plain', 7, 3600, 1);
same('cache', FrequencyLimit::check('plain', 7, 3600, 1)->store, 'and of a plain counter');

for ($calls = 0; $leased->consume(7)->store !== 'lease' && $calls < 100_000; $calls++);
$proxy->rule('*', 0, 'close-request');
same('local', (new Limiter('other', Limit::fixedWindow(5, 60)))->consume(1)->store, 'Redis is left alone');
same('lease', $leased->consume(7)->store, 'the batch is still good');
only_here(fn () => $leased->ban(7, 600), 'ban()');
same([Reason::Banned, 'local'], [$leased->consume(7)->reason, $leased->peek(7)->store], 'ban() holds at once');
only_here(fn () => $once->reset(7), 'reset()');
same([true, 'local'], [($r = $once->consume(7))->accepted, $r->store], 'reset() too');
only_here(fn () => FrequencyLimit::reset('plain', 7), 'reset() of a plain counter');
same([true, 'local'], [($r = FrequencyLimit::check('plain', 7, 3600, 1))->accepted, $r->store], 'and of a plain counter');
$proxy->clear();

/* A limiter with a store of its own uses the settings at the time of the call. */
$own = new Limiter('own', Limit::fixedWindow(2, 3600), $redis->dsn());
same([true, true, false], array_map(fn () => $own->consume(1)->accepted, range(1, 3)), 'by the one prefix');
ini_set('ratelimit.prefix', 'other:');
same([true, true, false], array_map(fn () => $own->consume(1)->accepted, range(1, 3)), 'by the other one');
ini_restore('ratelimit.prefix');
same(false, $own->consume(1)->accepted, 'and by the first again');
done();
?>
--EXPECT--
done
