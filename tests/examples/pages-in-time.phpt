--TEST--
At 100 pages a minute a counter admits 199 in two seconds, a sliding log never more than 100 a minute
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/examples.inc';

use App\PageController;
use FrequencyLimit\Clock;

$pages = new PageController();
foreach (['visit' => 199, 'visitExactly' => 100] as $method => $together) {
	$visit = fn () => $pages->$method(7);
	Clock::freeze(1_900_000_000);
	same(true, $visit()->accepted, "$method: the first visit");
	Clock::advance(59);
	[$before] = until_refused($visit, 300);
	Clock::advance(1);
	[$after] = until_refused($visit, 300);
	same($together, $before + $after, "$method: visits within two seconds");
}

done();
?>
--EXPECT--
done
