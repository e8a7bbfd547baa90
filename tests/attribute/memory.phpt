--TEST--
Closures of one function share its limits: a loop that creates closures uses no more memory
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . "/../include/assert.inc";
use FrequencyLimit\{AccessLimit, LimitExceeded};

class A {}
class B extends A {}
$call = function (object $scope, int $max): bool {
	$limited = Closure::bind(#[AccessLimit(3600, 5)] function () { return true; }, $scope, $scope::class);
	try {
		return $limited();
	} catch (LimitExceeded) {
		return false;
	}
};
$evaluated = function (string $attribute): bool {
	$limited = eval("return #[$attribute(3600, 5)] fn () => true;");
	try {
		return $limited();
	} catch (LimitExceeded) {
		return false;
	}
};
$passed = 0;
for ($i = 0; $i < 500; $i++) {
	$passed += $call($i % 2 ? new A() : new B(), 5) + $evaluated(AccessLimit::class);
}
$before = memory_get_usage();
for ($i = 0; $i < 20000; $i++) {
	$passed += $call($i % 2 ? new A() : new B(), 5);
}
between(-20000, memory_get_usage() - $before, 20000, "what 20,000 closures leave");
/* PHP itself keeps some memory for each compiled piece of code; the extension adds the compiled call. */
$left = [];
foreach ([AccessLimit::class, "Another"] as $attribute) {
	$before = memory_get_usage();
	for ($i = 0; $i < 5000; $i++) {
		$passed += $attribute === "Another" ? !$evaluated($attribute) : $evaluated($attribute);
	}
	$left[] = (memory_get_usage() - $before) / 5000;
}
between(0, $left[0] - $left[1], 400, "bytes of a piece of code with a limit");
same(10, $passed, "each of both is one function");

done();
?>
--EXPECT--
done
