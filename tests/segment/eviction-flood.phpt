--TEST--
A flood of ten times more identities than fit ends no refusal and no ban; a busy identity stays exact
--EXTENSIONS--
ratelimit
--INI--
ratelimit.shm_size=1M
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
$before = FrequencyLimit\Monitor::stats();
$slots = $before['slots'];
ok($slots >= 1 << 20 >> 6, "a megabyte names $slots identities: fewer than one for 64 bytes");

/* The identities that must survive the flood. */
for ($i = 0; $i < 100; $i++) {
	FrequencyLimit::doHandle('exhausted', $i + 1, 86400, 1);
	FrequencyLimit::doHandle('banned', $i + 1, 86400, 1);
	FrequencyLimit::doHandle('banned', $i + 1, 86400, 1, ['type' => 1, 'ttl' => 43200]);
}
$hot = 0;
$errors = 0;
for ($i = 0; $i < 10 * $slots; $i++) {
	if (!FrequencyLimit::doHandle('flood', $i + 1, 3600, 10)) {
		$errors++;
	}
	if ($i % 100 === 0) {
		$hot += (int) FrequencyLimit::doHandle('hot', 1, 86400, 1000);
	}
}
same(0, $errors, 'new identities are served all the same');
same(min(1000, (int) ceil(10 * $slots / 100)), $hot, 'the hot one was admitted exactly as often as its limit says');
$freed = ['exhausted' => 0, 'banned' => 0];
foreach ($freed as $action => $n) {
	for ($i = 0; $i < 100; $i++) {
		$freed[$action] += (int) FrequencyLimit::doHandle($action, $i + 1, 86400, 1);
	}
}
same(['exhausted' => 0, 'banned' => 0], $freed, 'freed by the flood');

$after = FrequencyLimit\Monitor::stats();
between(8 * $slots, $after['evictions'] - $before['evictions'], 10 * $slots, 'live ones that had to go are counted');
between($slots * 0.9, $after['slots_used'], $slots, 'slots in use');
done();
?>
--EXPECT--
done
