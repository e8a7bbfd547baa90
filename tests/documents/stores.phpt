--TEST--
PHP accepts each ratelimit.store that the documents show
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/readme.inc';

$shown = 0;
foreach (['README.md', 'docs/redis.md', 'docs/settings.md', 'ratelimit.ini'] as $file) {
	preg_match_all('/^;?ratelimit\.store = "?([^"\n]+)"?$/m', readme($file), $lines);
	preg_match_all('~`((?:rediss?|unix|redis\+\w+)://[^`…\[]+)`~', readme($file), $words);
	foreach ([...$lines[1], ...$words[1]] as $dsn) {
		ok(@ini_set('ratelimit.store', $dsn) !== false || str_starts_with($dsn, 'rediss:') || str_contains($dsn, 'tls=1'), "$file: $dsn");
		$shown++;
	}
}
ok($shown >= 7, "there are $shown");
done();
?>
--EXPECT--
done
