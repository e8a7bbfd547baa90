--TEST--
Objects that are created without their constructor are empty and safe
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';

/* The use of any object that PHP can create is an Error or a result, never a crash. */
foreach (['FrequencyLimit', 'FrequencyLimit\Limit', 'FrequencyLimit\Limiter', 'FrequencyLimit\Result', 'FrequencyLimit\Monitor', 'FrequencyLimit\Request', 'FrequencyLimit\Clock', 'FrequencyLimit\LimitExceeded', 'FrequencyLimit\AccessLimit'] as $class) {
	try {
		$object = (new ReflectionClass($class))->newInstanceWithoutConstructor();
		$made = true;
	} catch (ReflectionException) {
		$made = false;
	}
	same(in_array($class, ['FrequencyLimit', 'FrequencyLimit\Monitor', 'FrequencyLimit\Request', 'FrequencyLimit\Clock', 'FrequencyLimit\AccessLimit'], true), $made, "$class without its constructor");
	if (!$made) {
		continue;
	}
	foreach ([['ban', 5], ['named', 'x'], ['consume', 1], ['peek', 1], ['reset', 1], ['headers'], ['ensureAccepted']] as [$method]) {
		$arguments = ['ban' => [5, 5], 'named' => ['x'], 'consume' => [1], 'peek' => [1], 'reset' => [1]][$method] ?? [];
		if (method_exists($object, $method)) {
			try {
				$object->$method(...($class === 'FrequencyLimit\Limit' ? [$arguments[0]] : $arguments));
			} catch (Throwable) {
			}
		}
	}
	try {
		$copy = clone $object;
		unset($copy);
	} catch (Error) {
	}
	same([], get_object_vars($object), "$class: empty");
	unset($object);
}
done();
?>
--EXPECT--
done
