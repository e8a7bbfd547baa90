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
/* False: the machine took a second for one call. */
$judged = function (int $id) use ($ban): bool {
	same(true, FrequencyLimit::doHandle('second', $id, 1, 1), 'passes');
	$first = FrequencyLimit::check('second', $id, 1, 1);
	if ($first->accepted) {
		return false;
	}
	between(0.001, $first->retryAfter, 1.001, 'retryAfter');
	pause($first->retryAfter);
	same(true, FrequencyLimit::check('second', $id, 1, 1)->accepted, 'passes after retryAfter');
	$banned = FrequencyLimit::check('second', $id, 1, 1, $ban);
	if ($banned->accepted) {
		return false;
	}
	same(FrequencyLimit\Reason::Banned, $banned->reason, 'banned');
	pause($banned->retryAfter);
	same(true, FrequencyLimit::check('second', $id, 1, 1)->accepted, 'passes after the ban');
	return true;
};
for ($id = 1; $id <= 10 && !$judged($id); $id++);
ok($id <= 10, 'it refuses');

/* The log's oldest moment leaves it, one at a time. */
for ($id = 2; $id <= 10 && FrequencyLimit::isActionAllowed($id, 'log', 1, 1) && FrequencyLimit::isActionAllowed($id, 'log', 1, 1); $id++);
ok($id <= 10, 'a log of one refuses the second');
same(true, FrequencyLimit::isActionAllowed(1, 'log', 1, 2), 'the first');
pause(0.5);
same(true, FrequencyLimit::isActionAllowed(1, 'log', 1, 2), 'the second');
pause(0.55);
same(true, FrequencyLimit::isActionAllowed(1, 'log', 1, 2), 'the first has left');
done();
?>
--EXPECT--
done
