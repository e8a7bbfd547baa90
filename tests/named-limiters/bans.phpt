--TEST--
A limit of the file may have bans that escalate; they outlive the request that read the file
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/named.inc';
use FrequencyLimit\{Clock, Limiter};

limiters_file("[login]\naccount = fixed:1/10s,bans=1m+10m+1h,forget=1d\n");
Clock::freeze(1_900_000_000);
foreach ([60, 600, 3600, 3600] as $step => $seconds) {
	$login = Limiter::named('login');
	ok($login->consume('a')->accepted, "a window begins");
	$result = $login->consume('a');
	same([(float) $seconds, min($step + 1, 4)], [$result->retryAfter, $result->level], "ban $step");
	Clock::advance($seconds);
	unset($login);
	gc_collect_cycles();
}
same('fixed:1/10s,bans=1m+10m+1h,forget=1d,name=account', (string) Limiter::named('login')->limits[0], 'its text');
done();
?>
--EXPECT--
done
