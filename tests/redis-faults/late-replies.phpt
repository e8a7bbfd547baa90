--TEST--
A late, lost, cut, doubled or foreign reply ends its connection, and reaches no other call
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/proxy.inc';
needs_redis();
needs_tool('proxy');
?>
--FILE--
<?php
require __DIR__ . '/../include/proxy.inc';
require __DIR__ . '/faults.inc';

use FrequencyLimit\{Limit, Limiter, Reason};

/* RATELIMIT_ROUNDS=20000 makes an hour of it. */
$rounds = (int) (getenv('RATELIMIT_ROUNDS') ?: 250);
$redis = new RedisServer();
$proxy = new FaultProxy($redis->socket);
$faults = new Faults($redis, $proxy->dsn());
ini_set('ratelimit.on_failure', 'deny');
mt_srand(20201115);

/* The worst is "hold": a reply that waits until the connection is asked the next question. */
$actions = [['hold', 0], ['hold', 0], ['delay-reply', 30], ['delay-request', 30], ['drop-reply', 0], ['drop-request', 0], ['truncate', 9],
	['trickle', 3], ['half-close', 0], ['swap', 0], ['close-reply', 0], ['inject', ":1\r\n"], ['replace', "*0\r\n"], ['duplicate', 0]];
$many = new Limiter('late', Limit::fixedWindow(100_000, 3600));
for ($i = 0; $i < 50; $i++) {
	$many->consume($i, $i + 1);
}
$counted = $unanswered = $used = array_fill(0, 50, 0);
$plain = fn (int $id) => FrequencyLimit::check('late', $id, 3600, 1000 * ($id + 1));
$was_answered = 0;
for ($round = 0; $round < $rounds; $round++) {
	/* A question, of one or of several, is hit; the next ones are not, and at once. */
	[$action, $argument] = $actions[mt_rand(0, count($actions) - 1)];
	$proxy->rule('EVALSHA', mt_rand(1, 3), $action, $argument);
	store_options(timeout: 15);
	$id = mt_rand(0, 47);
	$whole = true;
	foreach ($many->consumeMany([$id, $id + 1, $id + 2]) as $k => $r) {
		$used[$id + $k]++;
		$whole = $whole && $r->reason !== Reason::StoreUnavailable;
		if ($r->reason === Reason::StoreUnavailable) {
			$unanswered[$id + $k]++;
			continue;
		}
		$was_answered++;
		$counted[$id + $k]++;
		/* The only possible counts of this identity: its first, the answered, and at most the unanswered calls. */
		$least = 100_000 - ($id + $k + 1) - $counted[$id + $k] - $unanswered[$id + $k];
		between($least, $r->remaining, $least + $unanswered[$id + $k], "$action, round $round: identity " . ($id + $k));
	}
	$proxy->clear();
	store_options(timeout: 20000);
	pause(0.002);
	$r = $plain($round + 100);
	/* A busy machine may have got all replies in time after all: then the connection goes on, and rightly. */
	$after_fault['act:limit:late:' . ($round + 100)] = !$whole;
	same([true, 1000 * ($round + 101) - 1], [$r->accepted, $r->remaining], "$action, round $round: the next question");
}
ok($was_answered > 0 && array_sum($unanswered) > $rounds / 3, "faults were met: $was_answered, " . array_sum($unanswered));

/* Redis counted every answered call, and each other call at most once. */
ini_set('ratelimit.on_failure', 'throw');
for ($i = 0; $i < 50; $i++) {
	$on_server = 100_000 - $many->peek($i)->remaining - 1 - ($i + 1);
	between($counted[$i], $on_server, $counted[$i] + $unanswered[$i], "identity $i: counted");
}

/* Nothing was sent where a reply was still to come; and no command but these was ever sent. */
$broken = $names = [];
$asked = $next = 0;
foreach ($proxy->journal() as ['connection' => $connection, 'fate' => $fate, 'words' => $words]) {
	$names[$words[0]] = true;
	if (in_array($words[0], ['EVALSHA', 'EVAL'], true)) {
		$asked++;
	}
	if ($fate !== 'forwarded') {
		$broken[$connection] = $fate;
	}
	if ($after_fault[$words[3] ?? ''] ?? false) {
		$next++;
		ok(!isset($broken[$connection]), "connection $connection was used again after " . ($broken[$connection] ?? ''));
	}
}
ok($next > $rounds / 2, "questions after a fault: $next");
ksort($names);
same(['EVAL', 'EVALSHA', 'HELLO'], array_keys($names), 'commands');
between(0, $asked, array_sum($used) + $rounds + 50 + 50 + 8, 'questions sent: each once, but for a NOSCRIPT');
done();
?>
--EXPECT--
done
