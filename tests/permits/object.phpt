--TEST--
A Permit cannot be made, cloned, changed, extended or serialized; its result is an ordinary readonly property
--EXTENSIONS--
ratelimit
pdo
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Limit, Limiter, Permit, Result};

$limiter = new Limiter('object', ['a' => Limit::concurrent(100, 60), 'b' => Limit::fixedWindow(1000, 60)]);
$new = fn (): Permit => $limiter->acquire('x');

/* The first use of $result makes it, whatever that use is. */
foreach ([
	'read' => fn ($p) => $p->result,
	'by a name' => fn ($p) => $p->{'res' . 'ult'},
	'foreach' => function ($p) { foreach ($p as $name => $value) { return $name === 'result' ? $value : null; } },
	'get_object_vars' => fn ($p) => get_object_vars($p)['result'],
	'cast' => fn ($p) => ((array) $p)['result'],
	'reflection' => fn ($p) => (new ReflectionProperty(Permit::class, 'result'))->getValue($p),
	'mangled' => fn ($p) => get_mangled_object_vars($p)['result'],
	'null-safe' => fn ($p) => $p?->result,
	'array_column' => fn ($p) => array_column([$p], 'result')[0],
] as $what => $read) {
	$permit = $new();
	$first = $read($permit);
	ok($first instanceof Result && $first->accepted, "$what: a Result");
	same(true, $first === $permit->result, "$what: the same one afterwards");
}
throws(InvalidArgumentException::class, ['not compatible with ArrayObject'], fn () => new ArrayObject($new()), 'ArrayObject, which could write it');
same(true, isset($new()->result), 'isset');
same(false, @empty($new()->result), 'empty');
same(true, isset($new()->result->accepted), 'isset of a property of it');
same(true, property_exists($new(), 'result'), 'property_exists');
same(true, (new ReflectionProperty(Permit::class, 'result'))->isInitialized($new()), 'isInitialized');
same(1, preg_match('/object\(FrequencyLimit\\\\Permit\)#\d+ \(1\) \{\s+\["result"\]=>\s+object\(FrequencyLimit\\\\Result\)/', dumped('var_dump', $new())), 'var_dump');
same(1, preg_match('/\[result\] => FrequencyLimit\\\\Result Object/', dumped('print_r', $new())), 'print_r');
ok(str_contains(var_export($new(), true), "'result' =>"), 'var_export');
$counts = json_decode(json_encode($new()), true)['result'] ?? [];
same([true, 'accepted', 1], [$counts['accepted'] ?? null, $counts['reason'] ?? null, $counts['granted'] ?? null], 'json_encode');

foreach ([
	'assignment' => fn ($p) => $p->result = 1,
	'increment' => fn ($p) => $p->result++,
	'unset' => function ($p) { unset($p->result); },
	'reflection' => fn ($p) => (new ReflectionProperty(Permit::class, 'result'))->setValue($p, 1),
] as $what => $write) {
	foreach ([false, true] as $read) {
		$permit = $new();
		if ($read) {
			$permit->result;
		}
		throws(Error::class, ['readonly property FrequencyLimit\Permit::$result'], fn () => $write($permit), "$what, " . ($read ? 'after' : 'before') . ' a read');
		same(true, $permit->result->accepted, "$what: it stays");
	}
}
$permit = $new();
$reference = &$permit->result; /* a copy, as of every readonly object */
$reference = 1;
same(true, $permit->result->accepted, 'a reference');
throws(Error::class, ['dynamic property'], fn () => $new()->other = 1, 'a dynamic property');
throws(Error::class, ['clone'], fn () => clone $new(), 'clone');
throws(Exception::class, ['not allowed'], fn () => serialize($new()), 'serialize');
throws(Exception::class, ['not allowed'], fn () => unserialize('O:21:"FrequencyLimit\Permit":0:{}'), 'unserialize');
throws(Error::class, ['private'], fn () => new Permit(), 'new');
throws(ReflectionException::class, ['final'], fn () => (new ReflectionClass(Permit::class))->newInstanceWithoutConstructor(), 'without a constructor');
same(true, (new ReflectionClass(Permit::class))->isFinal(), 'final');
$statement = (new PDO('sqlite::memory:'))->query("SELECT 'FrequencyLimit\\Permit'");
$statement->setFetchMode(PDO::FETCH_CLASS | PDO::FETCH_CLASSTYPE);
throws(Error::class, ['Limiter::acquire()'], fn () => $statement->fetch(), 'PDO');
[$one, $two] = [$new(), $new()];
same([true, false, false], [$one == $one, $one == $two, $one === $two], 'comparison');

/* The result of a calendar limit has the window of its own moment; a permit keeps its limiter. */
$permit = (new Limiter('gone', Limit::calendar(5, FrequencyLimit\Period::Day)->named('day')))->acquire(7);
same(['"day";q=5;w=86400', 'day'], [preg_replace('/w=\d+/', 'w=86400', $permit->result->headers()['RateLimit-Policy']), $permit->result->name], 'without its limiter');
$refused = (new Limiter('full', Limit::concurrent(1, 60)))->acquire(7, 2);
throws(FrequencyLimit\LimitExceeded::class, ['"full" by 7'], fn () => $refused->result->ensureAccepted(), 'the message of a refusal');

/** Returns what a function prints. */
function dumped(string $function, object $permit): string
{
	ob_start();
	$function($permit);
	return ob_get_clean();
}
done();
?>
--EXPECT--
done
