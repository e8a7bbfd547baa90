--TEST--
Random programs: automatic leases of one and two machines match the model of leases (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/simclock.inc';
needs_stopped_redis();
needs_tool('simclock.so');
?>
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
require_once __DIR__ . '/../include/tools.inc';

$stores = ['stopped redis'];
$kind = 'autoLeased';
[$exit, $said] = play_with_leases($kind, (int) amount(3000, 1500), 20_000);
/* A run without batches, or without a refusal, proves nothing. */
if ($exit !== 0 || preg_match_all('/, machines [12]: \d+ programs, \d+ calls, all answered as the model answers$/m', $said) !== 2
		|| !preg_match('/\d  consume accepted, lease$/m', $said) || !preg_match('/\d  consume (limited|banned), redis$/m', $said)) {
	echo $said;
}
echo "done\n";
--EXPECT--
done
