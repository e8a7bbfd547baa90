<?php

/** Limiters of PHP applications in this machine's memory. */

$exactly = static fn (int $number): int => $number;

/** Its policy, and its storage; behind an @ the lock that makes it exact between processes. */
$symfony = static fn (string $policy, string $storage, string ...$scenes): array => [
    'label' => "symfony/rate-limiter, " . str_replace('_', ' ', $policy) . ', ' . match ($storage) {
        'memory' => 'in memory',
        'apcu' => 'APCu, without a lock',
        'apcu@flock' => 'APCu, with a lock (flock)',
    },
    'make' => "Peers::symfony('$policy', '$storage', \$number)",
    'key' => '(string) $id',
    'call' => '$limiter->create($key)->consume()->isAccepted()',
    'admits' => $exactly,
    'random' => $storage === 'memory',
    'scenes' => $scenes,
    'needs' => 'Symfony\Component\RateLimiter\RateLimiterFactory',
];
$laravel = static fn (string $storage, string $where): array => [
    'label' => "Laravel RateLimiter, $where",
    'make' => "Peers::laravel('$storage')",
    'key' => '"like:$id"',
    'call' => '!$limiter->tooManyAttempts($key, $number) && $limiter->hit($key, 3600)',
    'admits' => $exactly,
    'random' => false,
    'scenes' => ['memory'],
    'needs' => 'Illuminate\Cache\RateLimiter',
];
$apcu = static fn (): bool => function_exists('apcu_inc');

return [
    'apcu_inc' => ['label' => '`apcu_inc($key, 1, $ok, $ttl)`', 'key' => '"like:$id"', 'admits' => $exactly, 'needs' => $apcu,
        'call' => 'apcu_inc($key, 1, $ok, 3600) <= $number', 'scenes' => ['memory', 'two', 'growth']],
    'apcu_add_inc' => ['label' => '`apcu_add()`, then `apcu_inc()`', 'key' => '"vote:$id"', 'admits' => $exactly, 'needs' => $apcu,
        'call' => '(apcu_add($key, 1, 3600) ? 1 : apcu_inc($key)) <= $number', 'scenes' => ['memory', 'two']],
    'symfony_memory' => $symfony('fixed_window', 'memory', 'memory', 'series'),
    'symfony_sliding' => $symfony('sliding_window', 'memory', 'series'),
    'symfony_bucket' => $symfony('token_bucket', 'memory', 'series'),
    'symfony_apcu' => $symfony('fixed_window', 'apcu', 'memory', 'series'),
    'symfony_apcu_sliding' => $symfony('sliding_window', 'apcu', 'series'),
    'symfony_apcu_bucket' => $symfony('token_bucket', 'apcu', 'series'),
    'symfony_locked' => $symfony('fixed_window', 'apcu@flock', 'memory', 'series'),
    'symfony_locked_sliding' => $symfony('sliding_window', 'apcu@flock', 'series'),
    'symfony_locked_bucket' => $symfony('token_bucket', 'apcu@flock', 'series'),
    'laravel_array' => $laravel('array', 'array'),
    'laravel_apcu' => $laravel('apcu', 'APCu'),
];
