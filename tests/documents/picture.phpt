--TEST--
docs/admissions.svg shows what the limits admit today
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/readme.inc';

[$exit, $drawn] = run_command(php_command([], [ROOT . '/docs/admissions.php']));
same(0, $exit, 'docs/admissions.php');
ok($drawn === readme('docs/admissions.svg'), 'docs/admissions.svg is what docs/admissions.php draws');

done();
?>
--EXPECT--
done
