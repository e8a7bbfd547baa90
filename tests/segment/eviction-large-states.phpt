--TEST--
A flood of sliding logs evicts no exhausted log, and every decision stays exact
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
ratelimit.shm_size=1M
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
FrequencyLimit\Clock::freeze(1_900_000_000);

for ($user = 1; $user <= 20; $user++) {
	for ($i = 0; $i < 50; $i++) {
		ok(FrequencyLimit::isActionAllowed($user, 'exhausted', 86400, 50), "$user: $i");
	}
}
for ($i = 0; $i < 40000; $i++) {
	ok(FrequencyLimit::isActionAllowed("flood-$i", 'log', 3600, 50), "newcomer $i");
}
$freed = 0;
for ($user = 1; $user <= 20; $user++) {
	$freed += (int) FrequencyLimit::isActionAllowed($user, 'exhausted', 86400, 50);
}
same(0, $freed, 'exhausted logs freed by the flood');
ok(FrequencyLimit\Monitor::stats()['evictions'] > 0, 'evictions are counted');
done();
?>
--EXPECT--
done
