<?php

declare(strict_types=1);

namespace FrequencyLimit;

use DateTimeInterface;

/**
 * The decisions and commands of Limiter, for type declarations: tests may replace a Limiter by a double of it. Each method is
 * described there.
 */
interface LimiterInterface
{
    /** @see Limiter::consume() */
    public function consume(int|string $id, int $cost = 1, int $leave = 0, ?int $atLeast = null): Result;

    /** @see Limiter::allow() */
    public function allow(int|string $id, int $cost = 1): bool;

    /** @see Limiter::acquire() */
    public function acquire(int|string $id, int $cost = 1, int|float $maxWait = 0, int $leave = 0, ?int $atLeast = null): Permit;

    /** @see Limiter::peek() */
    public function peek(int|string $id, int $cost = 1): Result;

    /**
     * @see Limiter::consumeMany()
     *
     * @param array<int|string> $ids
     * @return Result[]
     */
    public function consumeMany(array $ids, int $cost = 1): array;

    /** @see Limiter::reserve() */
    public function reserve(int|string $id, int|float|DateTimeInterface $at, int $cost = 1): Result;

    /** @see Limiter::cancel() */
    public function cancel(int|string $id, int|float|DateTimeInterface $at, int $cost = 1): bool;

    /** @see Limiter::credit() */
    public function credit(int|string $id, int $cost = 1): void;

    /** @see Limiter::ban() */
    public function ban(int|string $id, int|float|Period|DateTimeInterface $end): void;

    /** @see Limiter::unban() */
    public function unban(int|string $id): bool;

    /** @see Limiter::reset() */
    public function reset(int|string $id): bool;
}
