--TEST--
A window of one second and a ban of one second end by Redis' own clock
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
$store = test_store('redis');
$ban = ['type' => 1, 'ttl' => 1];
for ($round = 0; $round < 2; $round++) {
	same(true, FrequencyLimit::doHandle('second', 1, 1, 1), 'passes');
	$first = FrequencyLimit::check('second', 1, 1, 1);
	if ($first->accepted) {
		continue; /* the machine took a second for one call */
	}
	between(0.001, $first->retryAfter, 1.001, 'retryAfter');
	pause($first->retryAfter);
	same(true, FrequencyLimit::check('second', 1, 1, 1)->accepted, 'passes after retryAfter');
	$banned = FrequencyLimit::check('second', 1, 1, 1, $ban);
	if ($banned->accepted) {
		continue;
	}
	same(FrequencyLimit\Reason::Banned, $banned->reason, 'banned');
	pause($banned->retryAfter);
	same(true, FrequencyLimit::check('second', 1, 1, 1)->accepted, 'passes after the ban');
	pause(FrequencyLimit::check('second', 1, 1, 1)->retryAfter);
}
/* The log's oldest moment leaves it, one at a time. */
same(true, FrequencyLimit::isActionAllowed(1, 'log', 1, 2), 'the first');
pause(0.5);
same(true, FrequencyLimit::isActionAllowed(1, 'log', 1, 2), 'the second');
pause(0.55);
same(true, FrequencyLimit::isActionAllowed(1, 'log', 1, 2), 'the first has left');
done();
?>
--EXPECT--
done
