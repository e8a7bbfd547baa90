--TEST--
Tests have counts of their own: ratelimit.testing, also from a script, and PHPUnit; flush() empties no counts of others
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/user.inc';
needs_apart();
?>
--FILE--
<?php
require __DIR__ . '/user.inc';
run_apart(__FILE__);

same([0, '4 user'], run_php(CALLS), 'an application');
foreach ([
	'by php -d' => [CALLS, ['ratelimit.testing' => '1']],
	'by ini_set()' => ['ini_set("ratelimit.testing", 1);' . CALLS, []],
	'by ini_set(), where a limiter exists' => ['$l = new FrequencyLimit\Limiter("l", FrequencyLimit\Limit::fixedWindow(1, 60)); ini_set("ratelimit.testing", 1); $l->allow("u");' . CALLS, []],
	'and off again' => ['ini_set("ratelimit.testing", 1); FrequencyLimit::flush(); ini_set("ratelimit.testing", 0);' . CALLS, []],
	'PHPUnit by Composer' => ['define("PHPUNIT_COMPOSER_INSTALL", "/vendor/autoload.php");' . CALLS, []],
	'PHPUnit as a PHAR' => ['define("__PHPUNIT_PHAR__", "/usr/bin/phpunit");' . CALLS, []],
	'a tool that is built on PHPUnit' => ['namespace PHPUnit\Framework { abstract class TestCase {} } namespace {' . CALLS . '}', []],
] as $what => [$code, $ini]) {
	for ($i = 0; $i < 2; $i++) {
		same([0, '4 memory'], run_php($code, $ini), $what);
	}
}
same([1, 1], [count(tickets()), count(segments())], 'no further memory');

[$exit, $said] = run_php('FrequencyLimit::doHandle("user", 1, 3600, 4);
	var_dump(ini_set("ratelimit.testing", 1));
	try { FrequencyLimit::flush(); } catch (FrequencyLimit\StoreException $e) { echo $e->getMessage(); }', ['display_errors' => '1', 'log_errors' => '0', 'html_errors' => '0']);
ok(str_contains($said, 'set it before the first use of a limiter') && str_contains($said, 'bool(false)') && str_contains($said, 'ratelimit.testing is off'), "too late: $said");
same([0, '0 user'], run_php(CALLS), 'the counts of the application are there');
done();
?>
--EXPECT--
done
