<?php

declare(strict_types=1);

namespace FrequencyLimit;

use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\Core\Op;
use FrequencyLimit\Polyfill\Limiter\Costs;
use FrequencyLimit\Polyfill\Limiter\Grant;
use FrequencyLimit\Polyfill\NotSerializable;
use FrequencyLimit\Polyfill\Sealed;
use FrequencyLimit\Polyfill\Time;

/**
 * The permits that Limiter::acquire() has taken, and its place in line. It ends once: by release(), settle(), cancel(), with the
 * object, or with the request. A method that is called after that changes nothing and returns false, settle() null. So does every method of a
 * refused permit, and of a permit of the parent process after a fork.
 *
 * The end of the object ends the permit as release() does, or as cancel() before its turn.
 */
final class Permit
{
    use NotSerializable;
    use Sealed;

    /** The decision. Its $wait is the time until the permit's turn. */
    public readonly Result $result;

    /* A permit equals (==) itself alone. */
    private readonly int $own; // @phpstan-ignore property.onlyWritten

    private function __construct(private readonly Grant $grant)
    {
        $this->result = $grant->result;
        $this->own = spl_object_id($this);
    }

    /**
     * Makes a permit of a decision that no store has made, for tests: a double. It is live if $result was accepted, and ends once
     * as any other. wait() sleeps $result->wait seconds. settle($cost) returns the decision with $granted = $cost. renew() is true
     * until the permit has ended.
     */
    public static function of(Result $result): Permit
    {
        return new self(Grant::double($result));
    }

    private function __clone()
    {
    }

    public function __destruct()
    {
        $this->grant->end();
    }

    /**
     * Sleeps until the permit's turn. A signal wakes it, as it wakes sleep(). With a frozen Clock it moves that on.
     *
     * @return bool true: it is the permit's turn. false: a signal came first, and the place in line is kept until the permit
     *              ends; or the permit has ended
     */
    public function wait(): bool
    {
        if (!$this->grant->isLive()) {
            return false;
        }
        if ($this->grant->turn !== null) {
            if (!Time::sleepUntil($this->grant->turn)) {
                return false;
            }
            $this->grant->turn = null;
        }
        return true;
    }

    /**
     * Ends the permit. Its concurrent places come free; what was charged stays charged.
     *
     * @return bool false: the permit had ended, or its places had come free after their seconds
     * @throws StoreException when the places could not be freed; they come free after their seconds
     */
    public function release(): bool
    {
        if (!$this->grant->close()) {
            return false;
        }
        /* Only a concurrent limit, or a shadow, has something to release. */
        return !$this->grant->isReleasable() || ($this->grant->change(Op::RELEASE, 0)->found ?? false);
    }

    /**
     * Ends the permit with its true cost. If that is less than what was charged, the difference goes back to where it was
     * taken: to the same window, log entries or bucket, and to nothing if that is over. If it is more, the difference is
     * charged now, even where the limit is used up: the limit then refuses until it has recovered. Concurrent places come
     * free.
     *
     * @param int|array<string, int> $cost 0 to 10^12, or a cost for each limit by its name
     * @return Result|null the state afterwards, with $granted = $cost (of several, the deciding limit's); null: the permit had ended
     * @throws InvalidArgument
     * @throws StoreException when the store did not answer; what was charged stays charged
     */
    public function settle(int|array $cost): ?Result
    {
        [$one, $costs] = Costs::read($this->grant->limiter, $cost, 0);
        return $this->grant->close() ? $this->grant->settle($one, $costs) : null;
    }

    /**
     * Ends the permit as if it had never been: settle(0).
     *
     * @return bool false: the permit had ended
     * @throws StoreException when the store did not answer; what was charged stays charged
     */
    public function cancel(): bool
    {
        return $this->grant->close() && $this->grant->change(Op::SETTLE, 0) !== null;
    }

    /**
     * Moves the end of its concurrent places to $seconds from now. It never revives a place that came free.
     *
     * @param int|float|null $seconds 0.001 to 315,360,000; null: those of each limit
     * @return bool false: the permit has ended, its places have come free, or it has none; of Limit::none() alone: true
     * @throws InvalidArgument
     * @throws StoreException
     */
    public function renew(int|float|null $seconds = null): bool
    {
        $us = $seconds === null ? 0 : Argument::duration('$seconds', $seconds, Bounds::PERIOD_MIN_US);
        return $this->grant->isLive() && $this->grant->isRenewable()
            && ($this->grant->change(Op::RENEW, 0, $us)->found ?? false);
    }
}
