<?php

/* Without strict_types, as the calls of many applications are. cases.php FILE: runs each snippet of a file, and prints what it
 * returns or throws. */

/** Sets ratelimit.limiters to a file with this text. Its name depends on nothing else. */
function limiters(string $text): void
{
    $path = sys_get_temp_dir() . '/polyfill-limiters-' . md5($text) . '.ini';
    file_put_contents($path, $text);
    touch($path, time() - 60);
    limiters_at($path);
}

function limiters_at(string $path): void
{
    setting('ratelimit.limiters', $path);
}

function setting(string $name, string $value): void
{
    extension_loaded('ratelimit') ? ini_set($name, $value) : FrequencyLimit\Polyfill\Settings::set($name, $value);
}

foreach (require $argv[1] as $code) {
    try {
        FrequencyLimit\Clock::unfreeze();
        FrequencyLimit\Clock::freeze(1_900_000_000);
        FrequencyLimit::flush();
        setting('ratelimit.enforce', '1');
        $returned = eval($code);
        $text = is_string($returned) ? $returned : json_encode($returned, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION);
    } catch (Throwable $e) {
        $text = $e::class . "({$e->getCode()}): " . preg_replace('/, called in .*/s', '', $e->getMessage());
    }
    echo json_encode([$code, $text], JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
array_map(unlink(...), glob(sys_get_temp_dir() . '/polyfill-limiters-*.ini'));
