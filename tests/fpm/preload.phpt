--TEST--
php-fpm: a decision in opcache.preload precedes every worker, and a reload keeps the segment
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.inc';
needs_fpm();
if (!extension_file('opcache') && !extension_loaded('Zend OPcache')) {
	die('skip opcache is not loaded in this configuration');
}
?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.inc';
$folder = temp_folder(0755);
file_put_contents("$folder/preload.php", '<?php
	FrequencyLimit::doHandle("preload", 1, 86400, 1000);
	FrequencyLimit::isActionAllowed(1, "preload", 86400, 1000);
	shell_exec("true");
	class Preloaded {}');
$ini = ['opcache.enable' => '1', 'opcache.preload' => "$folder/preload.php"];
if (is_root()) {
	/* As root: for another user opcache would preload in a process of its own. */
	$ini['opcache.preload_user'] = 'root';
}
$fpm = new Fpm($ini);
same(true, $fpm('return class_exists("Preloaded", false);'), 'it was preloaded');
$count = 'return 1000 - FrequencyLimit::check("preload", 1, 86400, 1000)->remaining;';
same(2, $fpm($count), 'what it counted is shared');
$fpm('for ($i = 0; $i < 10; $i++) FrequencyLimit::doHandle("kept", 1, 86400, 5);');
for ($reload = 1; $reload <= 3; $reload++) {
	$fpm->reload();
	same(false, $fpm('return FrequencyLimit::doHandle("kept", 1, 86400, 5);'), "reload $reload: exhausted");
	same(2 + 2 * $reload, $fpm($count), "reload $reload: and preloading counted once more");
}
same(0, preg_match('/memfd/', $fpm('return shell_exec("ls -l /proc/self/fd");')), 'and no program inherits it');
done();
?>
--EXPECT--
done
