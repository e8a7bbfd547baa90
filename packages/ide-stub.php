<?php
/* Writes the IDE stub to stdout: ratelimit.stub.php, with what PHP's generator of arginfo does not take. These are
 * #[\Attribute], #[\NoDiscard], and the types below, which PHP's syntax cannot express. scripts/packages.sh calls it.
 *
 * Each type is checked against the parameter's own type in the stub. A type that lacks a part of it (an array, null) is an
 * error, so that a changed signature cannot keep an old type. */
declare(strict_types=1);

/** Returns a bound of src/core/limit/limit.h. */
function bound(string $name): ?string
{
	return preg_match("/^#define $name\\s+(?:\\\\\n\\s*)?INT64_C\((\\d+)\)/m", file_get_contents(__DIR__ . '/../src/core/limit/limit.h'), $m) ? $m[1] : null;
}

define('COUNT_MAX', bound('RL_LIMIT_MAX') ?? fail('src/core/limit/limit.h has no RL_LIMIT_MAX'));
/* Of counters and attributes. */
define('COUNTER_MAX', bound('RL_COUNTER_MAX') ?? COUNT_MAX);
const COUNT = 'int<1, ' . COUNT_MAX . '>';
const FROM_ZERO = 'int<0, ' . COUNT_MAX . '>';
const COUNTER_NUMBER = 'int<1, ' . COUNTER_MAX . '>';
const MOMENTS = 'int<1, 10000>';
const SECONDS = 'int<1, 315360000>|float';
const SECONDS_FROM_ZERO = 'int<0, 315360000>|float';
const UNIX_TIME = 'int<0, 253402300799>|float';
const NAME = 'non-empty-string';
const EXPIRE = "array{}|array{type: 1|2|'1'|'2', ttl: int|numeric-string}|null";
const COUNTER = ['action' => NAME, 'time' => 'int<1, 315360000>', 'number' => COUNTER_NUMBER, 'expire' => EXPIRE];
const SHARE = ['cost' => COUNT, 'leave' => FROM_ZERO, 'atLeast' => COUNT . '|null'];
const LIMITER = [
	'consume' => SHARE,
	'allow' => ['cost' => COUNT],
	'acquire' => SHARE + ['maxWait' => SECONDS_FROM_ZERO],
	'peek' => ['cost' => FROM_ZERO],
	'consumeMany' => ['@template' => 'K of array-key', 'ids' => 'array<K, int|string>', 'cost' => COUNT, '@return' => 'array<K, Result>'],
	'reserve' => ['cost' => COUNT],
	'cancel' => ['cost' => COUNT],
	'credit' => ['cost' => COUNT],
	'ban' => ['end' => SECONDS . '|Period|\DateTimeInterface'],
];
/* By class and method, and there by parameter. */
const TYPES = [
	'FrequencyLimit' => [
		'doHandle' => COUNTER,
		'check' => COUNTER,
		'peek' => COUNTER,
		'isActionAllowed' => ['actionKey' => NAME, 'period' => 'int<1, 315360000>', 'maxCount' => MOMENTS],
		'reset' => ['action' => NAME],
	],
	'Limit' => [
		'fixedWindow' => ['limit' => COUNT, 'seconds' => SECONDS],
		'calendar' => ['limit' => COUNT, 'timezone' => NAME . '|null', 'weekStart' => 'int<1, 7>'],
		'slidingLog' => ['limit' => MOMENTS, 'seconds' => SECONDS],
		'slidingWindow' => ['limit' => COUNT, 'seconds' => SECONDS],
		'tokenBucket' => ['rate' => COUNT, 'seconds' => SECONDS, 'burst' => COUNT . '|null'],
		'concurrent' => ['limit' => MOMENTS, 'seconds' => SECONDS],
		'ban' => ['end' => SECONDS . '|Period|\DateTimeInterface|non-empty-array<' . SECONDS . '>', 'forget' => SECONDS . '|null'],
		'named' => ['name' => NAME],
		'unit' => ['unit' => NAME],
		'by' => ['identity' => NAME],
		'__set_state' => ['array' => 'array<string, mixed>'],
		'__serialize' => ['@return' => 'array<mixed>'],
		'__unserialize' => ['data' => 'array<mixed>'],
		'every' => ['limit' => COUNT, 'timezone' => NAME . '|null'],
		'parse' => ['text' => NAME],
	],
	'LimiterInterface' => LIMITER,
	'Limiter' => ['__construct' => ['name' => NAME, 'limits' => 'Limit|non-empty-array<Limit>', 'store' => NAME . '|null'],
	] + LIMITER,
	'Permit' => [
		'settle' => ['cost' => FROM_ZERO],
		'renew' => ['seconds' => SECONDS . '|null'],
	],
	'Result' => [
		'of' => ['limit' => COUNT, 'remaining' => FROM_ZERO . '|null', 'retryAfter' => SECONDS_FROM_ZERO . '|null', 'resetAfter' => SECONDS_FROM_ZERO . '|null',
			'nextAfter' => SECONDS_FROM_ZERO . '|null', 'name' => NAME . '|null', 'store' => "'shm'|'redis'|'local'|'cache'|'lease'|'exempt'",
			'granted' => FROM_ZERO . '|null', 'wait' => SECONDS_FROM_ZERO, 'window' => SECONDS_FROM_ZERO],
		'headers' => ['@return' => 'array<non-empty-string, non-empty-string>'],
		'status' => ['@return' => '200|429|503'],
		'problem' => ['@return' => "array{type: string, title: string, status: 429|503, detail: string, retry_after?: int<1, max>, 'violated-policies'?: list<string>}"],
		'retryText' => ['@return' => 'non-empty-string'],
	],
	'Request' => [
		'identifyBy' => ['resolver' => '(callable(): (int|string|null))|null'],
		'clientAddress' => ['@return' => NAME],
	],
	'AccessLimit' => [
		'__construct' => ['seconds' => SECONDS, 'maxCount' => COUNTER_NUMBER, 'action' => NAME . '|null'],
	],
	'ConcurrencyLimit' => ['__construct' => ['limit' => MOMENTS, 'seconds' => SECONDS, 'action' => NAME . '|null']],
	'RateLimit' => ['__construct' => ['name' => NAME, 'cost' => COUNT . '|non-empty-array<string, ' . FROM_ZERO . '>', 'id' => 'non-empty-string|non-empty-array<string, non-empty-string>|null']],
	'Clock' => [
		'freeze' => ['at' => UNIX_TIME . '|null'],
		'advance' => ['seconds' => SECONDS_FROM_ZERO],
		'travelTo' => ['at' => UNIX_TIME . '|\DateTimeInterface'],
	],
];
/* The elements of an array, by the parameter's name, where its type above has none. */
const ARRAYS = [
	'cost' => 'non-empty-array<string, ' . FROM_ZERO . '>',
	'id' => 'non-empty-array<string, int|string>',
];
/* Methods of which a result that is thrown away is a bug: a permit that ends at once, a changed copy that nothing uses. A call
 * that only counts (consume(), doHandle()) is none. */
const NO_DISCARD = [
	'Limit' => ['fixedWindow', 'calendar', 'slidingLog', 'slidingWindow', 'tokenBucket', 'concurrent', 'none', 'ban', 'named', 'unit', 'by', 'shadow', 'leased', 'every', 'parse'],
	'LimiterInterface' => ['acquire'],
	'Limiter' => ['acquire'],
	'Permit' => ['of'],
	'Result' => ['of', 'headers', 'status', 'problem', 'retryText'],
];
const ATTRIBUTES = [
	'AccessLimit' => '\Attribute::TARGET_FUNCTION | \Attribute::TARGET_METHOD | \Attribute::IS_REPEATABLE',
	'ConcurrencyLimit' => '\Attribute::TARGET_FUNCTION | \Attribute::TARGET_METHOD',
	'RateLimit' => '\Attribute::TARGET_FUNCTION | \Attribute::TARGET_METHOD | \Attribute::TARGET_CLASS | \Attribute::IS_REPEATABLE',
];

function fail(string $message): never
{
	fwrite(STDERR, "ide-stub.php: $message\n");
	exit(1);
}

/** Returns the types of a method's parameters, with those of arrays that TYPES lacks. @return array<string, string> */
function types_of(string $class, string $method, string $parameters): array
{
	$types = TYPES[$class][$method] ?? [];
	preg_match_all('/(?:^|, )(\S+) \$(\w+)/', $parameters, $found, PREG_SET_ORDER);
	foreach ($found as [, $native, $name]) {
		if (preg_match('/\barray\b/', $native) && !str_contains($types[$name] ?? '', 'array') && isset(ARRAYS[$name])) {
			$others = implode('|', array_diff(explode('|', $native), ['array']));
			$types[$name] = ltrim(($types[$name] ?? $others) . '|' . ARRAYS[$name], '|');
		}
	}
	return $types;
}

/** Fails for a type that lacks a part of the native one. */
function check(string $method, string $parameter, string $native, string $type): void
{
	$names = ['int' => '/\bint\b|\b\d+\b/', 'float' => '/\bfloat\b/', 'string' => '/string|\'/', 'array' => '/\barray\b|non-empty-array/', 'null' => '/\bnull\b/',
		'callable' => '/\bcallable\b/'];
	foreach (explode('|', str_starts_with($native, '?') ? substr($native, 1) . '|null' : $native) as $part) {
		if (!preg_match($names[$part] ?? '/' . preg_quote($part, '/') . '/', $type)) {
			fail("$method(\$$parameter) is $native in ratelimit.stub.php, and its type here lacks $part: $type");
		}
	}
}

/** Returns a docblock's lines without their frame. @return list<string> */
function docblock_lines(string $docblock): array
{
	$text = preg_replace(['~^\s*/\*\*~', '~\*/\s*$~'], '', $docblock);
	$lines = array_map(fn (string $line): string => preg_replace('/^\s*\* ?/', '', rtrim($line)), explode("\n", trim($text)));
	$lines = array_filter($lines, fn (string $line): bool => !preg_match('/^@(strict-properties|not-serializable|generate-class-entries|undocumentable)/', $line));
	while ($lines && end($lines) === '') {
		array_pop($lines);
	}
	/* One tag in the line of a text would hide it. */
	return array_merge(...array_map(fn (string $line): array => preg_match('/^(.+\S) (@throws .+)$/', $line, $m) ? [$m[1], '', $m[2]] : [$line], array_values($lines))) ?: [''];
}

/** Sets a tag's type: replaces that of an existing tag, or adds the tag before those that follow it. @param list<string> $lines */
function with_tag(array $lines, string $tag, string $type, ?string $parameter): array
{
	$pattern = $parameter === null ? "/^$tag\\s+(?:array<[^>]*>|\\S+)/" : "/^@param\\s+[^\$]*\\\$$parameter\\b/";
	$line = $parameter === null ? "$tag $type" : "@param $type \$$parameter";
	foreach ($lines as $i => $old) {
		if ($tag !== '@template' && preg_match($pattern, $old, $found)) {
			$lines[$i] = $line . substr($old, strlen($found[0]));
			return $lines;
		}
	}
	$later = match ($tag) {
		'@template' => '/^@/',
		'@param' => '/^@(return|throws)/',
		default => '/^@throws/',
	};
	$at = array_key_first(preg_grep($later, $lines)) ?? count($lines);
	$separated = $at === 0 || $lines[$at - 1] === '' || preg_grep('/^@/', array_slice($lines, 0, $at));
	array_splice($lines, $at, 0, $separated ? [$line] : ['', $line]);
	return $lines;
}

/** Frames a docblock. @param list<string> $lines */
function framed(array $lines, string $indent): string
{
	return "$indent/**\n" . implode('', array_map(fn (string $line): string => rtrim("$indent * $line") . "\n", $lines)) . "$indent */\n";
}

$stub = file_get_contents(__DIR__ . '/../ratelimit.stub.php');
$class = '';
$seen = [];
$output = preg_replace_callback('~^(?<doc>[ \t]*/\*\*(?:(?!\*/).)*\*/\n)?(?<line>(?<indent>[ \t]*)(?<decl>(?:final )?(?:class|interface|enum) (?<class>\w+)|public (?:static )?function (?<method>\w+)\((?<parameters>[^\n]*)\))[^\n]*\n)~ms',
	function (array $m) use (&$class, &$seen): string {
		$doc = $m['doc'] === '' ? [] : docblock_lines($m['doc']);
		$before = '';
		if (($m['class'] ?? '') !== '') {
			$class = $m['class'];
			if (isset(ATTRIBUTES[$class])) {
				$before = "$m[indent]#[\\Attribute(" . ATTRIBUTES[$class] . ")]\n";
				$seen["attribute $class"] = true;
			}
		} else {
			$method = $m['method'];
			foreach (types_of($class, $method, $m['parameters']) as $name => $type) {
				if (str_starts_with($name, '@')) {
					$doc = with_tag($doc, $name, $type, null);
				} elseif (preg_match("/(?:^|, )(\\S+) \\\$$name\\b/", $m['parameters'], $native)) {
					check("$class::$method", $name, $native[1], $type);
					$doc = with_tag($doc, '@param', $type, $name);
				} else {
					fail("$class::$method() has no parameter \$$name");
				}
				$seen["$class::$method $name"] = true;
			}
			if (in_array($method, NO_DISCARD[$class] ?? [], true)) {
				$before = "$m[indent]#[\\NoDiscard]\n";
				$seen["discard $class::$method"] = true;
			}
		}
		return ($doc ? framed($doc, $m['indent']) : '') . $before . $m['line'];
	}, preg_replace('~^<\?php\n\n/\*\*.*?\*/\n~s', '', $stub, 1, $headers));
if ($headers !== 1 || $output === null) {
	fail('ratelimit.stub.php does not begin with a docblock');
}

$expected = [];
foreach (TYPES as $in => $methods) {
	foreach ($methods as $method => $types) {
		foreach ($types as $name => $_) {
			$expected[] = "$in::$method $name";
		}
	}
}
foreach (NO_DISCARD as $in => $methods) {
	foreach ($methods as $method) {
		$expected[] = "discard $in::$method";
	}
}
foreach (ATTRIBUTES as $in => $_) {
	$expected[] = "attribute $in";
}
if ($missing = array_diff($expected, array_keys($seen))) {
	fail('ratelimit.stub.php has no ' . implode(', ', $missing));
}
preg_match('~^<\?php\n\n(/\*\*.*?\*/\n)~s', $stub, $header);
$text = docblock_lines($header[1]);
$text[0] = "The API of the PHP extension ratelimit, for IDEs, PHPStan and Psalm. scripts/packages.sh generates it from\nratelimit.stub.php. Never load this file.";
echo "<?php\n\n", framed(array_merge(...array_map(fn ($line) => explode("\n", $line), $text)), ''), $output,
	"\n/* The same class, also with ratelimit.global_class=0. */\nnamespace {\n    class_alias('FrequencyLimit', 'FrequencyLimit\\\\FrequencyLimit');\n}\n";
