--TEST--
#[RateLimit] takes up a change of the file, its exempt and refused identities, its store and its on_failure
--EXTENSIONS--
ratelimit
--INI--
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/named.inc';
use FrequencyLimit\{AccessLimit, InvalidArgument, Limit, Limiter, LimitExceeded, RateLimit, Request, StoreException};

#[RateLimit('login')] function login(): int { return 1; }
#[RateLimit('listed', id: 'who')] function listed(int|string $who): int { return 1; }
#[RateLimit('listed', id: 'who'), RateLimit('login'), AccessLimit(3600, 100)] function both(int|string $who): int { return 1; }
#[RateLimit('day')] function day(): int { return 1; }
#[RateLimit('elsewhere')] function elsewhere(): int { return 1; }
#[RateLimit('elsewhere'), RateLimit('there')] function both_elsewhere(): int { return 1; }
#[RateLimit('passes')] function passes(): int { return 1; }
class Api { #[RateLimit('login')] public function one(): int { return 1; } }

/** Returns how many of some calls pass. */
function passed(int $calls, callable $call): int
{
	for ($passed = 0; $calls-- > 0;) {
		try {
			$passed += $call();
		} catch (LimitExceeded) {
		}
	}
	return $passed;
}

throws(InvalidArgument::class, ['"login" given'], login(...), 'no file');
Limiter::define(new Limiter('login', Limit::fixedWindow(1, 3600)));
same(1, passed(3, login(...)), 'a limiter of the application');
$dead = 'redis://127.0.0.1:1?connect_timeout=100&timeout=100';
$text = "[listed]\nexempt = 10.0.0.0/8 boss\nrefuse = 192.0.2.0/24 13\na = log:2/1h\n[day]\na = calendar:2/day\n"
	. "[elsewhere]\nstore = $dead\non_failure = throw\na = fixed:5/1h\n[there]\nstore = $dead\na = log:5/1h\n"
	. "[passes]\nstore = $dead\non_failure = allow\na = concurrent:1/1h\n";
$file = limiters_file("[login]\na = fixed:3/1h\n$text");
same(2, passed(5, login(...)), 'the file\'s limiter takes its place, and has its count');
$api = new Api();
same(0, passed(2, $api->one(...)), 'as in another function');
write_limiters($file, "[login]\na = fixed:5/1h\n$text");
same(2, passed(5, login(...)), 'a higher limit');
same(0, passed(2, $api->one(...)), 'in each function');
write_limiters($file, "[login]\na = fixed:5/\n$text");
same(0, passed(2, login(...)), 'a mistake changes nothing');
write_limiters($file, $text);
same(0, passed(1, login(...)), 'the application\'s, when the file has it no more');
Limiter::define(new Limiter('login', Limit::slidingLog(4, 3600)));
same(4, passed(5, login(...)), 'and its next definition');

same([5, 5, 2, 0, 0], [passed(5, fn () => listed('10.1.2.3')), passed(5, fn () => listed('boss')), passed(5, fn () => listed('other')),
	passed(5, fn () => listed('192.0.2.7')), passed(5, fn () => listed(13))], 'exempt and refused identities');
Limiter::define(new Limiter('login', Limit::slidingWindow(100, 3600)));
same([5, 2, 0], [passed(5, fn () => both('boss')), passed(5, fn () => both('third')), passed(5, fn () => both(13))], 'with other limiters');
same([93, 93], [Limiter::named('login')->peek('ip:local', 0)->remaining, (new Limiter('both', Limit::fixedWindow(100, 3600)))->peek('ip:local', 0)->remaining],
	'which count what passed');
Limiter::named('listed')->ban('203.0.113.0/24', 60, network: true);
same([0, 0, 2], [passed(3, fn () => listed('203.0.113.9')), passed(3, fn () => both('203.0.113.9')), passed(3, fn () => listed('203.0.114.9'))], 'a network that is banned');

foreach (['Pacific/Kiritimati', 'Pacific/Pago_Pago'] as $zone) {
	date_default_timezone_set($zone);
	passed(1, day(...));
	$left = Limiter::named('day')->peek('ip:local')->resetAfter;
	between($left - 0.1, Request::lastResult()->resetAfter, $left + 5, "a day in $zone");
}

throws(StoreException::class, [], elsewhere(...), 'on_failure = throw');
throws(StoreException::class, [], both_elsewhere(...), 'of one of several');
same(3, passed(3, passes(...)), 'on_failure = allow');
ini_set('ratelimit.enforce', '0');
same(5, passed(5, fn () => listed('other')), 'enforce=0');
done();
?>
--EXPECT--
done
