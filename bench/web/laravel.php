<?php
require __DIR__ . '/page.php';
require getenv('BENCH_AUTOLOAD');

use Illuminate\Cache\{ApcStore, ApcWrapper, RateLimiter, Repository};

$limiter = new RateLimiter(new Repository(new ApcStore(new ApcWrapper(), 'laravel')));
$key = "page:$_GET[id]";
if ($limiter->tooManyAttempts($key, (int) $_GET['n'])) {
    too_often($limiter->availableIn($key));
} else {
    $limiter->hit($key, 3600);
    comments();
}
