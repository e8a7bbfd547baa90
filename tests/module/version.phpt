--TEST--
PHP reports the version of the header file, and a release's binary has the name that PIE asks for
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
preg_match('/PHP_RATELIMIT_VERSION "([^"]+)"/', file_get_contents(__DIR__ . '/../../php_ratelimit.h'), $found);
same($found[1], phpversion('ratelimit'), 'phpversion()');
ok((bool) preg_match('/^\d+\.\d+\.\d+/', $found[1]), 'three numbers');

/* PIE's rule (docs/extension-maintainers.md there): php_{name}-{tag}_php{X.Y}-{architecture}-{system}-{libc}{-debug}{-zts, -nts}.{zip, tgz}. */
$root = __DIR__ . '/../..';
$package = json_decode(file_get_contents("$root/composer.json"), true)['php-ext'];
$musl = glob('/lib/ld-musl-*') !== [] && !is_dir('/lib64');
$asked = ["php_{$package['extension-name']}", "v$found[1]_php" . implode('.', array_slice(explode('.', PHP_VERSION), 0, 2)),
	['x86_64' => 'x86_64', 'aarch64' => 'arm64'][php_uname('m')], $package['os-families'][0], $musl ? 'musl' : 'glibc', ...(PHP_DEBUG ? ['debug'] : []), PHP_ZTS ? 'zts' : 'nts'];
exec('PHP=' . escapeshellarg(PHP_BINARY) . ' bash ' . escapeshellarg("$root/scripts/release-check.sh") . ' --names 2>&1', $names, $exit);
same([0, ["ratelimit-$found[1].tar.gz", implode('-', $asked) . '.zip']], [$exit, $names], 'the names of a release');
/* It builds the source: a string, because PIE 1.3.1 ends with an error at a list. */
same('composer-default', $package['download-url-method'], 'what PIE downloads');
done();
?>
--EXPECT--
done
