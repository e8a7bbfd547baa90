--TEST--
A limited function can be called during preloading; identifyBy() cannot
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . "/matrix.inc";
needs_opcache();
?>
--FILE--
<?php
require __DIR__ . "/matrix.inc";
$folder = temp_folder();
file_put_contents("$folder/preload.php", <<<'PHP'
	<?php
	#[FrequencyLimit\AccessLimit(3600, 3)]
	function preloaded(): void { echo 1; }
	final class Preloaded {
		#[FrequencyLimit\AccessLimit(3600, 3)]
		public static function method(): void { echo 2; }
	}
	foreach (["preloaded", "Preloaded::method"] as $call) { $call(); $call(); }
	try {
		FrequencyLimit\Request::identifyBy(fn () => 7);
	} catch (Error $e) {
		echo "|", $e->getMessage(), "|";
	}
	PHP);
file_put_contents("$folder/main.php", <<<'PHP'
	<?php
	for ($i = 0; $i < 3; $i++) {
		foreach (["preloaded", "Preloaded::method"] as $call) {
			try { $call(); } catch (FrequencyLimit\LimitExceeded $e) { echo "-"; }
		}
	}
	PHP);
$ini = ["opcache.preload" => "$folder/preload.php"] + OPCACHE;
if (is_root()) {
	$ini["opcache.preload_user"] = "root";
}
[$exit, $output] = run_command(plain_php($ini, ["$folder/main.php"]));
same(0, $exit, "exit code");
ok(preg_match("/^1122\|.*identifyBy\(\).*preloading\|12----$/s", $output) === 1, "two while preloading, one after it: $output");

done();
?>
--EXPECT--
done
