--TEST--
The end of a permit that counts no more writes nothing: what a newer limit carries over stays
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\Clock;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;

Clock::freeze(1_800_000_000);
$before = new Limiter('deployed', Limit::slidingWindow(17, 7));
$after = new Limiter('deployed', [Limit::slidingWindow(17, 7), Limit::fixedWindow(3, 2)->carry(3)->named('carries')]);
$permit = $before->acquire(7);
Clock::advance(6);
$after->consume(7);
/* The first permit counts no more; the window is over and passes 2 permits on. */
Clock::advance(3);
same(true, $permit->cancel(), 'the end of the old permit');
same([4, 'carries'], [($result = $after->consume(7))->remaining, $result->name], '3 and 2 carried over, less 1');
done();
?>
--EXPECT--
done
