<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

/**
 * The circuit breaker of a server, of this process: after a failure no request goes to the server for ratelimit.retry_delay.
 * Then one is the probe.
 */
final class Breaker
{
    private int $since;
    /** The moment of the next try; null: closed. */
    private ?int $nextTry = null;
    private ?StoreFailure $failure = null;
    private int $failures = 0;
    /** The moving average of a request's time, in microseconds. */
    private float $latency = 0.0;
    /** The upper bounds of the latencies in microseconds; those beyond have a count, too. */
    private const BOUNDS_US = [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, self::BEYOND];
    public const BEYOND = PHP_INT_MAX;
    /** @var array<int, int> by bound */
    private array $latencies;
    /** In microseconds. */
    private int $latencySum = 0;

    public function __construct(private readonly string $label, private readonly Settings $settings)
    {
        $this->since = Time::trueMono();
        $this->latencies = array_fill_keys(self::BOUNDS_US, 0);
    }

    /**
     * Returns when the request begins.
     *
     * @throws StoreFailure while the breaker is open
     */
    public function begin(): int
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
        return $now;
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

    /** Records the outcome of a request that began at this moment; null: the server answered. */
    public function end(int $began, ?StoreFailure $failure): void
    {
        $now = Time::trueMono();
        if ($failure === null || $failure->status === StoreFailure::WRONG_TYPE || $failure->questionOnly) {
            $this->latency = $this->latency === 0.0 ? $now - $began : $this->latency + ($now - $began - $this->latency) / 8;
            $this->noteLatency($now - $began);
            if ($this->nextTry !== null) {
                error_log(sprintf('ratelimit: Redis at %s is back after %.1f s', $this->label, ($now - $this->since) / 1e6));
                $this->since = $now;
                $this->nextTry = $this->failure = null;
            }
            return;
        }
        $this->failures++;
        $isNew = $this->nextTry === null;
        $this->failure = $failure;
        $delay = $this->settings->retryDelayMs * 1000;
        /* Machines that lost the same server together do not come back together. */
        $this->nextTry = $now + $delay + random_int(0, intdiv($delay, 16));
        if ($isNew) {
            $this->since = $now;
            error_log(sprintf(
                'ratelimit: Redis at %s %s (%s): on_failure=%s decides',
                $this->label,
                $this->word('refuses us', 'is away'),
                $this->reason(),
                $this->settings->onFailure->value,
            ));
        }
    }

    private function noteLatency(int $us): void
    {
        $this->latencySum += $us;
        foreach (self::BOUNDS_US as $bound) {
            if ($us <= $bound) {
                $this->latencies[$bound]++;
                return;
            }
        }
    }

    /** @return array<int, int> the numbers of answered requests, by the upper bound of their time in microseconds */
    public function latencies(): array
    {
        return $this->latencies;
    }

    /** Returns the time of all answered requests in microseconds. */
    public function latencySum(): int
    {
        return $this->latencySum;
    }

    /** @return array{server: string, state: string, since: float, failures: int, latency: float} */
    public function facts(): array
    {
        return [
            'server' => $this->label,
            'state' => $this->nextTry === null ? 'closed' : 'open',
            'since' => (Time::trueMono() - $this->since) / 1e6,
            'failures' => $this->failures,
            'latency' => $this->latency / 1e6,
        ];
    }
}
