--TEST--
The headers and the problem of a concurrent limit have its unit, no window, and the bound until a place comes free
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
use FrequencyLimit\{Limit, Limiter, LimitExceeded};

test_store('embedded');
$limiter = new Limiter('uploads', ['places' => Limit::concurrent(2, 600), 'hour' => Limit::fixedWindow(100, 3600)]);
$held = [$limiter->acquire(7), $limiter->acquire(7)];
same('"places";q=2;qu="concurrent-requests", "hour";q=100;w=3600', $held[0]->result->headers()['RateLimit-Policy'], 'the policy');
$refused = $limiter->acquire(7)->result;
same(['"places";r=0;t=600, "hour";r=98;t=3600', '600', 600.0], [$refused->headers()['RateLimit'], $refused->headers()['Retry-After'], $refused->retryAfter], 'the state');
throws(LimitExceeded::class, ['Too many calls at once of "uploads" by 7: the limit "places" is 2, a place comes free in at most 600 s'],
	fn () => $refused->ensureAccepted(), 'the message');
/* A bucket whose window is shorter than a microsecond is no concurrent limit. */
$tiny = new Limiter('tiny', Limit::tokenBucket(16_777_215, 0.001, 1));
same('"default";q=1;w=1', $tiny->consume(1)->headers()['RateLimit-Policy'], 'a tiny bucket');
done();
?>
--EXPECT--
done
