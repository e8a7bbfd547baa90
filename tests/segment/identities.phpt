--TEST--
The segment has in the clear what SECURITY.md says: refused and banned identities with ratelimit.top=1, until reset()
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';

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

/* Names, networks that an operator bans, and Redis servers without their password. */
$path = temp_folder() . '/segment';
[$exit, $said] = run_php('
	use FrequencyLimit\{Limit, Limiter};
	$limiter = new Limiter("limiter", Limit::fixedWindow(1, 60)->named("limit"), "redis://user:password@127.0.0.1:1/3?timeout=50");
	$limiter->consume("u");
	$limiter->ban("192.0.2.0/24", 60, network: true);
	echo json_encode(array_map(fn (string $text): bool => str_contains(file_get_contents($argv[1]), $text), ["limiter", "limit\0", "192.0.2.0/24", "redis://user:***@127.0.0.1:1/3", "password"]));',
	['ratelimit.shm_path' => $path, 'ratelimit.shm_size' => '1M', 'ratelimit.top' => '0', 'log_errors' => '1', 'error_log' => '/dev/null'], arguments: [$path]);
same([0, '[true,true,true,true,false]'], [$exit, $said], 'names, networks and servers');
done();
?>
--EXPECT--
done
