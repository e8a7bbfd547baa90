<?php

/** Limiters of PHP applications on Redis. */

$exactly = static fn (int $number): int => $number;
$one_fewer = static fn (int $number): int => $number - 1; // the article's listing refuses the $number-th call
$phpredis = ['scenes' => ['redis'], 'needs' => 'Redis'];
$everywhere = ['scenes' => ['redis', 'guarded', 'saturated']];

return [
    'phpredis_ping' => ['label' => 'PING through phpredis', 'make' => 'Peers::redis()', 'admits' => null,
        'call' => '$limiter->ping()', 'random' => false] + $phpredis,
    'evalsha' => $everywhere + ['label' => 'a fixed window by hand (EVALSHA of INCR and EXPIRE)', 'make' => 'Peers::redis()', 'key' => '"lua:$id"',
        'call' => '$limiter->evalSha(Peers::SCRIPT_SHA, [$key, 3600, $number], 1) === 1', 'admits' => $exactly] + $phpredis,
    'script_gcra' => ['scenes' => ['redis', 'saturated'], 'label' => 'a token bucket by hand (EVALSHA of TIME, GET, SET; GCRA)',
        'make' => 'Peers::script(Peers::GCRA)', 'key' => '"gcra:$id"', 'call' => '$limiter($key, $number, 3600) === 1', 'admits' => $exactly,
        'random' => false] + $phpredis,
    'script_log' => ['scenes' => ['redis', 'saturated'], 'label' => 'a sliding log by hand (EVALSHA of TIME and a sorted set)',
        'make' => 'Peers::script(Peers::LOG)', 'key' => '"log:$id"', 'call' => '$limiter($key, $number, 3600) === 1', 'admits' => $exactly,
        'random' => false, 'hundred' => true] + $phpredis,
    'script_nothing' => ['scenes' => ['saturated'], 'label' => 'a script that does nothing (EVALSHA of `return 1`)',
        'make' => "Peers::script('return 1')", 'key' => '"nothing:$id"', 'call' => '$limiter($key) === 1', 'admits' => null] + $phpredis,
    'script_looks' => ['scenes' => ['saturated'], 'label' => 'a script that looks before it counts (EVALSHA of GET and INCR), without an end',
        'make' => 'Peers::script(Peers::LOOKS)', 'key' => '"looks:$id"', 'call' => '$limiter($key, $number) > 0', 'admits' => $exactly] + $phpredis,
    'pipeline' => ['scenes' => ['redis', 'saturated'], 'label' => 'phpredis, INCR and EXPIRE NX in one pipeline (Redis 7)',
        'make' => 'Peers::redis()', 'key' => '"pipe:$id"', 'admits' => $exactly,
        'call' => '$limiter->pipeline()->incr($key)->rawCommand("EXPIRE", $key, 3600, "NX")->exec()[0] <= $number'] + $phpredis,
    'pipeline_8' => ['label' => 'the same, 8 calls a write: their answers come together', 'make' => 'Peers::eightAWrite()', 'key' => '"eight:$id"',
        'call' => '$limiter($key) <= $number', 'admits' => $exactly, 'random' => false] + $phpredis,
    'article' => $everywhere + ['label' => "the article's listing through phpredis (GET, INCR)", 'make' => 'new ArticleListing(Peers::redis())',
        'call' => '$limiter->frequencyLimit("article", $id, 3600, $number)', 'admits' => $one_fewer] + $phpredis,
    'article_first' => ['label' => "the article's listing, an identity's first call (GET, INCR, EXPIRE)",
        'make' => 'new ArticleListing(Peers::redis())', 'call' => '$limiter->frequencyLimit("first", ++$id, 3600, $number)',
        'admits' => null, 'random' => false] + $phpredis,
    'article_predis' => ['label' => "the article's listing through predis (GET, INCR)",
        'make' => 'new ArticleListing(Peers::predis())', 'call' => '$limiter->frequencyLimit("predis", $id, 3600, $number)',
        'scenes' => ['redis'], 'needs' => 'Predis\Client', 'random' => false, 'admits' => $one_fewer],
    'symfony_redis' => ['label' => 'symfony/rate-limiter, fixed window, Redis, without a lock', 'scenes' => ['redis', 'saturated'],
        'make' => "Peers::symfony('fixed_window', 'redis', \$number)", 'key' => '(string) $id', 'random' => false,
        'call' => '$limiter->create($key)->consume()->isAccepted()', 'admits' => $exactly,
        'needs' => 'Symfony\Component\RateLimiter\RateLimiterFactory'],
    'symfony_redis_locked' => ['label' => 'symfony/rate-limiter, fixed window, Redis, with a lock (Redis)', 'scenes' => ['redis'],
        'make' => "Peers::symfony('fixed_window', 'redis@redis', \$number)", 'key' => '(string) $id', 'random' => false,
        'call' => '$limiter->create($key)->consume()->isAccepted()', 'admits' => $exactly,
        'needs' => 'Symfony\Component\RateLimiter\RateLimiterFactory'],
    'laravel_redis' => ['label' => 'Laravel RateLimiter, Redis', 'make' => "Peers::laravel('redis')", 'key' => '"like:$id"',
        'call' => '!$limiter->tooManyAttempts($key, $number) && $limiter->hit($key, 3600)', 'admits' => $exactly, 'random' => false,
        'scenes' => ['redis', 'saturated'], 'needs' => 'Illuminate\Redis\RedisManager'],
    'laravel_duration' => ['label' => 'Laravel DurationLimiter, Redis (a script)', 'make' => 'Peers::laravelRedis()->connection()',
        'key' => '"duration:$id"', 'random' => false, 'scenes' => ['redis', 'saturated'], 'admits' => $exactly,
        'call' => '(new Illuminate\Redis\Limiters\DurationLimiter($limiter, $key, $number, 3600))->acquire()',
        'needs' => 'Illuminate\Redis\RedisManager'],
];
