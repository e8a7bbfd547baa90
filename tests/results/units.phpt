--TEST--
unit() names the unit of a limit's permits in RateLimit-Policy and Result::$limits, and changes no count
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'redis'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';

use FrequencyLimit\{InvalidArgument, Limit, Limiter, Request};

function policy(Limit|array $limits, string $name = 'units'): string
{
	return (new Limiter($name, $limits))->consume('u')->headers()['RateLimit-Policy'];
}

function scenario(TestStore $store): void
{
	$limits = ['requests' => Limit::slidingLog(60, 60), 'tokens' => Limit::tokenBucket(9000, 60)->unit('tokens'), 'bytes' => Limit::fixedWindow(1000, 86400)->unit('content-bytes')];
	$costs = ['requests' => 1, 'tokens' => 1200, 'bytes' => 7];
	$result = (new Limiter('several', $limits))->consume('u', $costs);
	same('"requests";q=60;w=60, "tokens";q=9000;qu="tokens";w=60, "bytes";q=1000;qu="content-bytes";w=86400', $result->headers()['RateLimit-Policy'], 'of all limits');
	same(['requests', 'tokens', 'content-bytes'], array_column($result->limits, 'unit'), 'Result::$limits');
	same(['name', 'limit', 'remaining', 'resetAfter', 'unit', 'window'], array_keys($result->limits[0]), 'an entry');
	$refused = (new Limiter('several', $limits))->consume('u', ['tokens' => 8000] + $costs);
	same([false, 'tokens', $result->headers()['RateLimit-Policy']], [$refused->accepted, $refused->name, $refused->headers()['RateLimit-Policy']], 'of a refusal');
	ok(str_starts_with($refused->problem()['detail'], 'The limit is 9000 tokens in 60 seconds. '), 'in the text of a refusal: ' . $refused->problem()['detail']);
	same('This costs more than the whole limit of 1000 content-bytes: it never passes.', (new Limiter('several', $limits))->consume('u', ['bytes' => 1001] + $costs)->problem()['detail'], 'that never passes');

	/* One limit; a permit; a place. */
	same('"default";q=5;qu="tokens";w=60', policy(Limit::fixedWindow(5, 60)->unit('tokens'), 'one'), 'one limit');
	same('"default";q=5;qu="requests";w=60', policy(Limit::fixedWindow(5, 60)->unit('tokens')->unit('requests'), 'one'), 'a later unit');
	same('"a";q=5;qu="a \"b\\\\ c";w=60', policy(['a' => Limit::slidingLog(5, 60)->unit('a "b\ c')], 'odd'), 'quoted as a name');
	$limiter = new Limiter('permit', [Limit::concurrent(2, 60), Limit::calendar(9, FrequencyLimit\Period::Day, 'UTC')->unit('tokens')]);
	same(['concurrent-requests', 'tokens'], array_column($limiter->acquire('u')->result->limits, 'unit'), 'of a permit');
	same('requests', FrequencyLimit::check('units', 'u', 60, 5)->limits[0]['unit'], 'of a counter');

	/* The count goes on with another unit. */
	foreach ([Limit::fixedWindow(5, 60), Limit::slidingLog(5, 60), Limit::slidingWindow(5, 60), Limit::tokenBucket(5, 60)] as $i => $limit) {
		same([4, 3, 2], array_map(fn (Limit $limit): int => (new Limiter("renamed $i", $limit))->consume('u')->remaining, [$limit, $limit->unit('tokens'), $limit->unit('bytes')]), "renamed, $limit");
	}
	$pair = fn (string $unit): Limiter => new Limiter('twins', [Limit::fixedWindow(5, 60)->unit($unit), Limit::fixedWindow(5, 60)->named('b')->unit($unit)]);
	$pair('x')->consume('u', 2);
	same([2, 2], array_column($pair('y')->consume('u')->limits, 'remaining'), 'of equal limits');
}

#[FrequencyLimit\RateLimit('file')]
function limited(): ?array
{
	return Request::lastResult()?->limits;
}

scenario(each_store('embedded', 'redis', 'running'));

/* A section of the file, and a function that it limits. */
$file = tempnam(sys_get_temp_dir(), 'units');
file_put_contents($file, "[file]\na = fixed:5/60s,unit=tokens\n[more]\na = fixed:5/60s,unit=tokens\nb = log:9/60s,unit=a%2Cb\n");
ini_set('ratelimit.limiters', $file);
same('"a";q=5;qu="tokens";w=60', Limiter::named('file')->consume('u')->headers()['RateLimit-Policy'], 'of the file');
same('"a";q=5;qu="tokens";w=60, "b";q=9;qu="a,b";w=60', Limiter::named('more')->consume('u')->headers()['RateLimit-Policy'], 'of two units');
same(['tokens', 'tokens'], [limited()[0]['unit'], limited()[0]['unit']], 'of a function');
unlink($file);

foreach (['', str_repeat('x', 65), "a\nb", 'ä'] as $unit) {
	throws(InvalidArgument::class, ['$unit must be '], fn () => Limit::fixedWindow(5, 60)->unit($unit), json_encode($unit));
}
throws(InvalidArgument::class, ['$unit must not be set on a concurrent limit, which has the unit concurrent-requests, "tokens" given'], fn () => Limit::concurrent(5, 60)->unit('tokens'), 'a concurrent limit');
throws(InvalidArgument::class, ['a concurrent limit has the unit concurrent-requests, "tokens" given'], fn () => Limit::parse('concurrent:5/60s,unit=tokens'), 'its text');
same('fixed:5/1m,shadow,unit=a%2Cb,by=b,name=n', (string) Limit::fixedWindow(5, 60)->by('b')->named('n')->unit('a,b')->shadow(), 'the text');
ok(Limit::fixedWindow(5, 60)->unit('tokens') != Limit::fixedWindow(5, 60), 'another limit');
done();
?>
--EXPECT--
done
