<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Guard;

use FrequencyLimit\Polyfill\Time;

/**
 * The circuit breaker of a server, of this process. It opens when the two latest requests failed, or 8 of the last 64, and at
 * once when the server rejects us or has never answered. Then no request goes to the server but probes: the first after 100 ms,
 * each further one twice as late, up to the retry_delay of the DSN.
 */
final class Breaker
{
    private const FIRST_TRY_US = 100_000;
    private const FAILURES_OF_64 = 8;

    private int $since;
    private bool $answered = false;
    /** @var list<bool> of the last 64 requests, the newest last, those that failed */
    private array $failed = [];
    private int $failedProbes = 0;
    /** The moment of the next try; null: closed. */
    private ?int $nextTry = null;
    private ?StoreFailure $failure = null;

    public function __construct(private readonly string $label, private readonly FailurePolicy $policy)
    {
        $this->since = Time::trueMono();
    }

    /**
     * Begins a request.
     *
     * @throws StoreFailure while the breaker is open
     */
    public function begin(): void
    {
        $now = Time::trueMono();
        if ($this->nextTry !== null && $this->failure !== null && $now < $this->nextTry) {
            throw new StoreFailure(sprintf(
                'Redis at %s: %s since %d ms, next try in %d ms (%s)',
                substr($this->label, 0, 100),
                $this->word('refuses us', 'away'),
                intdiv($now - $this->since, 1000),
                intdiv($this->nextTry - $now + 999, 1000),
                substr($this->reason(), 0, 70),
            ), $this->failure->status);
        }
    }

    private function word(string $rejected, string $away): string
    {
        return $this->failure?->status === StoreFailure::MISCONFIGURED ? $rejected : $away;
    }

    /** Returns the reason without its beginning, which every message has already. */
    private function reason(): string
    {
        $reason = $this->failure?->getMessage() ?? '';
        $begin = "Redis at $this->label: ";
        return str_starts_with($reason, $begin) ? substr($reason, \strlen($begin)) : $reason;
    }

    /**
     * Records the outcome of a request.
     *
     * @param StoreFailure|null $failure      null: the server answered
     * @param int               $retryDelayMs of a failure: until the next request
     */
    public function end(?StoreFailure $failure = null, int $retryDelayMs = 0): void
    {
        $now = Time::trueMono();
        if ($failure === null || $failure->status === StoreFailure::WRONG_TYPE || $failure->questionOnly) {
            $this->answered = true;
            if ($this->failed !== []) {
                $this->note(false);
            }
            if ($this->nextTry !== null) {
                error_log(sprintf('ratelimit: Redis at %s is back after %.1f s', $this->label, ($now - $this->since) / 1e6));
                $this->since = $now;
                $this->nextTry = $this->failure = null;
                $this->failed = [];
            }
            return;
        }
        $this->note(true);
        $isNew = $this->nextTry === null;
        $rejected = $failure->status === StoreFailure::MISCONFIGURED;
        if ($isNew && !$rejected && !$this->isAway()) {
            return;
        }
        $this->failure = $failure;
        $this->failedProbes = $isNew ? 0 : min($this->failedProbes + 1, 15);
        $delay = $retryDelayMs * 1000;
        if (!$rejected) {
            $delay = min($delay, self::FIRST_TRY_US << $this->failedProbes);
        }
        /* Machines that lost the same server together do not come back together. */
        $this->nextTry = $now + $delay + random_int(0, intdiv($delay, 16));
        if ($isNew) {
            $this->since = $now;
            error_log(sprintf(
                'ratelimit: Redis at %s %s (%s): on_failure=%s decides',
                $this->label,
                $this->word('refuses us', 'is away'),
                $this->reason(),
                $this->policy->value,
            ));
        }
    }

    private function note(bool $failed): void
    {
        $this->failed = [...\array_slice($this->failed, -63), $failed];
    }

    /** A failure says that the server is away, not that one reply was late or lost. */
    private function isAway(): bool
    {
        return !$this->answered
            || \array_slice($this->failed, -2) === [true, true]
            || \count(array_filter($this->failed)) >= self::FAILURES_OF_64;
    }
}
