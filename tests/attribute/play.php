<?php
/* Plays all routes in this process, and prints their number and the failed ones. Arguments: the calls of each route, and
 * the calls that must pass. */
require_once __DIR__ . '/routes.inc';

use FrequencyLimit\LimitExceeded;
use Routes\Seen;

[, $calls, $passing] = $argv;
$routes = Routes\routes();
$wrong = [];
foreach ($routes as $name => $call) {
	Seen::$bodies = Seen::$afterwards = 0;
	$refused = 0;
	for ($i = 0; $i < $calls; $i++) {
		$before = Seen::$bodies;
		try {
			$call();
		} catch (LimitExceeded $e) {
			$refused++;
			if (Seen::$bodies !== $before || $e->result->accepted || $e->getCode() !== 429) {
				$wrong[] = "$name: the body ran, though refused";
				break;
			}
		} catch (Throwable $e) {
			$wrong[] = "$name: " . get_class($e) . ': ' . $e->getMessage();
			break;
		}
	}
	if ([Seen::$bodies, Seen::$afterwards, $refused] !== [(int) $passing, (int) $passing, $calls - $passing]) {
		$wrong[] = sprintf('%s: %d bodies, %d calls that came back, %d refusals', $name, Seen::$bodies, Seen::$afterwards, $refused);
	}
}
echo json_encode(['routes' => count($routes), 'wrong' => $wrong, 'cached' => function_exists('opcache_get_status')
	&& (bool) @opcache_is_script_cached(__DIR__ . '/routes.inc'), 'jit' => function_exists('opcache_get_status')
	&& (@opcache_get_status(false)['jit']['on'] ?? false)]);
