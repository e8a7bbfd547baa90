<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

/**
 * The circuit breaker of a server, of this process: after a failure no request goes to the server for the retry_delay of its DSN.
 * Then one is the probe.
 */
final class Breaker
{
    private int $since;
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
            if ($this->nextTry !== null) {
                error_log(sprintf('ratelimit: Redis at %s is back after %.1f s', $this->label, ($now - $this->since) / 1e6));
                $this->since = $now;
                $this->nextTry = $this->failure = null;
            }
            return;
        }
        $isNew = $this->nextTry === null;
        $this->failure = $failure;
        $delay = $retryDelayMs * 1000;
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
}
