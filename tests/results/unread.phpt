--TEST--
A Result whose properties were not read compares, prints and iterates like one whose properties were
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Clock, Limit, Limiter, Reason, Result};

Clock::freeze(1_700_000_000.0);
$limiter = new Limiter('unread', Limit::fixedWindow(2, 60)->named('minute'));
$make = function () use ($limiter): Result {
	static $id = 0;
	return $limiter->consume(++$id);
};
$expected = ['accepted' => true, 'reason' => Reason::Accepted, 'limit' => 2, 'remaining' => 1, 'retryAfter' => 0.0, 'resetAfter' => 60.0,
	'nextAfter' => 0.0, 'name' => 'minute', 'store' => 'shm', 'granted' => 1, 'wait' => 0.0, 'shadow' => null, 'level' => 0,
	'limits' => [['name' => 'minute', 'limit' => 2, 'remaining' => 1, 'resetAfter' => 60.0, 'unit' => 'requests', 'window' => 60.0]]];

$ways = [
	'get_object_vars' => get_object_vars(...),
	'as an array' => fn (Result $r): array => (array) $r,
	'foreach' => function (Result $r): array {
		$all = [];
		foreach ($r as $name => $value) {
			$all[$name] = $value;
		}
		return $all;
	},
	'one by one' => function (Result $r) use ($expected): array {
		$all = [];
		foreach (array_reverse(array_keys($expected)) as $name) {
			$all[$name] = $r->$name;
		}
		return array_reverse($all);
	},
	'with ??' => function (Result $r) use ($expected): array {
		$all = [];
		foreach (array_keys($expected) as $name) {
			$all[$name] = $r->$name ?? null;
		}
		return $all;
	},
	'by reflection' => function (Result $r): array {
		$all = [];
		foreach ((new ReflectionClass($r))->getProperties() as $property) {
			same(true, $property->isInitialized($r), "{$property->getName()} is initialized");
			$all[$property->getName()] = $property->getValue($r);
		}
		return $all;
	},
	'array_column' => function (Result $r) use ($expected): array {
		$all = [];
		foreach (array_keys($expected) as $name) {
			$all[$name] = array_column([$r], $name)[0];
		}
		return $all;
	},
];
foreach ($ways as $way => $read) {
	$r = $make();
	same($expected, $read($r), $way);
	same($expected, $read($r), "$way, again");
}
foreach (['isset' => [true, true, false, false], 'empty' => [false, true, true, true]] as $construct => $answers) {
	foreach (['limit', 'retryAfter', 'shadow', 'unknown'] as $i => $name) {
		$r = $make();
		same($answers[$i], $construct === 'isset' ? isset($r->$name) : empty($r->$name), "$construct of $name");
	}
}

[$unread, $read] = [$make(), $make()];
get_object_vars($read);
same(true, $unread == $read, 'an unread one equals one that was read');
same(true, $make() == $make(), 'two unread ones');
same(false, $limiter->consume(1) == $read, 'another one');
same(print_r($read, true), print_r($make(), true), 'print_r');
same(json_encode($read), json_encode($make()), 'JSON');
same(var_export($read, true), var_export($make(), true), 'var_export');
ob_start();
var_dump($make());
same(1, substr_count(ob_get_clean(), '["level"]=>'), 'var_dump');

/* One place in the code reads several Results, of which some are read already. */
foreach ([$make(), $read, $make()] as $r) {
	same(['minute', 'shm', 60.0], [$r->name, $r->store, $r->resetAfter], 'one place');
}
$r = $make();
$weak = WeakReference::create($r);
same(Reason::Accepted, $r->reason, 'with a weak reference');
unset($r);
same(null, $weak->get(), 'freed');
throws(Error::class, ['readonly property FrequencyLimit\Result::$limit'], fn () => $make()->limit = 1, 'a write');
throws(Error::class, ['readonly property FrequencyLimit\Result::$limit'], fn () => $make()->limit++, 'an increment');
throws(Error::class, ['readonly'], function () use ($make) { $r = $make(); unset($r->reason); }, 'unset');
done();
?>
--EXPECT--
done
