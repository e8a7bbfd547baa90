--TEST--
Refused networks, ranges and identities of a named limiter get the refusal of a ban, which counts; exempt ones pass
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/named.inc';
use FrequencyLimit\{Limiter, Monitor, Reason};

limiters_file("[l]\nrefuse = 203.0.113.0/24, 2001:db8::/32 192.0.2.1 bot 42 1000..1999\nrefuse = -5..-3\nexempt = 203.0.113.9 1500..1501\na = fixed:10/1h\nb = calendar:10/day@UTC\n"
	. "[labels]\nrefuse = 203.0.113.0/24\na = fixed:10/1h,by=ip\n[tried]\nrefuse = bot\na = fixed:1/1h,shadow\n[places]\nrefuse = bot\np = concurrent:1/1h\n");
$limiter = Limiter::named('l');
foreach (['203.0.113.1', '203.0.113.255', '203.0.113.0/25', '::ffff:203.0.113.5', '2001:db8::1', '2001:db8:7::/64', '192.0.2.1', 'bot', 42, '42', 1000, '1500' => 1999, -4] as $id) {
	$result = $limiter->consume($id);
	same([false, Reason::Banned, 10, 0, 315360000.0, 0, 'refuse', 'a'], [$result->accepted, $result->reason, $result->limit, $result->remaining,
		$result->retryAfter, $result->granted, $result->store, $result->name], "$id: consume()");
	same([false, Reason::Banned, false], [$limiter->allow($id), $limiter->peek($id)->reason, $limiter->reset($id)], "$id: allow(), peek(), and nothing is counted");
}
foreach (['203.0.113.9', 1500, '1501'] as $id) {
	same('exempt', $limiter->consume($id)->store, "$id is exempt");
}
foreach (['203.0.114.1', '203.0.112.0/23', '2001:db9::1', 'bots', 43, 999, 2000, -2, '1000..1999', '203.0.113.1/x'] as $id) {
	same('shm', $limiter->consume($id)->store, "$id is asked");
}
same(['refuse', 'shm', 'exempt'], array_map(fn ($r) => $r->store, $limiter->consumeMany(['bot', 'al', '203.0.113.9'])), 'consumeMany()');
same([Reason::Banned, Reason::Accepted], [Limiter::named('labels')->consume(['ip' => '203.0.113.1'])->reason, Limiter::named('labels')->consume(['ip' => 'x'])->reason], 'of a label');
same([true, 'a'], [($r = Limiter::named('tried')->consume('bot'))->accepted, $r->shadow], 'a shadow refuses nobody');
$permit = Limiter::named('places')->acquire('bot');
same([false, Reason::Banned, false], [$permit->result->accepted, $permit->result->reason, $permit->release()], 'acquire()');

/* A refusal counts: by name, in the statistics, among the callers. */
$row = array_values(array_filter(Monitor::limiters(), fn ($row) => $row['name'] === 'l'))[0];
same(27, $row['refused'], 'limiters()');
ok(Monitor::stats()['refusals'] >= 27, 'stats()');
ok(in_array('bot', array_column(Monitor::top(100), 'identity'), true), 'top()');
done();
?>
--EXPECT--
done
