--TEST--
The segment's file has refused and banned identities in the clear with ratelimit.top=1 alone, and until reset()
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';

/* docs/debugging.md and SECURITY.md describe this. */
foreach (['1' => [0, 1, 1, 1], '0' => [0, 0, 0, 0]] as $top => $expected) {
	$path = temp_folder() . '/segment';
	[$exit, $said] = run_php('
		use FrequencyLimit\{Limit, Limiter};
		$limiter = new Limiter("limiter", Limit::fixedWindow(1, 60));
		foreach (["admitted caller", "refused caller", "refused caller"] as $id) {
			$limiter->consume($id);
		}
		foreach ([1, 2] as $call) {
			FrequencyLimit::check("action", "refused user", 60, 1);
		}
		FrequencyLimit::ban("action", "banned user", 100);
		$found = fn (): array => array_map(fn (string $id): int => (int) str_contains(file_get_contents($argv[1]), $id), ["admitted caller", "refused caller", "refused user", "banned user"]);
		$before = $found();
		$limiter->reset("refused caller");
		FrequencyLimit::reset("action", "refused user");
		FrequencyLimit::reset("action", "banned user");
		echo json_encode([$before, $found()]);', ['ratelimit.shm_path' => $path, 'ratelimit.shm_size' => '1M', 'ratelimit.top' => $top], arguments: [$path]);
	same([0, [$expected, [0, 0, 0, 0]]], [$exit, json_decode($said)], "ratelimit.top=$top: $said");
}
done();
?>
--EXPECT--
done
