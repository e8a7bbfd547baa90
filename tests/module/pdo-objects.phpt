--TEST--
Classes of static and factory methods that PDO makes around their private constructors are an Error, and never a crash
--EXTENSIONS--
ratelimit
pdo
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;

/* FETCH_CLASSTYPE: the row's first column names the class. PDO calls its constructor, also a private one. */
$pdo = new PDO('sqlite::memory:');
$fetch = function (string $class, int $more) use ($pdo): mixed {
	$statement = $pdo->query("SELECT 'FrequencyLimit\\$class'");
	$statement->setFetchMode(PDO::FETCH_CLASS | PDO::FETCH_CLASSTYPE | $more);
	return $statement->fetch();
};
foreach ([0, PDO::FETCH_PROPS_LATE] as $more) {
	throws(Error::class, ['A FrequencyLimit\Limit is made by a factory method'], fn () => $fetch('Limit', $more), 'Limit');
	foreach (['Clock', 'Monitor', 'Request'] as $class) {
		throws(Error::class, ["FrequencyLimit\\$class has static methods only"], fn () => $fetch($class, $more), $class);
	}
	throws(ArgumentCountError::class, ['expects at least 2 arguments, 0 given'], fn () => $fetch('Limiter', $more), 'Limiter');
}
foreach (['fetchObject' => fn () => $pdo->query('SELECT 1')->fetchObject(Limit::class), 'with a property' => fn () => $pdo->query('SELECT 1 AS "limit"')->fetchObject(Limit::class)] as $what => $call) {
	throws(Error::class, [], $call, $what);
}
done();
?>
--EXPECT--
done
