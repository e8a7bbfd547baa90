--TEST--
peek() answers like check(), and changes nothing
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores(); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';

use FrequencyLimit\Reason;

/** Returns the facts that must be equal in two answers at one moment; on Redis time passes between them. */
function same_answer(TestStore $store, FrequencyLimit\Result $expected, FrequencyLimit\Result $actual, string $what): void
{
	$facts = fn ($r) => [$r->accepted, $r->reason, $r->limit, $r->remaining, $r->name, $r->store];
	same($facts($expected), $facts($actual), $what);
	between($expected->retryAfter - $store->grain(), $actual->retryAfter, $expected->retryAfter + $store->grain(), "$what: retryAfter");
	between($expected->resetAfter - $store->grain(), $actual->resetAfter, $expected->resetAfter + $store->grain(), "$what: resetAfter");
}

function scenario(TestStore $store): void
{
	$ban = ['type' => 1, 'ttl' => 3600];
	$peek = fn (?array $expire = []) => FrequencyLimit::peek('peek', 'user-1', 60, 3, $expire);
	$check = fn (?array $expire = []) => FrequencyLimit::check('peek', 'user-1', 60, 3, $expire);

	/* A new identity; a peek starts no window. */
	$r = $peek();
	same([true, Reason::Accepted, 3, 2, 0.0], [$r->accepted, $r->reason, $r->limit, $r->remaining, $r->retryAfter], 'nobody yet');
	same(false, FrequencyLimit::reset('peek', 'user-1'), 'nothing was written');

	for ($i = 1; $i <= 3; $i++) {
		for ($looks = 0; $looks < 5; $looks++) {
			$foretold = $peek();
		}
		same_answer($store, $foretold, $check(), "call $i is answered as foretold");
	}
	$store->advance(20);
	same_answer($store, $peek(), $check(), 'the refused one, too');
	between(40 - $store->grain(), $peek()->retryAfter, 40.002, 'it passes when the window is over');

	/* A peek at a call that would start a ban starts none. */
	same(Reason::Banned, $peek($ban)->reason, 'the call would begin a ban');
	same(Reason::Limited, $peek()->reason, 'it has not begun');
	same_answer($store, $peek($ban), $check($ban), 'and then it does');
	same(Reason::Banned, $peek()->reason, 'the ban');
	$store->advance(1000);
	same_answer($store, $peek(), $check(), 'in the ban');

	/* Over. */
	$store->advance(2600);
	same_answer($store, $peek(), $check(), 'after the ban');

	/* doHandle's counts are the same. */
	FrequencyLimit::doHandle('peek', 7, 60, 5);
	same(3, FrequencyLimit::peek('peek', '7', 60, 5)->remaining, 'after doHandle');

	throws(FrequencyLimit\InvalidArgument::class, ['非法参数', '$action'], fn () => FrequencyLimit::peek('', 7, 60, 5), 'no action');
	throws(FrequencyLimit\InvalidArgument::class, ['非法参数', '$id'], fn () => FrequencyLimit::peek('peek', '', 60, 5), 'no identity');
	throws(FrequencyLimit\InvalidArgument::class, ['非法参数', '$time'], fn () => FrequencyLimit::peek('peek', 7, 0, 5), 'no time');
	throws(FrequencyLimit\InvalidArgument::class, ['非法参数', '$number'], fn () => FrequencyLimit::peek('peek', 7, 60, 0), 'no number');
}

scenario(each_store());
done();
?>
--EXPECT--
done
