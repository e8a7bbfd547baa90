--TEST--
All spellings of one path share a count per function (php-fpm)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.inc';
needs_fpm();
?>
--FILE--
<?php
require __DIR__ . '/path.inc';
$site = new FpmSite(site_folder(PATHS_APP));
check_paths($site);
/* A URI in absolute form; and a web server that passes only the script. */
same(0, passing($site, ['http://example.org/a', 'https://other.example/a?x']), 'an absolute URI');
same(0, passing($site, ['http://example.org', 'http://example.org?x', 'http://example.org?x=a://b/c', '?x=a://b/c', '?x=a://b/d', '#a://b/c']),
	'/ as an absolute URI without a path; what a query says is no host');
same(0, passing($site, ['\\a', '/INDEX.PHP/1', '']), 'what only some servers let through');

done();
?>
--EXPECT--
done
