<?php
require __DIR__ . '/page.php';
require getenv('BENCH_AUTOLOAD');

use Symfony\Component\Cache\Adapter\ApcuAdapter;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\FlockStore;
use Symfony\Component\RateLimiter\RateLimiterFactory;
use Symfony\Component\RateLimiter\Storage\CacheStorage;

$limiter = new RateLimiterFactory(
    ['id' => 'page', 'policy' => 'fixed_window', 'limit' => (int) $_GET['n'], 'interval' => '1 hour'],
    new CacheStorage(new ApcuAdapter('symfony')),
    isset($_GET['locked']) ? new LockFactory(new FlockStore()) : null,
);
$limit = $limiter->create($_GET['id'])->consume();
if ($limit->isAccepted()) {
    comments();
} else {
    too_often($limit->getRetryAfter()->getTimestamp() - time());
}
