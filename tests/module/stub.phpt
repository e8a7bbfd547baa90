--TEST--
The extension's classes, methods and signatures are exactly those of the stub
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';

/* The stub's declarations, as "Class::method(parameters): type"; both sides are written the same way. */
$stub = file_get_contents(__DIR__ . '/../../ratelimit.stub.php');
$stub = preg_replace('~/\*.*?\*/~s', '', $stub);
$expected = [];
$namespace = $class = '';
foreach (explode("\n", $stub) as $line) {
	if (preg_match('/^namespace ?(\S*) ?\{/', $line, $m)) {
		$namespace = $m[1] === '' ? '' : "$m[1]\\";
	} elseif (preg_match('/^\s*(?:final )?(?:class|enum|interface) (\w+)/', $line, $m)) {
		$class = $namespace . $m[1];
		$expected[] = $class;
	} elseif (preg_match('/^\s*(public|private)( static)? function (\w+)\((.*)\)(?:: (\S+?))?( \{\}|;)$/', $line, $m)) {
		$expected[] = ($m[6] === ';' ? 'abstract ' : '') . "$m[1]$m[2] $class::$m[3]($m[4])" . ($m[5] === '' ? '' : ": $m[5]");
	} elseif (preg_match('/^\s*public (readonly )?(\S+) (\$\w+);/', $line, $m)) {
		$expected[] = "public $m[1]$m[2] $class::$m[3]";
	} elseif (preg_match('/^\s*case (\w+) = (.*);/', $line, $m)) {
		$expected[] = "case $class::$m[1] = $m[2]";
	}
}

$short = fn (string $type, string $class): string => preg_replace_callback('/\\\\?(FrequencyLimit\\\\)?(\w+\\\\)*\w+/', function ($m) use ($class) {
	$name = ltrim($m[0], '\\');
	return str_contains($class, '\\') && (class_exists($name, false) || interface_exists($name, false)) && !str_starts_with($name, 'FrequencyLimit')
		? "\\$name" : (str_contains($class, '\\') ? preg_replace('/^FrequencyLimit\\\\/', '', $name) : $name);
}, $type);
$actual = [];
foreach ((new ReflectionExtension('ratelimit'))->getClasses() as $c) {
	$actual[] = $c->name;
	foreach ($c->getMethods() as $m) {
		if ($m->class !== $c->name || ($c->isEnum() && in_array($m->name, ['cases', 'from', 'tryFrom'], true))) {
			continue;
		}
		$parameters = array_map(fn ($p) => $short((string) $p->getType(), $c->name) . ($p->isVariadic() ? ' ...$' : ' $') . $p->name
			. ($p->isDefaultValueAvailable() ? ' = ' . ($p->getDefaultValue() instanceof UnitEnum ? $short($p->getDefaultValue()::class, $c->name) . '::' . $p->getDefaultValue()->name
				: strtr(json_encode($p->getDefaultValue()), ['{}' => '[]'])) : ''), $m->getParameters());
		$actual[] = implode(' ', Reflection::getModifierNames($m->getModifiers() & ~ReflectionMethod::IS_FINAL)) . " $c->name::$m->name("
			. implode(', ', $parameters) . ')' . ($m->hasReturnType() ? ': ' . $short((string) $m->getReturnType(), $c->name) : '');
	}
	foreach ($c->isEnum() ? [] : $c->getProperties() as $p) {
		if ($p->class === $c->name) {
			$actual[] = 'public ' . ($p->isReadOnly() ? 'readonly ' : '') . $short((string) $p->getType(), $c->name) . " $c->name::\$$p->name";
		}
	}
	foreach ($c->isEnum() ? (new ReflectionEnum($c->name))->getCases() : [] as $case) {
		$actual[] = "case $c->name::$case->name = " . var_export($case->getBackingValue(), true);
	}
}
/* PHP prints the parts of a union or a nullable type in its own order. */
$order = function (string $line): string {
	return preg_replace_callback('/[\w\\\\]+(?:\|[\w\\\\]+)+/', function ($m) {
		$parts = explode('|', $m[0]);
		sort($parts);
		return implode('|', $parts);
	}, $line);
};
$expected = array_map($order, $expected);
$actual = array_map($order, $actual);
same([], array_values(array_diff($expected, $actual)), 'in the stub alone');
same([], array_values(array_diff($actual, $expected)), 'in the extension alone');
ok(count($expected) > 50, 'the stub was read');
same([], array_keys((new ReflectionExtension('ratelimit'))->getFunctions()), 'no functions');
done();
?>
--EXPECT--
done
