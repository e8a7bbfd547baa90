<?php

namespace FrequencyLimit\Laravel;

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Permit;
use Illuminate\Support\Carbon;

/** Concurrent places by name: at most so many holders at a time. */
final class Places
{
    /** The largest concurrent limit of the extension. */
    private const MAX = 10_000;

    private readonly string $name;

    /** @var list<array{int, Permit}> the permits without a callback, each with the unix time at which its seconds are over */
    private array $kept = [];

    public function __construct(string $name, private readonly ?string $store, private readonly ?TestClock $clock = null)
    {
        $this->name = Windows::identity($name);
    }

    /**
     * Runs the callback while it holds one of $limit places, for $seconds at most (0: without an end). Waits up to $wait
     * seconds for a place.
     *
     * @template T
     *
     * @param  (callable(): T)|null  $callback  null: the place is held until its seconds are over, or the process ends
     * @param  callable(): \Throwable  $timeout  makes what is thrown where no place came free
     * @return T|true
     */
    public function hold(string $key, int $limit, int $seconds, int|float $wait, ?callable $callback, callable $timeout): mixed
    {
        $this->clock?->follow();

        $limiter = new Limiter($this->name, Limit::concurrent(
            min(max(1, $limit), self::MAX), $seconds > 0 ? min($seconds, Windows::LONGEST) : Windows::LONGEST
        ), $this->store);
        $permit = $limiter->acquire(Windows::identity($key), 1, max(0, $wait));

        if ($limit < 1 || ! $permit->result->accepted) {
            throw $timeout();
        }
        if ($callback === null) {
            $now = Carbon::now()->getTimestamp();
            $this->kept = array_values(array_filter($this->kept, fn (array $kept): bool => $kept[0] > $now));
            $this->kept[] = [$now + 1 + ($seconds > 0 ? $seconds : Windows::LONGEST), $permit];

            return true;
        }

        try {
            return $callback();
        } finally {
            BestEffort::run($permit->release(...));
        }
    }
}
