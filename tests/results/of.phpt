--TEST--
Result::of() makes any decision for tests, and none that the extension could not make
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{InvalidArgument, LimitExceeded, Reason, Result};

$facts = fn (Result $r) => [$r->accepted, $r->limit, $r->remaining, $r->retryAfter, $r->resetAfter, $r->nextAfter, $r->name, $r->store, $r->granted, $r->wait];

same([true, 1, 0, 0.0, 60.0, 60.0, null, 'shm', 1, 0.0], $facts(Result::of()), 'of()');
same([true, 10, 9, 0.0, 60.0, 0.0, null, 'shm', 1, 0.0], $facts(Result::of(limit: 10)), 'one of ten');
same([false, 10, 0, 12.5, 12.5, 12.5, 'minute', 'redis', 0, 0.0],
	$facts(Result::of(Reason::Limited, 10, retryAfter: 12.5, name: 'minute', store: 'redis')), 'a refusal');
same([false, 5, 3, null, 60.0, null, null, 'shm', 0, 0.0], $facts(Result::of(Reason::TooExpensive, 5, 3)), 'too expensive');
same([false, 0, 0, 1, 503], [($r = Result::of(Reason::StoreUnavailable, retryAfter: 1))->accepted, $r->granted, $r->remaining, (int) $r->retryAfter, $r->status()], 'no store');
same([true, 7, 7, 0.0], [($r = Result::of(Reason::StoreUnavailable, 7, granted: 1))->accepted, $r->limit, $r->remaining, $r->retryAfter], 'no store, admitted');
same([true, 3.5, 1.25], [($r = Result::of(wait: 3.5, remaining: 0, nextAfter: 1.25))->accepted, $r->wait, $r->nextAfter], 'in line');
same(['RateLimit-Policy' => '"a";q=2;w=30', 'RateLimit' => '"a";r=0;t=7', 'Retry-After' => '7'],
	Result::of(Reason::Banned, 2, retryAfter: 6.1, name: 'a', window: 30)->headers(), 'its headers');
same(['RateLimit-Policy' => '"default";q=1;qu="concurrent-requests"', 'RateLimit' => '"default";r=0;t=0'], Result::of(window: 0)->headers(), 'of a concurrent limit');
throws(LimitExceeded::class, ['"minute"', '10'], fn () => Result::of(Reason::Limited, 10, name: 'minute')->ensureAccepted(), 'ensureAccepted()');

foreach ([
	'$limit' => [['limit' => 0], ['limit' => -1]],
	'$remaining' => [['limit' => 5, 'remaining' => 6], ['remaining' => -1]],
	'$retryAfter' => [['reason' => Reason::Limited, 'retryAfter' => -1], ['retryAfter' => 1], ['reason' => Reason::TooExpensive, 'retryAfter' => 1],
		['reason' => Reason::Limited, 'retryAfter' => NAN]],
	'$nextAfter' => [['reason' => Reason::Limited, 'nextAfter' => 1], ['nextAfter' => INF]],
	'$resetAfter' => [['resetAfter' => 315_360_001]],
	'$name' => [['name' => ''], ['name' => "a\n"], ['name' => str_repeat('n', 65)]],
	'$store' => [['store' => 'apcu'], ['store' => '']],
	'$granted' => [['reason' => Reason::Limited, 'granted' => 1], ['granted' => -1]],
	'$wait' => [['wait' => -1]],
	'$window' => [['window' => -0.5]],
] as $argument => $cases) {
	foreach ($cases as $case) {
		throws(InvalidArgument::class, ['非法参数', $argument], fn () => Result::of(...$case), json_encode($case, JSON_PARTIAL_OUTPUT_ON_ERROR));
	}
}
throws(TypeError::class, [], fn () => Result::of('limited'), 'a reason is a Reason');
done();
?>
--EXPECT--
done
