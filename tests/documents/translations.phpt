--TEST--
A Chinese page names the version of the English page that it follows, and fails when the English page has changed
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/readme.inc';
[$exit, $output] = run_command([ROOT . '/scripts/translations.sh', '--check']);
same([0, ''], [$exit, $output], 'pages that are behind');
done();
?>
--EXPECT--
done
