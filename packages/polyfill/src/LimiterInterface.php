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
    /**
     * @see Limiter::consume()
     *
     * @param int|string|array<string, int|string> $id
     * @param int|array<string, int> $cost
     */
    public function consume(int|string|array $id, int|array $cost = 1, int $leave = 0, ?int $atLeast = null): Result;

    /**
     * @see Limiter::allow()
     *
     * @param int|string|array<string, int|string> $id
     * @param int|array<string, int> $cost
     */
    public function allow(int|string|array $id, int|array $cost = 1): bool;

    /**
     * @see Limiter::acquire()
     *
     * @param int|string|array<string, int|string> $id
     * @param int|array<string, int> $cost
     */
    public function acquire(int|string|array $id, int|array $cost = 1, int|float $maxWait = 0, int $leave = 0, ?int $atLeast = null): Permit;

    /**
     * @see Limiter::peek()
     *
     * @param int|string|array<string, int|string> $id
     * @param int|array<string, int> $cost
     */
    public function peek(int|string|array $id, int|array $cost = 1): Result;

    /**
     * @see Limiter::consumeMany()
     *
     * @param array<int|string> $ids
     * @param int|array<string, int> $cost
     * @return Result[]
     */
    public function consumeMany(array $ids, int|array $cost = 1): array;

    /**
     * @see Limiter::reserve()
     *
     * @param int|string|array<string, int|string> $id
     * @param int|array<string, int> $cost
     */
    public function reserve(int|string|array $id, int|float|DateTimeInterface $at, int|array $cost = 1): Result;

    /**
     * @see Limiter::cancel()
     *
     * @param int|string|array<string, int|string> $id
     * @param int|array<string, int> $cost
     */
    public function cancel(int|string|array $id, int|float|DateTimeInterface $at, int|array $cost = 1): bool;

    /**
     * @see Limiter::credit()
     *
     * @param int|string|array<string, int|string> $id
     * @param int|array<string, int> $cost
     */
    public function credit(int|string|array $id, int|array $cost = 1): void;

    /**
     * @see Limiter::ban()
     *
     * @param int|string|array<string, int|string> $id
     */
    public function ban(int|string|array $id, int|float|Period|DateTimeInterface $end): void;

    /**
     * @see Limiter::unban()
     *
     * @param int|string|array<string, int|string> $id
     */
    public function unban(int|string|array $id): bool;

    /**
     * @see Limiter::reset()
     *
     * @param int|string|array<string, int|string> $id
     */
    public function reset(int|string|array $id): bool;
}
