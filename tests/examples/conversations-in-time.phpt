--TEST--
Conversations: 10 new ones pass an hour, 30 a day; a full hour takes nothing from the day
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/examples.inc';

use App\ConversationController;
use FrequencyLimit\Clock;

$shanghai = fn (string $time): int => (new DateTimeImmutable($time, new DateTimeZone('Asia/Shanghai')))->getTimestamp();
$conversations = new ConversationController();
$start = fn () => $conversations->start(7);

Clock::freeze($shanghai('2030-05-01 09:59:59'));
foreach (['09:59:59' => 0, '10:00:00' => 1, '11:30:00' => 5400] as $time => $later) {
	Clock::advance($later);
	[$passed, $refusal] = until_refused($start, 50);
	same(10, $passed, "in the hour of $time");
	$last = $refusal;
	for ($i = 0; $i < 20; $i++) {
		$last = $start();
	}
	same($time === '11:30:00' ? 'day' : 'hour', $last->name, "refused at $time by");
}
same(12.5 * 3600, $last->retryAfter, 'until midnight in Shanghai');

Clock::advance(12.5 * 3600 - 1);
same('day', $start()->name, 'another hour, the same day');
Clock::advance(1);
same(10, until_refused($start, 50)[0], 'the next day');

done();
?>
--EXPECT--
done
