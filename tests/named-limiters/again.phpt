--TEST--
named() returns the limiter of its name in the present file, in any order of names, files and spellings of methods
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/named.inc';
use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Limiter;
ini_set('error_log', temp_folder() . '/log');

/* Names of every length around the pieces in which a machine compares them, and their neighbours. */
$names = [];
foreach ([1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 39, 40, 41, 64] as $length) {
	$name = substr(str_repeat('abcdefghijklmnop', 4), 0, $length);
	array_push($names, $name, substr_replace($name, 'X', intdiv($length, 2), 1), substr_replace($name, 'Y', -1), substr_replace($name, 'Z', 0, 1));
}
$names = array_values(array_unique($names));
$text = fn (int $more): string => implode('', array_map(fn (string $name, int $i): string => "[$name]\nhour = fixed:" . ($i + $more) . "/1h\n", $names, array_keys($names)));
$file = limiters_file($text(1000));
$limits = fn (array $order): array => array_map(fn (int $i): int => Limiter::named($names[$i])->limits[0]->limit, $order);
mt_srand(7);
$orders = [array_keys($names), array_reverse(array_keys($names))];
for ($i = 0; $i < 20; ++$i) {
	$orders[] = array_map(fn (): int => mt_rand(0, count($names) - 1), range(1, 50));
}
foreach ($orders as $order) {
	$order = array_merge(...array_map(fn (int $i): array => [$i, $i], $order));
	same(array_map(fn (int $i): int => $i + 1000, $order), $limits($order), 'the limiters of the file');
}
foreach (['', 'abc ', "abc\0", 'ABC', str_repeat('a', 300)] as $wrong) {
	Limiter::named('abc');
	throws(InvalidArgument::class, ['must be a limiter of'], fn () => Limiter::named($wrong), 'a name that the file does not have');
}

/* Another file, and back; no file. */
$one = static fn (): int => Limiter::named('abc')->limits[0]->limit;
$first = [$one(), $one()];
$other = temp_folder(0755) . '/limiters.ini';
write_limiters($other, "[abc]\nhour = fixed:7/1h\n");
ini_set('ratelimit.limiters', $other);
same([7, 7], [$one(), $one()], 'another file');
ini_set('ratelimit.limiters', $file);
same($first, [$one(), $one()], 'the first one again');
ini_set('ratelimit.limiters', '');
throws(InvalidArgument::class, ['which is not set'], $one, 'no file');
ini_set('ratelimit.limiters', $file);

/* A new version, and one with a mistake. */
same($first, [$one(), $one()], 'the first one once more');
$object = Limiter::named('abc');
write_limiters($file, $text(5000));
same([$first[0] + 4000, $first[0], $first[0] + 4000], [$one(), $object->limits[0]->limit, $one()], 'a new version; objects keep the old one');
write_limiters($file, "[abc]\nhour = fixed:8/1h\nminute = fixed:9\n");
same([$first[0] + 4000, $first[0] + 4000], [$one(), $one()], 'a mistake keeps the version before');
write_limiters($file, "[abd]\nhour = fixed:8/1h\n");
throws(InvalidArgument::class, ['"abc" given'], $one, 'a name that is gone');

/* Every spelling of a method, and every way to it, finds that method. */
write_limiters($file, "[abc]\nhour = fixed:1000000/1h\n");
$limiter = Limiter::named('abc');
$used = static fn (): int => 1_000_000 - Limiter::named('abc')->peek('x', 0)->remaining;
for ($i = 1; $i <= 3; ++$i) {
	ok($limiter->allow('x') && $limiter->ALLOW('x') && $limiter->{'Allow'}('x') && [$limiter, 'allow']('x') && call_user_func([$limiter, 'aLLow'], 'x'), 'allow');
	ok($limiter->consume('x')->accepted && $limiter->Consume('x')->accepted && $limiter->{'consume'}('x')->accepted && ($limiter->consume(...))('x')->accepted, 'consume');
	same([9 * $i, false], [$used(), $limiter->unban('x')], 'the counts');
	throws(Error::class, ['undefined method FrequencyLimit\Limiter::allo()'], fn () => $limiter->allo('x'), 'no method');
}
done();
?>
--EXPECT--
done
