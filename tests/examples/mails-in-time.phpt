--TEST--
MailQueue: every mail is sent in order, each at its turn in line; a failed one costs nothing
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/examples.inc';

use App\MailQueue;
use FrequencyLimit\Clock;

Clock::freeze(1_900_000_000);
$clock = 0.0;
$read_clock = function () use (&$clock): float {
	return $clock;
};
$queue = new MailQueue($read_clock);
for ($i = 1; $i <= 8; $i++) {
	$queue->add("$i@example.org");
}

$sent = [];
$fails = 1;
$send = function (string $recipient) use (&$clock, &$sent, &$fails): bool {
	if ($recipient === '3@example.org' && $fails-- > 0) {
		return false;
	}
	$sent[] = [$recipient[0], $clock];
	return true;
};
while (($pause = $queue->run($send)) !== null) {
	Clock::advance($pause);
	$clock += $pause;
}

/* The second queue stands behind the first one in the same line. */
$other = new MailQueue($read_clock);
$other->add('a@example.org');
$queue->add('9@example.org');
$queue->add('0@example.org');
$queue->run($send);
$other->run($send);
for ($i = 0; $i < 3; $i++) {
	Clock::advance(2);
	$clock += 2;
	$queue->run($send);
	$other->run($send);
}

same([['1', 0.0], ['2', 0.0], ['3', 1.0], ['4', 1.0], ['5', 1.0], ['6', 2.0], ['7', 4.0], ['8', 6.0],
	['9', 8.0], ['a', 10.0], ['0', 12.0]], $sent, 'when each went out');

done();
?>
--EXPECT--
done
