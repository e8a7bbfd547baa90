--TEST--
leased() without a number is lease=auto as text, $leased is 0, and any limit may have it
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{InvalidArgument, Limit, Limiter};

foreach (['fixed:1000/1m', 'window:1000/1m', 'bucket:1000/1m', 'log:10/1m', 'fixed:1000/1m,ban=1h'] as $text) {
	$limit = Limit::parse($text)->leased();
	same("$text,lease=auto", (string) $limit, 'as text');
	same([0, 1], [$limit->leased, Limit::parse($text)->leased], "$text: \$leased");
	same(true, $limit == Limit::parse("$text,lease=auto") && $limit == unserialize(serialize($limit)), "$text: equal copies");
	same(false, $limit == Limit::parse($text), "$text: not equal without");
	same(true, (new Limiter('one', [$limit, Limit::parse('fixed:5/1m,lease=auto')]))->peek('x')->accepted, "$text: one of several");
}
same('fixed:1000/1m,lease=5', (string) Limit::parse('fixed:1000/1m,lease=auto')->leased(5), 'a number replaces it');
same('fixed:1000/1m,lease=auto', (string) Limit::parse('fixed:1000/1m,lease=5')->leased(null), 'and it replaces a number');
throws(InvalidArgument::class, ['lease', 'auto'], fn () => Limit::parse('bucket:5/1m,lease=5'), 'a bucket has no lease of a number');
throws(InvalidArgument::class, ['lease', 'automatic'], fn () => Limit::parse('fixed:5/1m,lease=automatic'), 'another word');
done();
?>
--EXPECT--
done
