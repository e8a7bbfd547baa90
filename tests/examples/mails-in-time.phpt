--TEST--
MailQueue: every mail is sent in order, each when its domain has a permit; a failed one costs nothing
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
$queue = new MailQueue();
for ($i = 1; $i <= 8; $i++) {
	$queue->add("$i@example.org");
}

$clock = 0.0;
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

same([['1', 0.0], ['2', 0.0], ['3', 1.0], ['4', 1.0], ['5', 1.0], ['6', 2.0], ['7', 4.0], ['8', 6.0]], $sent, 'when each went out');

done();
?>
--EXPECT--
done
