--TEST--
problem(), status(), retryText() and headers(legacy: true) of every decision
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Clock, Limit, Limiter, Reason, Result};

Clock::freeze(1_900_000_000.25);
$limiter = new Limiter('p', Limit::fixedWindow(3, 90)->named('minute'));
$r = $limiter->consume('u', 2);
same([200, 'now'], [$r->status(), $r->retryText()], 'accepted');
throws(LogicException::class, ['problem()', '$accepted'], fn () => $r->problem(), 'no problem');
same(['RateLimit-Policy' => '"minute";q=3;w=90', 'RateLimit' => '"minute";r=1;t=90;ratelimit-limit=3;ratelimit-remaining=1;ratelimit-reset=90', 'X-RateLimit-Limit' => '3', 'X-RateLimit-Remaining' => '1',
	'X-RateLimit-Reset' => '1900000091'], $r->headers(legacy: true), 'legacy headers: the whole second after the end');
same(['RateLimit-Policy' => '"minute";q=3;w=90', 'RateLimit' => '"minute";r=1;t=90'], $r->headers(), 'none of them by default');

$r = $limiter->consume('u', 2);
same(['RateLimit-Policy' => '"minute";q=3;w=90', 'RateLimit' => '"minute";r=1;t=90;ratelimit-limit=3;ratelimit-remaining=1;ratelimit-reset=90', 'Retry-After' => '90', 'X-RateLimit-Limit' => '3', 'X-RateLimit-Remaining' => '1',
	'X-RateLimit-Reset' => '1900000091'], $r->headers(true), 'refused');
$problem = ['type' => 'https://iana.org/assignments/http-problem-types#quota-exceeded', 'title' => 'Request cannot be satisfied as assigned quota has been exceeded',
	'status' => 429, 'detail' => 'The limit is 3 in 90 seconds. Try again in 90 seconds.', 'retry_after' => 90, 'violated-policies' => ['minute']];
same([429, $problem, 'in 90 seconds'], [$r->status(), $r->problem(), $r->retryText()], 'the details');
ob_start();
$r->send();
same($problem, json_decode(ob_get_clean(), true), 'send() prints the same');

$r = $limiter->consume('u', 4);
same([429, false, 'never'], [$r->status(), isset($r->problem()['retry_after']), $r->retryText()], 'too expensive');
$r = Result::of(Reason::StoreUnavailable, retryAfter: 1);
same([503, 503, 'in 1 second', false], [$r->status(), $r->problem()['status'], $r->retryText(), isset($r->problem()['violated-policies'])], 'no store');
same([200, 'now'], [($r = Result::of(Reason::StoreUnavailable, granted: 1))->status(), $r->retryText()], 'no store, admitted');

$texts = [0 => 'in 1 second', 1 => 'in 1 second', 2 => 'in 2 seconds', 119 => 'in 119 seconds', 120 => 'in 2 minutes', 121 => 'in 3 minutes', 3540 => 'in 59 minutes',
	7199 => 'in 120 minutes', 7200 => 'in 2 hours', 7201 => 'in 3 hours', 172799 => 'in 48 hours', 172800 => 'in 2 days', 172801 => 'in 3 days', 315360000 => 'in 3650 days'];
same('The limit is 1000000 in 30 days. Try again in 24 hours.', Result::of(Reason::Limited, limit: 1_000_000, retryAfter: 86_399, window: 2_592_000)->problem()['detail'], 'large numbers');
same('Banned. Try again in 7 days.', Result::of(Reason::Banned, retryAfter: 604_800)->problem()['detail'], 'a long ban');
/* A window is never rounded. */
foreach ([1 => '1 second', 60 => '60 seconds', 119 => '119 seconds', 120 => '2 minutes', 3600 => '60 minutes', 7201 => '7201 seconds', 9000 => '150 minutes', 86400 => '24 hours', 176400 => '49 hours'] as $window => $text) {
	same("The limit is 5 in $text. Try again in 1 second.", Result::of(Reason::Limited, limit: 5, retryAfter: 1, window: $window)->problem()['detail'], "a window of $window seconds");
}
foreach ($texts as $seconds => $text) {
	same($text, Result::of(Reason::Limited, retryAfter: $seconds)->retryText(), "$seconds seconds");
}
same('in 2 seconds', Result::of(Reason::Limited, retryAfter: 1.001)->retryText(), 'rounded up');
done();
?>
--EXPECT--
done
