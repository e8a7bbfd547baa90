--TEST--
A cost above the limit is TooExpensive, also when on_failure decides
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
use FrequencyLimit\{Limit, Limiter, Reason};

use_store('unix:///nowhere/redis.sock');
$limiter = new Limiter('costs', [Limit::fixedWindow(100, 60), Limit::fixedWindow(10, 1)->named('second')]);
foreach (['allow', 'deny', 'local'] as $policy) {
	ini_set('ratelimit.on_failure', $policy);
	foreach (['consume', 'peek'] as $method) {
		$r = $limiter->$method('x', 11);
		same([false, Reason::TooExpensive, 'second', 10, null], [$r->accepted, $r->reason, $r->name, $r->limit, $r->retryAfter], "$policy: $method");
	}
	same($policy === 'local' ? Reason::Accepted : Reason::StoreUnavailable, $limiter->peek('x', 10)->reason, "$policy: what can pass");
}
done();
?>
--EXPECT--
done
