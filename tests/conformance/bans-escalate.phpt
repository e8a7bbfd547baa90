--TEST--
ban() with a list: the n-th ban lasts the n-th time, and they begin anew when forgotten
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
/* Bans that escalate: each lasts longer than the one before, until they are forgotten. */
require_once __DIR__ . '/scenario.inc';

use FrequencyLimit\{Limit, Limiter, Reason};

const STEPS = [10, 60, 600];
const FORGET = 3600;

/** Exceeds the limit of 2; returns the refusal. */
function exceed(Limiter $limiter, string $id, int $level_before): FrequencyLimit\Result
{
	for ($i = 1; $i <= 2; $i++) {
		$result = $limiter->consume($id);
		ok($result->accepted, "call $i passes");
		same($level_before, $result->level, 'the level before');
	}
	same($level_before + 1, $limiter->peek($id)->level, 'a peek sees the level that a call would begin');
	return $limiter->consume($id);
}

function advance(float $seconds): void
{
	global $time;
	$time->advance((int) round($seconds * 1e6));
}

$limiter = limiter(Limit::fixedWindow(2, 5)->ban(STEPS, forget: FORGET));
foreach ([10, 60, 600, 600, 600] as $n => $seconds) {
	$result = exceed($limiter, 'u', $n);
	same([Reason::Banned, $n + 1, (float) $seconds], [$result->reason, $result->level, $result->retryAfter], 'ban ' . ($n + 1));
	same($n + 1, $limiter->consume('u')->level, 'a refusal in a ban is no step');
	advance($seconds - 0.001);
	same(Reason::Banned, $limiter->consume('u')->reason, 'to the end');
	advance(0.001);
}
same(0, $limiter->peek('other')->level, 'another identity has none');

/* Not forgotten a millisecond before, forgotten then. */
advance(FORGET - 0.001);
same(5, $limiter->peek('u')->level, 'the level lasts');
same(600.0, exceed($limiter, 'u', 5)->retryAfter, 'and another ban lasts as long');
advance(600 + FORGET);
same(10.0, exceed($limiter, 'u', 0)->retryAfter, 'after $forget seconds without one the first time again');

/* unban() keeps the level, and when it is forgotten; a ban by hand is no step; reset() forgets. */
same(true, $limiter->unban('u'), 'there was a ban');
same(60.0, exceed($limiter, 'u', 1)->retryAfter, 'unban() keeps the level');
$limiter->unban('u');
$limiter->ban('u', 5);
same(2, $limiter->consume('u')->level, 'a ban by hand is no step');
advance(5);
same(2, $limiter->peek('u')->level, 'nor does it forget');
advance(55 + FORGET - 0.001);
same(2, $limiter->peek('u')->level, 'forgotten from the end that the ban would have had');
advance(0.001);
same(0, $limiter->peek('u')->level, 'and no later');
exceed($limiter, 'u', 0);
$limiter->unban('u');
advance(5);
same(true, $limiter->reset('u'), 'a level is something to forget');
same(false, $limiter->reset('u'), 'once');
same(10.0, exceed($limiter, 'u', 0)->retryAfter, 'reset() forgets it');

/* The level is the identity's: two limits share it, and a plain ban leaves it. */
$two = limiter(Limit::fixedWindow(2, 60)->ban([10, 20, 30], 1000), Limit::slidingLog(3, 60)->ban([100, 200, 300], 1000));
same([1, 10.0], (fn ($r) => [$r->level, $r->resetAfter])(exceed($two, 'v', 0)), 'by the first limit');
advance(10);
$two->consume('v');
$refused = $two->consume('v');
same([Reason::Banned, 2, 200.0], [$refused->reason, $refused->level, $refused->resetAfter], 'the second one begins the second ban');
$plain = limiter(Limit::fixedWindow(2, 60)->ban(7));
same([0, 7.0], (fn ($r) => [$r->level, $r->resetAfter])([$plain->consume('v'), $plain->consume('v'), $plain->consume('v')][2]), 'a plain ban');

/* A deploy keeps the level: with another list, and without one. */
$name = 'deployed ' . getmypid();
$deployed = fn (Limit $limit) => new Limiter($name, $limit);
exceed($deployed(Limit::fixedWindow(2, 5)->ban([10, 20], 1000)), 'w', 0);
advance(10);
exceed($deployed(Limit::fixedWindow(2, 5)->ban([10, 20], 1000)), 'w', 1);
advance(20);
for ($i = 0; $i < 3; $i++) {
	$result = $deployed(Limit::fixedWindow(2, 5))->consume('w');
}
same([Reason::Limited, 2], [$result->reason, $result->level], 'without bans: no ban, and the level is kept');
advance(5);
same(33.0, exceed($deployed(Limit::fixedWindow(2, 5)->ban([11, 22, 33], 1000)), 'w', 2)->retryAfter, 'with a longer list: its third time');

/* The key in Redis lives until the level is forgotten, and no longer. */
if ($redis = redis()) {
	foreach ($redis('KEYS', '*deployed*') as $key) {
		$left = $redis('PTTL', $key);
		ok($left > 1_033_000 && $left <= 1_034_001, "the expiry: $left");
	}
}
done();
?>
--EXPECT--
done
