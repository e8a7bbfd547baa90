--TEST--
The application's workers share one count, and exactly the limit passes under concurrent requests
--EXTENSIONS--
ratelimit
pcntl
--FILE--
<?php
require __DIR__ . '/app.inc';
$server = app();
$answers = array_merge(...in_processes(8, function () use ($server): array {
	$visitor = $server->visitor();
	$answers = [];
	for ($i = 0; $i < 10; $i++) {
		$answer = $visitor->post('/api/visit')->json();
		$answers[] = [$answer['accepted'], $answer['worker']];
	}
	return $answers;
}));
same(30, count(array_filter(array_column($answers, 0))), 'of 80 visits');
$workers = array_unique(array_column($answers, 1));
ok(count($workers) >= 2, 'several workers answered: ' . count($workers));
done();
?>
--EXPECT--
done
