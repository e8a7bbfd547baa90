<?php

/**
 * Who is measured. One row each; lib/loops.php writes the loops from it, so that every contestant is called in the
 * same loop, from a file, with nothing between the loop and the call.
 *
 *   label   what the report calls it
 *   scenes  where it takes part: memory, two (processes), series (algorithms), redis
 *   make    an expression for $limiter, made outside the loop; it may use $number
 *   key     an expression for $key from $id: outside the loop for one identity, inside for random ones
 *   call    the decision: true when admitted; it may use $limiter, $key, $id, $number
 *   admits  how many of many calls pass for a limit of $number (null: it limits nothing)
 *   random  false: takes no part in the 200,000 identities
 *   needs   a class without which it does not take part
 */

$exactly = static fn (int $number): int => $number;
$none = null;

$symfony = static fn (string $policy, string $storage): array => [
    'make' => "Peers::symfony('$policy', '$storage', \$number)",
    'key' => '(string) $id',
    'call' => '$limiter->create($key)->consume()->isAccepted()',
    'admits' => $exactly,
    'needs' => 'Symfony\Component\RateLimiter\RateLimiterFactory',
];
$laravel = static fn (string $storage): array => [
    'make' => "Peers::laravel('$storage')",
    'key' => '"like:$id"',
    'call' => '!$limiter->tooManyAttempts($key, $number) && $limiter->hit($key, 3600)',
    'admits' => $exactly,
    'needs' => 'Illuminate\Cache\RateLimiter',
];
$ours = static fn (string $name, string $limit): array => [
    'make' => "new FrequencyLimit\Limiter('$name', $limit)",
    'call' => '$limiter->consume($id)->accepted',
    'admits' => $exactly,
    'scenes' => ['series'],
];

return [
    // What everything below is compared with.
    'loop' => ['label' => 'the empty loop', 'call' => 'true', 'admits' => $none,
        'scenes' => ['memory', 'two', 'series', 'redis']],
    'userland' => ['label' => 'a static method in PHP that returns true', 'admits' => $none,
        'call' => "UserlandFloor::doHandle('like', \$id, 3600, \$number)", 'scenes' => ['memory']],
    'floor' => ['label' => 'call floor: an internal static method that returns true', 'admits' => $none,
        'call' => "RatelimitFloor::doHandle('like', \$id, 3600, \$number)", 'scenes' => ['memory', 'two', 'series']],

    // We.
    'dohandle' => ['label' => '**`FrequencyLimit::doHandle()`**', 'admits' => $exactly,
        'call' => "FrequencyLimit::doHandle('like', \$id, 3600, \$number)",
        'scenes' => ['memory', 'two', 'series', 'redis']],
    'dohandle_ban' => ['label' => '`doHandle()` with a ban', 'admits' => $exactly,
        'call' => "FrequencyLimit::doHandle('vote', \$id, 3600, \$number, ['type' => 1, 'ttl' => 3600])",
        'scenes' => ['memory'], 'random' => false],
    'check' => ['label' => '`check()`, which returns a Result', 'admits' => $exactly,
        'call' => "FrequencyLimit::check('look', \$id, 3600, \$number)->accepted", 'scenes' => ['memory', 'redis'],
        'random' => false],
    'fixed_window' => ['label' => '`Limiter`, fixed window'] + $ours('fixed_window', 'FrequencyLimit\Limit::fixedWindow($number, 3600)'),
    'calendar' => ['label' => '`Limiter`, calendar window']
        + $ours('calendar', 'FrequencyLimit\Limit::calendar($number, FrequencyLimit\Period::Month, "UTC")'),
    'sliding_log' => ['label' => '`Limiter`, sliding log'] + $ours('sliding_log', 'FrequencyLimit\Limit::slidingLog($number, 3600)'),
    'sliding_window' => ['label' => '`Limiter`, sliding window']
        + $ours('sliding_window', 'FrequencyLimit\Limit::slidingWindow($number, 3600)'),
    'token_bucket' => ['label' => '`Limiter`, token bucket'] + $ours('token_bucket', 'FrequencyLimit\Limit::tokenBucket($number, 360000)'),
    'three' => ['label' => '`Limiter`, three of them together']
        + $ours('three', '[FrequencyLimit\Limit::fixedWindow($number, 3600), FrequencyLimit\Limit::slidingWindow($number, 3600), '
            . 'FrequencyLimit\Limit::tokenBucket($number, 360000)]'),

    // Memory of this machine.
    'apcu_inc' => ['label' => '`apcu_inc($key, 1, $ok, $ttl)`', 'key' => '"like:$id"', 'admits' => $exactly,
        'call' => 'apcu_inc($key, 1, $ok, 3600) <= $number', 'scenes' => ['memory', 'two']],
    'apcu_add_inc' => ['label' => '`apcu_add()`, then `apcu_inc()`', 'key' => '"vote:$id"', 'admits' => $exactly,
        'call' => '(apcu_add($key, 1, 3600) ? 1 : apcu_inc($key)) <= $number', 'scenes' => ['memory', 'two']],
    'symfony_memory' => ['label' => 'symfony/rate-limiter, fixed window, in memory', 'scenes' => ['memory', 'series']]
        + $symfony('fixed_window', 'memory'),
    'symfony_sliding' => ['label' => 'symfony/rate-limiter, sliding window, in memory', 'scenes' => ['series']]
        + $symfony('sliding_window', 'memory'),
    'symfony_bucket' => ['label' => 'symfony/rate-limiter, token bucket, in memory', 'scenes' => ['series']]
        + $symfony('token_bucket', 'memory'),
    'symfony_apcu' => ['label' => 'symfony/rate-limiter, fixed window, APCu, without a lock', 'scenes' => ['memory'],
        'random' => false] + $symfony('fixed_window', 'apcu'),
    'laravel_array' => ['label' => 'Laravel RateLimiter, array', 'scenes' => ['memory'], 'random' => false]
        + $laravel('array'),
    'laravel_apcu' => ['label' => 'Laravel RateLimiter, APCu', 'scenes' => ['memory'], 'random' => false]
        + $laravel('apcu'),

    // Redis.
    'ping' => ['label' => 'PING through phpredis: the round trip alone', 'make' => 'Peers::redis()', 'admits' => $none,
        'call' => '$limiter->ping()', 'scenes' => ['redis'], 'needs' => 'Redis'],
    'evalsha' => ['label' => 'phpredis, EVALSHA of INCR and EXPIRE', 'make' => 'Peers::redis()', 'key' => '"lua:$id"',
        'call' => '$limiter->evalSha(Peers::SCRIPT_SHA, [$key, 3600, $number], 1) === 1', 'admits' => $exactly,
        'scenes' => ['redis'], 'needs' => 'Redis'],
    'pipeline' => ['label' => 'phpredis, INCR and EXPIRE NX in one pipeline (Redis 7)', 'make' => 'Peers::redis()',
        'key' => '"pipe:$id"', 'admits' => $exactly, 'scenes' => ['redis'], 'needs' => 'Redis',
        'call' => '$limiter->pipeline()->incr($key)->rawCommand("EXPIRE", $key, 3600, "NX")->exec()[0] <= $number'],
    'article' => ['label' => "the article's listing through phpredis (GET, INCR)", 'make' => 'new ArticleListing(Peers::redis())',
        'call' => '$limiter->frequencyLimit("article", $id, 3600, $number)', 'scenes' => ['redis'], 'needs' => 'Redis',
        // Its listing refuses the $number-th call.
        'admits' => static fn (int $number): int => $number - 1],
    'article_first' => ['label' => "the article's listing, an identity's first call (GET, INCR, EXPIRE)",
        'make' => 'new ArticleListing(Peers::redis())', 'call' => '$limiter->frequencyLimit("first", ++$id, 3600, $number)',
        'scenes' => ['redis'], 'needs' => 'Redis', 'admits' => $none, 'random' => false],
    'article_predis' => ['label' => "the article's listing through predis (GET, INCR)",
        'make' => 'new ArticleListing(Peers::predis())', 'call' => '$limiter->frequencyLimit("predis", $id, 3600, $number)',
        'scenes' => ['redis'], 'needs' => 'Predis\Client', 'random' => false,
        'admits' => static fn (int $number): int => $number - 1],
    'symfony_redis' => ['label' => 'symfony/rate-limiter, fixed window, Redis, without a lock', 'scenes' => ['redis'],
        'random' => false] + $symfony('fixed_window', 'redis'),
];
