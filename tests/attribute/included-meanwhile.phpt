--TEST--
A warning handler that includes another file during compilation leaves every limit enforced
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';

$folder = temp_folder();
$limited = fn (string $name) => "#[FrequencyLimit\\AccessLimit(3600, 2)] function $name() { return true; }";
/* Deprecated since PHP 8.0: the compiler reports it at once. */
file_put_contents("$folder/outer.php", "<?php\nfunction old(\$a = 1, \$b) {}\n" . $limited('outer') . "\n");
file_put_contents("$folder/inner.php", "<?php\n\n\n" . $limited('inner') . "\n");
file_put_contents("$folder/other.php", "<?php\n\n\nfunction other() {}\n");

$warned = 0;
set_error_handler(function () use ($folder, &$warned) {
	$warned++;
	include_once "$folder/inner.php";
	include_once "$folder/other.php";
	return true;
});
@include "$folder/outer.php";
restore_error_handler();
/* Opcache calls the handler after the compilation of a file. */
ok($warned > 0 || ini_get('opcache.enable_cli'), 'the compiler has complained');
include_once "$folder/inner.php";
foreach (['outer', 'inner'] as $name) {
	same([true, true], [$name(), $name()], $name);
	throws(FrequencyLimit\LimitExceeded::class, [], $name(...), "$name, once more");
}
done();
?>
--EXPECT--
done
