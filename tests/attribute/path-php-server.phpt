--TEST--
All spellings of one path share a count per function (php -S)
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
