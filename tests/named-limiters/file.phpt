--TEST--
Limiter::named() makes the limiters of the file, with their limits, stores, policies and names of limits
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/named.inc';
use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Period;
use FrequencyLimit\Reason;
FrequencyLimit\Clock::freeze(1_900_000_000);
ini_set('error_log', temp_folder() . '/log');

/* Limit::none(), alone and beside another limit. */
limiters_file("[free]\na = none\n[half]\na = none\nb = fixed:1/1m\n[label]\na = none,by=tenant\nb = fixed:1/1m,by=user\n");
same([['none,name=a'], true, 'a'], [array_map(strval(...), Limiter::named('free')->limits), Limiter::named('free')->consume(7, 1000)->accepted, Limiter::named('free')->consume(7)->name], 'none alone');
same([['fixed:1/1m,name=b', 'none,name=a'], true, false], [array_map(strval(...), Limiter::named('half')->limits), Limiter::named('half')->consume(7)->accepted, Limiter::named('half')->consume(7)->accepted], 'none beside a limit');
same([true, false], array_map(fn (): bool => Limiter::named('label')->consume(['tenant' => 1, 'user' => 2])->accepted, [1, 2]), 'none with a label');
ini_restore('ratelimit.limiters');

throws(InvalidArgument::class, ['$name must be a limiter of Limiter::define(), or of the file of ratelimit.limiters, which is not set: "login" given'], fn () => Limiter::named('login'), 'no setting');
$file = limiters_file(<<<'INI'
	; comments
	# of two kinds

	[login]
	account = log:2/15m,ban=1h      ; a comment behind it
	address="fixed:100/1h"
	[ api v2 ]
	store = shm:
	day = calendar:1000/day@Asia/Shanghai
	[away]
	store = unix:///nowhere/redis.sock
	on_failure = deny
	a = fixed:5/1m
	[local]
	on_failure=allow
	concurrent places = concurrent:2/10m,name=concurrent%20places
	INI);
$login = Limiter::named('login');
same(['login', ['log:2/15m,ban=1h,name=account', 'fixed:100/1h,name=address'], null], [$login->name, array_map(strval(...), $login->limits), $login->store], 'login');
same(['account', 1], [$login->consume('x')->name, $login->consume('x', 1)->limit === 2 ? 1 : 0], 'counts');
same(Reason::Banned, Limiter::named('login')->consume('x')->reason, 'bans');
/* It counts where a Limiter of the same name does. */
same(Reason::Banned, (new Limiter('login', $login->limits))->peek('x')->reason, 'the count of a Limiter of that name');
same(['shm:', 'calendar:1000/day@Asia/Shanghai,name=day'], [Limiter::named('api v2')->store, (string) Limiter::named('api v2')->limits[0]], 'a name with a blank, a store');
ok(Limiter::named('local')->acquire('x')->result->accepted, 'a concurrent limit');
FrequencyLimit\Clock::unfreeze();
same([false, Reason::StoreUnavailable], [Limiter::named('away')->consume('x')->accepted, Limiter::named('away')->consume('x')->reason], 'on_failure = deny');
ok((new Limiter('away', Limit::fixedWindow(5, 60), 'unix:///nowhere/redis.sock'))->consume('x')->accepted, 'a constructed one follows the setting');
throws(InvalidArgument::class, ["\$name must be a limiter of $file, \"logout\" given"], fn () => Limiter::named('logout'), 'another name');

/* Compared by its name. */
ok($login == Limiter::named('login') && $login !== Limiter::named('login') && $login != Limiter::named('away'), '==');
ok($login != new Limiter('login', $login->limits), 'a constructed one is another');
same(2, count($login->limits), 'its limits');

/* A limit without a time zone has that of the request. */
write_limiters($file, "[day]\nday = calendar:5/day\nban = fixed:1/1m,ban=day\nzone = calendar:5/day@Asia/Tokyo\n");
foreach (['Europe/Paris', 'Asia/Shanghai'] as $zone) {
	date_default_timezone_set($zone);
	same([$zone, $zone, 'Asia/Tokyo'], array_map(fn (Limit $limit) => $limit->timezone, Limiter::named('day')->limits), "in $zone");
}
same(Period::Day, Limiter::named('day')->limits[1]->ban, 'a ban until a period');

/* The setting can change, and be empty again. */
$other = temp_folder() . '/other.ini';
write_limiters($other, "[other]\na = fixed:1/1s\n");
ok(ini_set('ratelimit.limiters', $other) !== false && Limiter::named('other')->limits[0] == Limit::parse('fixed:1/1s,name=a'), 'another file');
throws(InvalidArgument::class, ['"day" given'], fn () => Limiter::named('day'), 'the first file is not in use');
ini_restore('ratelimit.limiters');
throws(InvalidArgument::class, ['which is not set'], fn () => Limiter::named('other'), 'empty again');
foreach (['relative.ini', "/nul\0"] as $bad) {
	same(false, @ini_set('ratelimit.limiters', $bad), json_encode($bad));
}
done();
?>
--EXPECT--
done
