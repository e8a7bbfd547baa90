--TEST--
leased() is the word lease as text, $leased is true, and any limit may have it
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Limit, Limiter};

foreach (['fixed:1000/1m', 'window:1000/1m', 'bucket:1000/1m', 'log:10/1m', 'fixed:1000/1m,ban=1h'] as $text) {
	$limit = Limit::parse($text)->leased();
	same("$text,lease", (string) $limit, 'as text');
	same([true, false], [$limit->leased, Limit::parse($text)->leased], "$text: \$leased");
	same(true, $limit == Limit::parse("$text,lease") && $limit == unserialize(serialize($limit)), "$text: equal copies");
	same(false, $limit == Limit::parse($text), "$text: not equal without");
	same(true, (new Limiter('one', [$limit, Limit::parse('fixed:5/1m,lease')]))->peek('x')->accepted, "$text: one of several");
}
done();
?>
--EXPECT--
done
