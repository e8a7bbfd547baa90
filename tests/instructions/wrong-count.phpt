--TEST--
The benchmark fails for a contestant that admits one call too many or too few
--EXTENSIONS--
ratelimit
pcntl
posix
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';
$bench = __DIR__ . '/../../bench';
foreach (['lib/Rounds', 'lib/IdStream', 'lib/Scene', 'lib/loops', 'scenes/memory', 'scenes/two'] as $part) {
	require "$bench/$part.php";
}

/** Right in a process, and nothing beyond it. */
final class OwnCounts
{
	private static array $counts = [];

	public static function doHandle(int $id, int $number): bool
	{
		self::$counts[$id] ??= 0;
		return self::$counts[$id] < $number && self::$counts[$id]++ >= 0;
	}
}

$exactly = static fn (int $number): int => $number;
$contestants = [
	'right' => ['call' => "FrequencyLimit::doHandle('right', \$id, 3600, \$number)", 'admits' => $exactly],
	'generous' => ['call' => "FrequencyLimit::doHandle('generous', \$id, 3600, \$number + 1)", 'admits' => $exactly],
	'mean' => ['call' => "\$number > 1 && FrequencyLimit::doHandle('mean', \$id, 3600, \$number - 1)", 'admits' => $exactly],
	'own' => ['call' => 'OwnCounts::doHandle($id, $number)', 'admits' => $exactly],
];
$file = temp_folder() . '/loops.php';
bench_write_loops($contestants, $file);
require $file;

function outcome(string $scene, string $method, string $name): string
{
	global $contestants;
	try {
		$result = (new $scene([$name => $contestants[$name]], 1, 1_000_000))->$method();
		return $method === 'exact' ? (string) $result[$name] : 'ran';
	} catch (RuntimeException $e) {
		return $e->getMessage();
	}
}

same('10', outcome('MemoryScene', 'exact', 'right'), 'who is right');
same('generous admitted 11 calls instead of 10 (a limit of 10)', outcome('MemoryScene', 'exact', 'generous'), 'one too many');
same('mean admitted 9 calls instead of 10 (a limit of 10)', outcome('MemoryScene', 'exact', 'mean'), 'one too few');
same('own admitted 200000 calls instead of 100000 (a limit reached by two processes)', outcome('TwoScene', 'run', 'own'), 'two of them');
same('10', outcome('MemoryScene', 'exact', 'own'), 'right in one process');
done();
?>
--EXPECT--
done
