<?php

/*
 * Prints what a release promises: promised.php MODULE >docs/promised.txt
 *
 * A line is a class, a method, a property, a case, a setting with its default, a store, a limit as text, a header, a metric, a
 * command, or the version of a format. tests/module/promised.phpt compares the list with the next version: lines may come,
 * none may go or change. scripts/release-check.sh requires that the list is complete.
 */

declare(strict_types=1);

use FrequencyLimit\{FrequencyLimit as Guard, InvalidArgument, Limit, Limiter, Monitor, Reason, Result};

/** A type, with the parts of a union in one order for all versions of PHP. */
function type_text(?ReflectionType $type): string
{
	$parts = preg_replace('/^\?(.*)/', '$1|null', (string) $type);
	$parts = explode('|', $parts);
	sort($parts);
	return implode('|', $parts);
}

function method_text(ReflectionMethod $method): string
{
	$parameters = array_map(fn (ReflectionParameter $p): string => type_text($p->getType()) . ($p->isVariadic() ? ' ...$' : ' $') . $p->name . (!$p->isDefaultValueAvailable() ? ''
		: ' = ' . ($p->getDefaultValue() instanceof UnitEnum ? $p->getDefaultValue()::class . '::' . $p->getDefaultValue()->name : json_encode($p->getDefaultValue()))), $method->getParameters());
	return ($method->isStatic() ? 'static ' : '') . "$method->class::$method->name(" . implode(', ', $parameters) . ')' . ($method->hasReturnType() ? ': ' . type_text($method->getReturnType()) : '');
}

function class_lines(ReflectionClass $class, string $name): array
{
	if ($name !== $class->name) {
		return ["class $name is $class->name"];
	}
	$kind = $class->isEnum() ? 'enum' : ($class->isInterface() ? 'interface' : 'class');
	$lines = ["$kind $class->name"];
	foreach ([...array_filter([$class->getParentClass()]), ...$class->getInterfaces()] as $parent) {
		if (!in_array($parent->name, ['BackedEnum', 'UnitEnum', 'Stringable', 'Throwable'], true)) {
			$lines[] = "$class->name is $parent->name";
		}
	}
	foreach ($class->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
		if ($method->class === $class->name && !($class->isEnum() && in_array($method->name, ['cases', 'from', 'tryFrom'], true))) {
			$lines[] = method_text($method);
		}
	}
	foreach ($class->getProperties(ReflectionProperty::IS_PUBLIC) as $property) {
		if ($property->class === $class->name && !$class->isEnum()) {
			$lines[] = "$class->name::\$$property->name: " . type_text($property->getType());
		}
	}
	foreach ($class->getReflectionConstants(ReflectionClassConstant::IS_PUBLIC) as $constant) {
		if ($constant->class === $class->name) {
			$value = $constant->getValue();
			$lines[] = "$class->name::$constant->name = " . json_encode($value instanceof BackedEnum ? $value->value : $value);
		}
	}
	return $lines;
}

function api_lines(): array
{
	$classes = (new ReflectionExtension('ratelimit'))->getClasses();
	return array_merge(...array_map(class_lines(...), array_values($classes), array_keys($classes)));
}

/** Stores and limits as text, which a configuration has. */
function text_lines(): array
{
	$lines = [];
	foreach (['shm:', 'redis://user:password@host:6379/1', 'unix://user:password@/path.sock?db=1', 'redis+sentinel://host:26379,other/master?db=1', 'redis+cluster://host:6379,other'] as $store) {
		new Limiter('promised', Limit::fixedWindow(1, 1), $store);
		$lines[] = "store $store";
	}
	try {
		new Limiter('promised', Limit::fixedWindow(1, 1), 'redis://host?promised=1');
	} catch (InvalidArgument $e) {
		preg_match('/there are: (.*)\)/', $e->getMessage(), $found);
		array_push($lines, ...array_map(fn (string $option): string => "store option $option", explode(', ', $found[1])));
	}
	foreach (['fixed:5/1m', 'log:5/1m', 'window:5/1m', 'calendar:5/day@UTC', 'bucket:5/1m', 'concurrent:5/1m', 'fixed:5/1500ms', 'bucket:5/1m,burst=10', 'fixed:5/1m,ban=1h', 'fixed:5/1m,bans=1h+1d,forget=7d',
		'fixed:5/1m,lease', 'fixed:5/1m,name=minute', 'fixed:5/1m,by=user', 'fixed:5/1m,shadow', 'fixed:5/1m,unit=tokens'] as $text) {
		$lines[] = 'limit ' . Limit::parse($text);
	}
	return $lines;
}

function http_lines(): array
{
	$result = Result::of(Reason::Limited, 5, retryAfter: 60);
	return array_merge(array_map(fn (string $name): string => "header $name", array_keys($result->headers(legacy: true))), array_map(fn (string $name): string => "problem $name", array_keys($result->problem())));
}

/** Metrics with the labels of their samples, and the keys of the statistics. */
function monitor_lines(): array
{
	$limiter = new Limiter('promised', [Limit::fixedWindow(1, 60)->named('minute'), Limit::fixedWindow(1, 60)->named('shadow')->shadow()]);
	$limiter->consume(1);
	$limiter->consume(1);
	Guard::doHandle('promised', 1, 60, 1);
	Guard::doHandle('promised', 1, 60, 1);
	$text = Monitor::metrics();
	preg_match_all('/^# TYPE (\S+) (\S+)$/m', $text, $types, PREG_SET_ORDER);
	$lines = array_map(fn (string $key): string => "statistic $key", array_keys(Monitor::stats()));
	foreach ($types as [, $name, $type]) {
		preg_match("/^{$name}(?:_total|_info)?(?:\{(.*)\})? /m", $text, $sample);
		preg_match_all('/(\w+)="/', $sample[1] ?? '', $labels);
		$lines[] = "metric $name $type" . implode('', array_map(fn (string $label): string => " $label", $labels[1]));
	}
	return $lines;
}

function command_lines(string $source): array
{
	preg_match('/const OPTIONS = (\[.*?\n    \]);.*?const ALL = (\[.*?\]);/s', $source, $found);
	$options = fn (array $of): string => implode('', array_map(fn (string $name, bool $hasValue): string => " --$name" . ($hasValue ? '=' : ''), array_keys($of), $of));
	$lines = ['command' . $options(eval("return $found[2];"))];
	foreach (eval("return $found[1];") as $command => $of) {
		$lines[] = "command $command" . $options($of);
	}
	preg_match('/^const (DONE = .*);$/m', $source, $found);
	return array_merge($lines, array_map(fn (string $status): string => 'exit status ' . strtolower(implode(' ', array_reverse(explode(' = ', $status)))), explode(', ', $found[1])));
}

function format_lines(string $root): array
{
	preg_match('/^#define RL_SEGMENT_LAYOUT (\d+)/m', file_get_contents("$root/src/shm/segment/segment.h"), $layout);
	preg_match('/^#define RL_REDIS_VERSION (\d+)/m', file_get_contents("$root/src/redis/wire_format.h"), $redis);
	return ["format of the segment $layout[1]", "format of requests and states on Redis $redis[1]"];
}

$root = dirname(__DIR__);
$run = function (string ...$options) use ($argv): string {
	$process = proc_open([PHP_BINARY, '-n', '-d', "extension=$argv[1]", ...$options], [1 => ['pipe', 'w']], $pipes);
	$output = stream_get_contents($pipes[1]);
	return proc_close($process) === 0 ? $output : throw new RuntimeException($output);
};
if (!extension_loaded('ratelimit')) {
	echo $run('-d', 'ratelimit.shm_path=private', __FILE__, $argv[1]);
	exit;
}
$settings = json_decode($run('-r', 'echo json_encode(ini_get_all("ratelimit"));'), true);
/* A pool cannot set these, and a server refuses the last one; PHP has no access for that. */
$alone = ['ratelimit.shm_size' => 'php.ini', 'ratelimit.shm_path' => 'php.ini', 'ratelimit.global_class' => 'php.ini', 'ratelimit.testing' => 'the command line'];
$access = [INI_ALL => 'everywhere', INI_PERDIR | INI_SYSTEM => 'php.ini, a folder or a pool', INI_SYSTEM => 'php.ini or a pool'];
$lines = [
	...api_lines(),
	...array_map(fn (string $name, array $s): string => "setting $name = \"{$s['global_value']}\", " . ($alone[$name] ?? $access[$s['access']]), array_keys($settings), $settings),
	...text_lines(), ...http_lines(), ...monitor_lines(), ...command_lines(file_get_contents("$root/bin/ratelimit")), ...format_lines($root),
];
sort($lines);
echo implode("\n", $lines), "\n";
