--TEST--
php-fpm: ten reloads under load keep every count and every ban, and lose no request
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.inc';
needs_fpm();
?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.inc';
$fpm = new Fpm();
$ask = fn (string $id, int $number = 5) => $fpm("return FrequencyLimit::check('reload', '$id', 86400, $number, ['type' => 1, 'ttl' => 43200])->reason;");
for ($i = 0; $i < 5; $i++) {
	$ask('exhausted');
	$ask('banned');
}
same('banned', $ask('banned'), 'banned');
same(true, $fpm('return FrequencyLimit::isActionAllowed("log", "reload", 86400, 1);'), 'a log');

/* Each reload happens while requests come and go. */
$admitted = 0;
for ($reload = 0; $reload < 10; $reload++) {
	$connections = [];
	for ($i = 0; $i < 8; $i++) {
		$connections[] = $fpm->send('hold(5); return FrequencyLimit::doHandle("load", 1, 86400, 100);');
	}
	$fpm->reload(function () use ($fpm, $connections, &$admitted) {
		foreach ($connections as $connection) {
			$admitted += (int) $fpm->answer($connection);
		}
	});
	same('limited', $fpm('return FrequencyLimit::check("reload", "exhausted", 86400, 5)->reason;'), "reload $reload: exhausted");
	same('banned', $fpm('return FrequencyLimit::check("reload", "banned", 86400, 5)->reason;'), "reload $reload: banned");
	same(false, $fpm('return FrequencyLimit::isActionAllowed("log", "reload", 86400, 1);'), "reload $reload: a log");
}
same(80, $admitted, 'requests admitted during ten reloads');
same(19, $fpm('return FrequencyLimit::check("load", 1, 86400, 100)->remaining;'), 'and counted, each once');
same([], $fpm->complaints(), 'the log');
done();
?>
--EXPECT--
done
