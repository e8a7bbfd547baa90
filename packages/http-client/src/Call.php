<?php

declare(strict_types=1);

namespace Ratelimit\HttpClient;

use FrequencyLimit\LimitExceeded;
use FrequencyLimit\Permit;
use FrequencyLimit\Reason;
use FrequencyLimit\Result;

/**
 * One call of a client, with all its attempts. Each attempt takes its turn, is sent, and ends by answered() or ended(). A call
 * that is forgotten ends with its object: its place comes free.
 */
final class Call
{
    private ?Permit $permit = null;

    /** Seconds that the call may still wait. */
    private float $budget;

    /** Seconds until the next attempt, where this call alone waits. */
    private float $pause = 0.0;

    private int $sent = 0;

    /** @internal RemoteLimit::begin() makes it */
    public function __construct(private readonly RemoteLimit $remote, private readonly string $identity)
    {
        $this->budget = $remote->maxWait;
    }

    /**
     * Takes a turn. Returns 0.0 when the call is to be sent now, or the seconds after which take() is to be called again. An event
     * loop waits so long; others use await(). Where no place of a concurrent limit is free, take() itself waits for one.
     *
     * @param (callable(): bool)|null $finish finishes one of the client's own open calls, and returns false if there is none: so
     *                                        that a client with many open calls does not wait for a place that it holds itself
     * @throws LimitExceeded when the turn does not come within the remote's maxWait
     */
    public function take(?callable $finish = null): float
    {
        if ($this->pause > 0) {
            $pause = $this->pause;
            $this->pause = 0.0;

            return $pause;
        }
        if (null !== $this->permit) {
            // Another call may have met the remote's own limit while this one waited.
            $state = $this->remote->limiter->peek($this->identity, 0);
            if (Reason::Banned === $state->reason) {
                $this->end('cancel');

                return $this->spend($state);
            }
        } else {
            $left = $this->remote->window()->acquire($this->identity);
            $permit = $left->result->accepted ? $this->acquire($finish) : $left;
            if (!$permit->result->accepted) {
                $this->remote->afterwards($left->cancel(...));

                return $this->spend($permit->result);
            }
            $this->permit = $permit;
            if ($permit->result->wait > 0) {
                $this->budget = max(0.0, $this->budget - $permit->result->wait);

                return $permit->result->wait;
            }
        }
        ++$this->sent;

        return 0.0;
    }

    /**
     * Sleeps until the call is to be sent.
     *
     * @param (callable(): bool)|null $finish as of take()
     * @throws LimitExceeded
     */
    public function await(?callable $finish = null): void
    {
        while (0.0 < $seconds = $this->take($finish)) {
            self::sleep($seconds, $this->permit);
        }
    }

    /**
     * Takes a turn for a client that delays a request itself, and returns the seconds to wait. isBooked() then is true: the call is to
     * be sent after them. Or false, as while the remote is banned: book() is to be called again after them.
     *
     * @param (callable(): bool)|null $finish as of take()
     * @throws LimitExceeded
     */
    public function book(?callable $finish = null): float
    {
        $seconds = $this->take($finish);
        if ($seconds > 0 && $this->isBooked()) {
            ++$this->sent;
        }

        return $seconds;
    }

    /** Returns whether the call has a turn, and the places of its concurrent limits. */
    public function isBooked(): bool
    {
        return null !== $this->permit;
    }

    /**
     * Ends an attempt by its answer, and takes the remote's limits over for all workers and machines.
     *
     * @param callable(string $name): string $header returns the line of a header; '': there is none
     * @return bool true: the call is to be sent again, after take(), await() or book()
     */
    public function answered(int $status, callable $header): bool
    {
        $this->ended();
        $told = RemoteState::of($header);
        if (429 !== $status && 503 !== $status) {
            if (null !== $told->remaining) {
                $this->remote->leave($this->identity, $told->remaining, $told->resetAfter);
            }

            return false;
        }
        $pause = $told->retryAfter ?? (429 === $status && 0 === $told->remaining ? $told->resetAfter : null);
        // 1, 2, 4 ... seconds where the remote does not say when; half of it is random, so that not all come back at once.
        $seconds = $pause ?? 2 ** ($this->sent - 1) * random_int(500, 1000) / 1000;
        $isRepeated = $this->sent < $this->remote->attempts && $seconds <= $this->budget;
        if (429 === $status || null !== $pause) {
            $this->remote->stop($this->identity, $seconds);
        } elseif ($isRepeated) {
            $this->pause = $seconds;
            $this->budget -= $seconds;
        }

        return $isRepeated;
    }

    /** Ends an attempt that gets no answer. Its place comes free. */
    public function ended(): void
    {
        $this->end('release');
    }

    /** @param (callable(): bool)|null $finish */
    private function acquire(?callable $finish): Permit
    {
        if (null !== $finish && $this->remote->hasPlaces) {
            do {
                $permit = $this->remote->limiter->acquire($this->identity);
            } while (!$permit->result->accepted && $finish());
            if ($permit->result->accepted) {
                return $permit;
            }
        }
        $begun = hrtime(true);
        $permit = $this->remote->limiter->acquire($this->identity, 1, $this->budget);
        $this->budget = max(0.0, $this->budget - (hrtime(true) - $begun) / 1e9);

        return $permit;
    }

    /** Returns the seconds that a refusal lasts, and takes them off the time that is left. */
    private function spend(Result $refusal): float
    {
        $seconds = $refusal->retryAfter ?? \INF;
        if ($seconds > $this->budget) {
            throw new LimitExceeded($refusal);
        }
        $this->budget -= $seconds;

        return $seconds;
    }

    /**
     * Returns the turn that is so many seconds away, by the clock of the limiters, which a test may hold.
     *
     * @internal
     */
    public static function turn(float $seconds): Permit
    {
        return Permit::of(Result::of(wait: $seconds));
    }

    /**
     * Sleeps, until a turn that may have begun earlier, or for so many seconds. A signal wakes it, and it goes on.
     *
     * @internal
     */
    public static function sleep(float $seconds, ?Permit $permit = null): void
    {
        $permit ??= self::turn($seconds);
        $end = hrtime(true) + $seconds * 1e9;
        while (!$permit->wait() && hrtime(true) < $end) {
        }
    }

    private function end(string $method): void
    {
        $permit = $this->permit;
        $this->permit = null;
        if (null !== $permit) {
            $this->remote->afterwards($permit->$method(...));
        }
    }
}
