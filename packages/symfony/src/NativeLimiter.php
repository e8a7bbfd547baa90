<?php

declare(strict_types=1);

namespace Ratelimit\Symfony;

use FrequencyLimit\LimiterInterface as Limiter;
use FrequencyLimit\Permit;
use FrequencyLimit\Reason;
use FrequencyLimit\Result;
use Symfony\Component\RateLimiter\Exception\MaxWaitDurationExceededException;
use Symfony\Component\RateLimiter\LimiterInterface;
use Symfony\Component\RateLimiter\RateLimit;
use Symfony\Component\RateLimiter\Reservation;

/** Symfony's limiter of one key, decided by the extension. */
final class NativeLimiter implements LimiterInterface
{
    /** The longest wait that the extension books: ten years. */
    private const LONGEST_WAIT = 315_360_000;

    /** The extension rounds the end of a window up to a whole millisecond. */
    private const ROUNDING = 0.001;

    private readonly string $id;

    /**
     * @param string $capacityName "size" or "burst size", for the message of a call that can never pass
     */
    public function __construct(private readonly Limiter $limiter, string $key, private readonly int $capacity, private readonly string $capacityName = 'size')
    {
        $this->id = self::identity($key);
    }

    public function consume(int $tokens = 1): RateLimit
    {
        if (0 === $tokens) {
            return self::state($this->limiter->peek($this->id, 0));
        }
        $this->checkCapacity($tokens);

        return self::decision($this->limiter->consume($this->id, $tokens));
    }

    /**
     * Books the first moment at which the tokens are available: one atomic step, first come, first served. The booking stays
     * when the Reservation is not waited for, as with Symfony's limiters.
     */
    public function reserve(int $tokens = 1, ?float $maxTime = null): Reservation
    {
        if (0 === $tokens) {
            $state = $this->limiter->peek($this->id, 0);

            return new Reservation(microtime(true) + ($state->nextAfter ?? 0.0), self::state($state));
        }
        $this->checkCapacity($tokens);
        $maxTime ??= self::LONGEST_WAIT;
        $permit = $this->limiter->acquire($this->id, $tokens, maxWait: $maxTime > 0 ? min(self::LONGEST_WAIT, $maxTime + self::ROUNDING) : 0);
        $now = microtime(true);
        $result = $permit->result;
        if (!$result->accepted) {
            throw new MaxWaitDurationExceededException(sprintf('The rate limiter wait time ("%d" seconds) is longer than the provided maximum time ("%d" seconds).', $result->retryAfter ?? self::LONGEST_WAIT, $maxTime), self::decision($result));
        }
        $permit->release();
        if (0.0 === $result->wait) {
            return new Reservation($now, self::decision($result));
        }

        return new Reservation($now + $result->wait, new Decision($result, self::moment($now + $result->wait), false));
    }

    public function reset(): void
    {
        $this->limiter->reset($this->id);
    }

    /** Bans the key for so many seconds, and returns whether it is refused now. */
    public function ban(int|float $seconds): bool
    {
        $this->limiter->ban($this->id, $seconds);

        return Reason::Banned === $this->limiter->peek($this->id)->reason;
    }

    /** Lifts a ban of the key; false: there was none. */
    public function unban(): bool
    {
        return $this->limiter->unban($this->id);
    }

    /**
     * Takes tokens by a permit, which can give back exactly what it took.
     *
     * @internal
     */
    public function acquire(int $tokens): Permit
    {
        return $this->limiter->acquire($this->id, $tokens);
    }

    /**
     * Returns what consume() would answer now. Counts nothing.
     *
     * @internal
     */
    public function peek(int $tokens): Decision
    {
        return self::decision($this->limiter->peek($this->id, $tokens));
    }

    /**
     * @internal
     * @throws \InvalidArgumentException for more tokens than the limiter ever has
     */
    public function checkCapacity(int $tokens): void
    {
        if ($tokens > $this->capacity) {
            throw new \InvalidArgumentException(sprintf('Cannot reserve more tokens (%d) than the %s of the rate limiter (%d).', $tokens, $this->capacityName, $this->capacity));
        }
    }

    /**
     * Maps a decision about tokens. The moment of an accepted one is that of the next token.
     *
     * @internal
     */
    public static function decision(Result $result): Decision
    {
        return new Decision($result, self::moment(microtime(true) + ($result->nextAfter ?? 0.0)), $result->accepted);
    }

    /** Maps a peek with 0 tokens, which Symfony always accepts. */
    private static function state(Result $result): Decision
    {
        return new Decision($result, self::moment(microtime(true) + ($result->nextAfter ?? 0.0)), true);
    }

    /** Symfony's login_throttling makes minutes of the moment's whole seconds, rounded down, and rounds those up. */
    private static function moment(float $seconds): \DateTimeImmutable
    {
        return new \DateTimeImmutable(sprintf('@%.6F', $seconds));
    }

    /** Maps a key of any length to 1 to 255 bytes. Keys that are short enough stay readable on the page and in the command. */
    private static function identity(string $key): string
    {
        return match (true) {
            '' === $key => "\0",
            \strlen($key) > 255, "\0" === $key[0] => "\0".hash('sha256', $key, true),
            default => $key,
        };
    }
}
