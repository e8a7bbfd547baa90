--TEST--
stats() counts the decisions of this machine's workers, and describes the segment
--EXTENSIONS--
ratelimit
pcntl
--INI--
ratelimit.testing=1
ratelimit.shm_size=1M
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';
FrequencyLimit\Clock::freeze(1_900_000_000);

$keys = ['store', 'segment', 'bytes', 'slots', 'slots_used', 'records', 'records_used', 'decisions', 'refusals', 'bans', 'evictions', 'bans_evicted', 'errors',
	'redis_decisions', 'redis_refusals', 'redis_errors', 'fallbacks', 'permits_owed', 'permits_told', 'permits_lost', 'cached', 'leased', 'places_unnoted', 'workers', 'servers', 'warnings'];
$before = FrequencyLimit\Monitor::stats();
same($keys, array_keys($before), 'keys');
foreach ($before as $key => $value) {
	same(['store' => 'string', 'segment' => 'string', 'servers' => 'array', 'warnings' => 'array'][$key] ?? 'int', get_debug_type($value), $key);
	ok(!is_int($value) || $value >= 0, "$key is not negative");
}
same([], $before['servers'], 'no server was asked');
same([], $before['warnings'], 'nothing is wrong with the settings');
same(['shm:', 'memory'], [$before['store'], $before['segment']], 'store and segment');
same(1 << 20, $before['bytes'], 'bytes');
same([0, 0, 0, 0, 0], [$before['slots_used'], $before['decisions'], $before['refusals'], $before['bans'], $before['evictions']], 'at first');

/* 5 admitted, 3 refused, of which one starts a ban; a log of 2 and one refused. */
for ($i = 0; $i < 7; $i++) {
	FrequencyLimit::doHandle('stats', 1, 60, 5);
}
FrequencyLimit::check('stats', 1, 60, 5, ['type' => 1, 'ttl' => 60]);
for ($i = 0; $i < 3; $i++) {
	FrequencyLimit::isActionAllowed(1, 'stats', 60, 2);
}
$after = FrequencyLimit\Monitor::stats();
$difference = array_map(fn ($key) => $after[$key] - $before[$key], array_combine($c = ['decisions', 'refusals', 'bans', 'evictions', 'errors', 'redis_decisions', 'redis_errors', 'fallbacks'], $c));
same(['decisions' => 11, 'refusals' => 4, 'bans' => 1, 'evictions' => 0, 'errors' => 0, 'redis_decisions' => 0, 'redis_errors' => 0, 'fallbacks' => 0], $difference, 'counted');
same(2, $after['slots_used'], 'two identities');
ok($after['records_used'] > 0, 'a log needs more than a slot');

/* Decisions of other processes count in the same segment, and stay after their end. */
in_processes(4, function () {
	for ($i = 0; $i < 1000; $i++) {
		FrequencyLimit::doHandle('workers', 1, 60, 100000);
	}
});
same($after['decisions'] + 4000, FrequencyLimit\Monitor::stats()['decisions'], 'of four workers');
ok(FrequencyLimit\Monitor::stats()['workers'] >= 1, 'workers');

/* An illegal call is no decision. */
try {
	FrequencyLimit::doHandle('stats', 0, 60, 5);
} catch (FrequencyLimit\InvalidArgument) {
}
same($after['decisions'] + 4000, FrequencyLimit\Monitor::stats()['decisions'], 'an illegal call');
done();
?>
--EXPECT--
done
