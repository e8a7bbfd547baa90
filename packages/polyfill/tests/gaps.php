<?php

declare(strict_types=1);

/*
 * Lists the parts of the extension's API that this package has not, as lines of tests/tools/surface.php. SurfaceTest compares them: a new part
 * of the API fails it until this package has the part, or this list names it.
 *
 * @return list<string>
 */
return [
    // The counts of a machine's segment, which this package has not.
    'FrequencyLimit::limiters(): array static',
    'FrequencyLimit::top(int $count = 10): array static',
    'FrequencyLimit::bans(int $count = 100): array static',
    'FrequencyLimit::history(): array static',
    'FrequencyLimit::metrics(): string static',
    'FrequencyLimit::listen(?callable $listener, FrequencyLimit\Reason $reasons): void static',
    'FrequencyLimit::preflight(int $identities = 0): array static',
    'FrequencyLimit::scan(string $position = ""): array static',
    // Identities for each limit, and costs for each limit.
    'FrequencyLimit\Limit::by(string $identity): FrequencyLimit\Limit',
    // Carried permits. The property is there, and always 0.
    'FrequencyLimit\Limit::carry(int $permits): FrequencyLimit\Limit',
    'FrequencyLimit\Limiter::consume(array|int|string $id, array|int $cost = 1, int $leave = 0, ?int $atLeast = null): FrequencyLimit\Result',
    'FrequencyLimit\Limiter::allow(array|int|string $id, array|int $cost = 1): bool',
    'FrequencyLimit\Limiter::acquire(array|int|string $id, array|int $cost = 1, float|int $maxWait = 0, int $leave = 0, ?int $atLeast = null): FrequencyLimit\Permit',
    'FrequencyLimit\Limiter::peek(array|int|string $id, array|int $cost = 1): FrequencyLimit\Result',
    'FrequencyLimit\Limiter::consumeMany(array $ids, array|int $cost = 1): array',
    'FrequencyLimit\Limiter::reserve(array|int|string $id, DateTimeInterface|float|int $at, array|int $cost = 1): FrequencyLimit\Result',
    'FrequencyLimit\Limiter::cancel(array|int|string $id, DateTimeInterface|float|int $at, array|int $cost = 1): bool',
    'FrequencyLimit\Limiter::credit(array|int|string $id, array|int $cost = 1): void',
    'FrequencyLimit\Limiter::ban(array|int|string $id, DateTimeInterface|float|int $end): void',
    'FrequencyLimit\Limiter::unban(array|int|string $id): bool',
    'FrequencyLimit\Limiter::reset(array|int|string $id): bool',
    'FrequencyLimit\Permit::settle(array|int $cost): FrequencyLimit\Result|false',
];
