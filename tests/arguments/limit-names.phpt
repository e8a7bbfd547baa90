--TEST--
new Limiter() takes a limit's name from its string key, and rejects two limits of one name and two names of one limit
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
FrequencyLimit\Clock::freeze(1_900_000_000);
$limit = Limit::fixedWindow(5, 60);

$limiter = new Limiter('names', ['minute' => Limit::fixedWindow(5, 60), 'day' => Limit::fixedWindow(8, 86400), 7 => Limit::fixedWindow(9, 86400)]);
$result = $limiter->consume('a');
same('minute', $result->name, 'the key is the name');
ok(str_starts_with($result->headers()['RateLimit-Policy'], '"minute";q=5;w=60, "day";q=8;w=86400, "default-3"'), 'in the headers, too: ' . $result->headers()['RateLimit-Policy']);
same('x', (new Limiter('names', ['x' => $limit->named('x')]))->peek('b')->name, 'the key and named() may agree');
same(null, (new Limiter('names', ['x' => $limit]))->peek('b')->name === 'x' ? null : 'not x', 'one limit of an array');
same(null, (new Limiter('names', $limit))->peek('b')->name, 'the Limit itself was not changed');
same(null, (new Limiter('names', [$limit, $limit]))->peek('b')->name, 'two without a name are no conflict');

throws(InvalidArgument::class, ["非法参数: \$limits['day'] must have its key as its name, named('night') given"], fn () => new Limiter('names', ['day' => $limit->named('night')]), 'two names');
foreach ([[$limit->named('x'), $limit->named('x')], ['x' => $limit, 0 => $limit->named('x')]] as $i => $limits) {
	throws(InvalidArgument::class, ["非法参数: \$limits must have different names, 'x' given at positions 0 and 1"], fn () => new Limiter('names', $limits), "one name twice, case $i");
}
foreach (['', str_repeat('x', 65), "tab\t", 'ä'] as $key) {
	throws(InvalidArgument::class, ["非法参数: The key of \$limits, which is the limit's name, must be "], fn () => new Limiter('names', [$key => $limit]), json_encode($key));
}
done();
?>
--EXPECT--
done
