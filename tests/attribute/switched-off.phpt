--TEST--
ratelimit.attributes=0 disables the attribute; a script cannot change the setting
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . "/matrix.inc";
$code = "#[FrequencyLimit\AccessLimit(3600, 1)] function f() { echo 1; } ini_set(\"ratelimit.attributes\", \"%s\");
	eval(\"#[FrequencyLimit\\\\AccessLimit(3600, 1)] function g() { echo 2; }\");
	for (\$i = 0; \$i < 3; \$i++) foreach ([\"f\", \"g\"] as \$f) try { \$f(); } catch (FrequencyLimit\LimitExceeded) {}";
same("12", run_command(plain_php([], ["-r", sprintf($code, "0")]))[1], "on");
same("121212", run_command(plain_php(["ratelimit.attributes" => "0"], ["-r", sprintf($code, "1")]))[1], "off");
play(["ratelimit.attributes" => "0"], 5, 5);

done();
?>
--EXPECT--
done
