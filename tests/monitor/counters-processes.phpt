--TEST--
No count of any process is lost, also of one that has ended; names without room share one row
--EXTENSIONS--
ratelimit
pcntl
--INI--
ratelimit.shm_size=1M
--FILE--
<?php
require __DIR__ . '/counters.inc';
use FrequencyLimit\{Limit, Limiter};

$children = [];
for ($child = 0; $child < 4; $child++) {
	$children[] = $pid = pcntl_fork();
	if ($pid === 0) {
		$limiter = new Limiter('shared', Limit::fixedWindow(10, 3600));
		for ($i = 0; $i < 100; $i++) {
			$limiter->allow("child $child");
			FrequencyLimit::doHandle('like', 1 + $child, 3600, 10);
		}
		exit(0);
	}
}
foreach ($children as $pid) {
	pcntl_waitpid($pid, $status);
}
same(['decisions' => 400, 'refused' => 360, 'near' => 4], counts('shared'), 'a limiter');
same(['refused' => 360], counts('like', 'action'), 'an action');

for ($i = 0; $i < 100; $i++) {
	(new Limiter("name $i", Limit::fixedWindow(10, 3600)))->allow(1);
}
$rows = FrequencyLimit\Monitor::limiters();
same(['other', 'other'], [end($rows)['kind'], end($rows)['name']], 'the last row');
same(400 + 100, array_sum(array_column($rows, 'decisions')), 'all decisions');
same(17, count($rows), 'the names of a segment of 1 MB');
done();
?>
--EXPECT--
done
