--TEST--
Exempt networks and identities of a named limiter pass, are not counted, and hold no place; all others are limited
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/named.inc';
use FrequencyLimit\Limiter;
use FrequencyLimit\Reason;

limiters_file("[l]\nexempt = 10.0.0.0/8, 2001:db8::/32 192.0.2.1 monitoring 42\na = fixed:1/1h\nb = log:2/1h\n"
	. "[places]\nexempt = monitoring\np = concurrent:1/1h\n[book]\nexempt = monitoring\nday = calendar:1/day@UTC\n");
$limiter = Limiter::named('l');
foreach (['10.1.2.3', '2001:db8::1', '2001:db8:7::/64', '192.0.2.1', 'monitoring', 42, '42', '::ffff:10.0.0.1', '10.0.0.1/32', '10.1.0.0/16'] as $id) {
	foreach ([1, 1, 5] as $cost) {
		$result = $limiter->consume($id, $cost);
		same([true, Reason::Accepted, 1, 1, 0.0, 0.0, $cost, 'exempt', 'a'], [$result->accepted, $result->reason, $result->limit, $result->remaining,
			$result->retryAfter, $result->resetAfter, $result->granted, $result->store, $result->name], "$id: consume($cost)");
	}
	ok($limiter->allow($id) && $limiter->peek($id)->store === 'exempt', "$id: allow(), peek()");
	same(false, $limiter->reset($id), "$id: nothing is counted");
}
foreach (['11.0.0.1', '2001:db9::1', '192.0.2.2', 'monitoring2', 'Monitoring', 43, '10.0.0.0.1', '10.0.0.1/anything', '10.0.0.1/', '10.0.0.1/7', '10.0.0.1/33', '10.0.0.1/8/x', '2001:db8::1/x', '2001:db8::/31', ''] as $id) {
	if ($id !== '') {
		same([true, false], [$limiter->allow($id), $limiter->allow($id)], "$id is limited");
	}
}
same(['exempt', 'shm', 'exempt', 'shm', 'exempt'], array_values(array_map(fn ($r) => $r->store, $limiter->consumeMany(['monitoring', 'x', 42, 'y', '10.0.0.1']))), 'consumeMany()');
same([true, false, true, false, true], array_values(array_map(fn ($r) => $r->accepted, $limiter->consumeMany([1 => 'monitoring', 'x', 42, 'y', '10.0.0.1']))), 'again');
ok($limiter->consumeMany(['monitoring'])[0]->accepted, 'none that is asked');

/* A permit of an exempt identity holds no place, and each of its methods works. */
$places = Limiter::named('places');
$permits = array_map(fn () => $places->acquire('monitoring'), range(1, 3));
foreach ($permits as $permit) {
	ok($permit->result->accepted, 'acquire()');
}
same([true, false], [$permits[0]->release(), $permits[0]->release()], 'release()');
same([true, 'exempt'], [$permits[1]->cancel(), $permits[2]->settle(1)->store], 'cancel(), settle()');
ok($places->acquire('other')->result->accepted, 'another identity');
ok(Limiter::named('book')->reserve('monitoring', time() + 3600)->accepted && Limiter::named('book')->reserve('monitoring', time() + 3600)->accepted, 'reserve()');

/* A list that is replaced again and again takes no more memory. */
$memory = fn (): int => (int) (preg_match('/^VmRSS:\s+(\d+)/m', file_get_contents('/proc/self/status'), $m) ? $m[1] : 0);
$taken = [];
$file = limiters_file("[l]\na = fixed:1/1h\n");
for ($version = 1; $version <= 8; $version++) {
	$lines = array_map(fn (array $ids): string => 'exempt = ' . implode(' ', $ids), array_chunk(array_map(fn (int $i): string => sprintf('%03d-%04d-%s', $version, $i, str_repeat('x', 60)), range(1, 9000)), 10));
	write_limiters($file, "[l]\na = fixed:1/1h\n" . implode("\n", $lines) . "\n", 60 - $version);
	same('exempt', Limiter::named('l')->consume(sprintf('%03d-%04d-%s', $version, 9000, str_repeat('x', 60)))->store, "version $version");
	$taken[] = $memory();
}
/* A version has 9,000 identities of a hundred bytes: six of them would be five megabytes. */
ok($taken[7] - $taken[1] < 2500, 'kB after each version: ' . implode(', ', $taken));
done();
?>
--EXPECT--
done
