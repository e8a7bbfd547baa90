--TEST--
Permit::of() makes a double that ends once, as a permit of acquire() does, and asks no store
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Clock, Permit, Reason, Result};

$decisions = fn () => FrequencyLimit\Monitor::stats()['decisions'];
$before = $decisions();
$result = Result::of(limit: 10, remaining: 4, name: 'minute', window: 30);
foreach (['release' => [], 'cancel' => [], 'settle' => [3]] as $method => $arguments) {
	$permit = Permit::of($result);
	same($result, $permit->result, "$method: its result");
	same(true, $permit->renew(5), "$method: it is live");
	same(true, $permit->wait(), "$method: at once");
	$end = $permit->$method(...$arguments);
	same($method === 'settle' ? [true, 10, 4, 3, 'minute'] : true, $end instanceof Result
		? [$end->accepted, $end->limit, $end->remaining, $end->granted, $end->name] : $end, $method);
	same($method === 'settle' ? '"minute";q=10;w=30' : null, $end instanceof Result ? $end->headers()['RateLimit-Policy'] : null, "$method: headers");
	same([false, false, null, false, false], [$permit->release(), $permit->cancel(), $permit->settle(1), $permit->renew(), $permit->wait()], "$method: once");
}
$refused = Permit::of(Result::of(Reason::Limited));
same([false, false, false, null, false, false], [$refused->result->accepted, $refused->release(), $refused->cancel(), $refused->settle(1), $refused->renew(), $refused->wait()], 'refused');

Clock::freeze(1_900_000_000);
$permit = Permit::of(Result::of(wait: 3.5));
$permit->wait();
same(true, FrequencyLimit::check('clock', 1, 60, 1)->accepted, 'a window begins');
Clock::travelTo(1_900_000_003.5 + 59.999);
same(false, FrequencyLimit::check('clock', 1, 60, 1)->accepted, 'wait() moved the clock by 3.5 seconds');
Clock::advance(0.001);
same(true, FrequencyLimit::check('clock', 1, 60, 1)->accepted, 'exactly');
same($before + 3, $decisions(), 'no other decision');

$kept = Permit::of($result);
unset($kept);
$kept = Permit::of($result); // the end of the request ends it
throws(Error::class, ['private'], fn () => new Permit(), 'new');
done();
?>
--EXPECT--
done
