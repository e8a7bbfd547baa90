<?php

/**
 * Concurrent limits of 10 places: a call takes a place and gives it back. The further fields:
 *
 *   hold    takes a place for a key and returns its holder, or null when all are taken
 *   places  the number of places
 */

$ours = static fn (string $store): array => [
    'make' => "Peers::places('$store')",
    'call' => '$limiter->acquire($id)->release()',
    'hold' => static fn (int $id): ?object => ($permit = Peers::places($store)->acquire($id))->result->accepted ? $permit : null,
    'needs' => static fn (): bool => method_exists('FrequencyLimit\Limiter', 'acquire'),
];
$places = static fn (int $n): array => ['places' => $n, 'admits' => static fn (): int => $n, 'scenes' => ['places']];

return [
    'places' => ['label' => '**`acquire()` and `release()`**, shared memory'] + $ours('shm') + $places(10),
    'places_redis' => ['label' => '`acquire()` and `release()`, Redis'] + $ours('redis') + $places(10),
    'system_semaphore' => ['label' => 'System V semaphore (`sem_acquire()`), this machine', 'make' => 'Peers::systemSemaphore($id, 10)',
        'call' => 'sem_acquire($limiter, true) && sem_release($limiter)',
        'hold' => static fn (int $id): ?object => sem_acquire($held = Peers::systemSemaphore($id, 10), true) ? $held : null,
        'needs' => static fn (): bool => function_exists('sem_get')] + $places(10),
    'symfony_semaphore' => ['label' => 'symfony/semaphore, Redis', 'make' => 'Peers::semaphores()', 'key' => '"places:$id"',
        'call' => '($held = $limiter->createSemaphore($key, 10, 1, 600))->acquire() && $held->release() === null',
        'hold' => static fn (int $id): ?object => ($held = Peers::semaphores()->createSemaphore("places:$id", 10, 1, 600))->acquire() ? $held : null,
        'needs' => 'Symfony\Component\Semaphore\SemaphoreFactory'] + $places(10),
    'symfony_lock' => ['label' => 'symfony/lock (one place), Redis', 'make' => 'Peers::locks()', 'key' => '"lock:$id"',
        'call' => '($held = $limiter->createLock($key, 600))->acquire() && $held->release() === null',
        'hold' => static fn (int $id): ?object => ($held = Peers::locks()->createLock("lock:$id", 600))->acquire() ? $held : null,
        'needs' => 'Symfony\Component\Lock\LockFactory'] + $places(1),
    'laravel_funnel' => ['label' => "Laravel's `Cache::funnel()`, Redis", 'make' => 'Peers::laravelCache()', 'key' => '"funnel:$id"',
        'call' => '$limiter->funnel($key)->limit(10)->releaseAfter(600)->block(0)->then(static fn (): bool => true)',
        'hold' => static fn (int $id): ?object => Peers::laravelCache()->funnel("funnel:$id")->limit(10)->releaseAfter(600)->block(0)
            ->then(static fn (): bool => Fiber::suspend(true), static fn (): ?object => null),
        'needs' => 'Illuminate\Cache\Limiters\ConcurrencyLimiterBuilder'] + $places(10),
];
