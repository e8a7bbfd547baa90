--TEST--
The ban of a network holds for each address in it, is listed and lifted as any other, and outlives 5,000 later bans
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('real', 'redis'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';
/* The bans of networks, on both stores. */
use FrequencyLimit\{InvalidArgument, Limit, Limiter, Monitor, Reason};

function network_scenario(): void
{
	$limiter = new Limiter('api', Limit::fixedWindow(1000, 60));
	$plain = new Limiter('api', [Limit::fixedWindow(1000, 60), Limit::slidingLog(100, 60)]);
	$labels = new Limiter('both', [Limit::fixedWindow(9, 60)->by('ip')->named('ip'), Limit::fixedWindow(9, 60)->by('user')->named('user')]);
	$other = new Limiter('other', Limit::fixedWindow(1000, 60));
	$limiter->allow('203.0.113.7');
	$limiter->ban('203.0.113.77/24', 600, network: true);
	$limiter->ban('2001:db8::/32', 900, network: true);
	foreach (['203.0.113.7', '203.0.113.0', '203.0.113.255', '203.0.113.0/24', '203.0.113.128/25', '::ffff:203.0.113.1', '2001:db8::1', '2001:db8:1:2::/64'] as $id) {
		$result = $limiter->consume($id);
		same([false, Reason::Banned, 'refuse'], [$result->accepted, $result->reason, $result->store], $id);
		ok(abs($result->retryAfter - ($id[0] === '2' && $id[3] === '1' ? 900 : 600)) < 5, "$id: $result->retryAfter");
		same([false, false, Reason::Banned, false], [$limiter->allow($id), $plain->allow($id), $limiter->peek($id)->reason, $limiter->acquire($id)->result->accepted], "$id: each call");
	}
	foreach (['203.0.112.255', '203.0.114.0', '203.0.112.0/23', '0.0.0.0/0', '2001:db9::', 'bob', 7, '203.0.113.7/x', '203.0.113'] as $id) {
		ok($limiter->allow($id) && $plain->allow($id), "$id passes");
	}
	ok($other->allow('203.0.113.7'), 'another limiter');
	same([false, true], array_map(fn ($r) => $r->accepted, $limiter->consumeMany(['203.0.113.7', '192.0.2.1'])), 'consumeMany()');

	/* It is listed, and lifted, as any other. */
	same([['2001:db8::/32', 'api', 'limiter', 0], ['203.0.113.0/24', 'api', 'limiter', 0]], array_map(fn ($row) => [$row['identity'], $row['name'], $row['kind'], $row['level']], Monitor::bans()), 'bans()');
	ini_set('ratelimit.top', '0');
	same(2, count(Monitor::bans()), 'without the callers, too: it refuses');
	ini_set('ratelimit.top', '1');
	same([true, false, true], [$limiter->unban('203.0.113.9/24'), $limiter->unban('203.0.113.0/24'), $limiter->allow('203.0.113.7')], 'unban()');
	same([true, true, []], [$limiter->reset('2001:db8::/32'), $limiter->allow('2001:db8::1'), Monitor::bans()], 'reset()');

	/* A label's. */
	$labels->ban(['ip' => '10.0.0.0/8'], 60, network: true);
	same([Reason::Banned, 'ip'], [($r = $labels->consume(['ip' => '10.1.2.3', 'user' => 'al']))->reason, $r->name], 'the label');
	same([true, 9], [$labels->consume(['ip' => '11.0.0.1', 'user' => '10.1.2.3'])->accepted, $labels->peek(['ip' => '12.0.0.1', 'user' => 'al'])->limit], 'no other label, and nothing was counted of the other');
	ok($labels->unban(['ip' => '10.0.0.0/8']), 'lifted');

	/* A text that a client has chosen bans itself alone. */
	$limiter->ban('0.0.0.0/0', 600);
	same([Reason::Banned, true], [$limiter->peek('0.0.0.0/0')->reason, $limiter->allow('203.0.113.7')], 'without network: true');
	ok($limiter->unban('0.0.0.0/0'), 'lifted');
	foreach (['bob', '203.0.113.7', '203.0.113.0/33', 7] as $id) {
		throws(InvalidArgument::class, ['$id must be a network'], fn () => $limiter->ban($id, 60, network: true), "$id");
	}

	/* A ban that runs is never left out for lack of room, and its end is one. */
	for ($i = 0; $i < 300; $i++) {
		$limiter->ban("10.$i.0.0/16", 600 + $i, network: true);
		if ($i === 255) {
			break;
		}
	}
	for ($i = 0; $i < 5000; $i++) {
		$other->ban($i, 3600);
	}
	for ($i = 0; $i < 256; $i++) {
		ok(!$limiter->allow("10.$i.1.1"), "10.$i holds");
	}
	ok($limiter->allow('11.0.0.1'), 'all others pass');
}

each_store('real', 'redis');
network_scenario();
done();
?>
--EXPECT--
done
