<?php

/* Without strict_types, as the calls of many applications are. cases.php FILE: runs each snippet of a file, and prints what it
 * returns or throws. */

foreach (require $argv[1] as $code) {
    try {
        FrequencyLimit\Clock::unfreeze();
        FrequencyLimit\Clock::freeze(1_900_000_000);
        FrequencyLimit::flush();
        $returned = eval($code);
        $text = is_string($returned) ? $returned : json_encode($returned, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION);
    } catch (Throwable $e) {
        $text = $e::class . "({$e->getCode()}): " . preg_replace('/, called in .*/s', '', $e->getMessage());
    }
    echo json_encode([$code, $text], JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE), "\n";
}
