--TEST--
A count is a function's at one path, however the path is written (php -S)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/path.inc';
check_paths(new PhpSite(site_folder(PATHS_APP)));

done();
?>
--EXPECT--
done
