<?php

declare(strict_types=1);

namespace Ratelimit\HttpClient;

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Reason;
use FrequencyLimit\StoreException;

/**
 * The limits of a remote API, which all workers and machines of one store keep together. The adapters take one: GuzzleMiddleware,
 * Psr18Client, SymfonyClient. Other clients use begin().
 */
final class RemoteLimit
{
    /** More than any limit: the size of a window that has not heard of the remote's count. */
    private const ANY = 1_000_000_000_000;

    /** The longest wait, ten years. */
    private const LONGEST_WAIT = 315_360_000;

    /** The longest ban, a day: then a call asks the remote again, so that its mistake ends by itself. */
    private const LONGEST_BAN = 86_400;

    /** @internal the limits of the remote */
    public readonly Limiter $limiter;

    /** @internal whether calls hold concurrent places */
    public readonly bool $hasPlaces;

    /** @var (\Closure(string, string): ?string)|null */
    private readonly ?\Closure $identify;

    private bool $logged = false;

    /**
     * @param string                                                $name     of the counts
     * @param Limit|array<array-key, Limit>                         $limits   those of the remote, as it states them; concurrent
     *                                                                        limits hold a place until the answer is there
     * @param float                                                 $margin   0 to below 1: the share that is left unused, because the
     *                                                                        network delays one request more than another. Periods get
     *                                                                        longer by it, bursts and numbers of a calendar smaller
     * @param float                                                 $maxWait  seconds that one call waits at most, all attempts together
     * @param int                                                   $attempts how often a call is sent at most
     * @param (callable(string $method, string $url): ?string)|null $identify returns who is counted, null: a call without limits.
     *                                                                        Without it: the URL's host and port
     * @param string|null                                           $store    a DSN, as in ratelimit.store; null: that setting
     */
    public function __construct(
        private readonly string $name,
        Limit|array $limits,
        float $margin = 0.05,
        public readonly float $maxWait = 30.0,
        public readonly int $attempts = 4,
        ?callable $identify = null,
        private readonly ?string $store = null,
    ) {
        if (!($margin >= 0 && $margin < 1 && $maxWait >= 0 && $maxWait <= self::LONGEST_WAIT && $attempts >= 1)) {
            throw new \InvalidArgumentException("The margin is 0 to below 1, maxWait 0 to ten years, attempts at least 1: $margin, $maxWait, $attempts.");
        }
        $limits = \is_array($limits) ? $limits : [$limits];
        $this->hasPlaces = [] !== array_filter($limits, static fn (Limit $limit): bool => 'concurrent' === $limit->algorithm);
        $this->limiter = new Limiter($name, array_map(static fn (Limit $limit): Limit => self::withMargin($limit, $margin), $limits), $store);
        $this->identify = null === $identify ? null : $identify(...);
    }

    /** Begins a call of a client; null: one without limits. */
    public function begin(string $method, string $url): ?Call
    {
        if (null !== $this->identify) {
            $identity = ($this->identify)($method, $url);
        } else {
            $parts = parse_url($url) ?: [];
            $identity = ($parts['host'] ?? 'unknown').(isset($parts['port']) ? ':'.$parts['port'] : '');
        }

        return null === $identity ? null : new Call($this, $identity);
    }

    /**
     * Stops the calls of all workers and machines for so many seconds. A ban that lasts longer stays.
     *
     * @internal
     */
    public function stop(string $identity, float $seconds): void
    {
        $this->afterwards(function () use ($identity, $seconds): void {
            $running = $this->limiter->peek($identity, 0);
            if (Reason::Banned !== $running->reason || $running->retryAfter < $seconds) {
                $this->limiter->ban($identity, max(0.001, min(self::LONGEST_BAN, $seconds)));
            }
        });
    }

    /**
     * Leaves all workers and machines so many calls for so many seconds, if these counts have more: then somebody else calls the
     * remote, too. Else they know better, because remotes tell whole seconds.
     *
     * @internal
     */
    public function leave(string $identity, int $remaining, float $seconds): void
    {
        $this->afterwards(function () use ($identity, $remaining, $seconds): void {
            if ($this->limiter->peek($identity, 0)->remaining <= $remaining) {
                return;
            }
            if (0 === $remaining) {
                $this->stop($identity, $seconds);
            } else {
                $this->window(max(0.001, min(self::LONGEST_BAN, $seconds)))->consume($identity, self::ANY, $remaining, 1);
            }
        });
    }

    /**
     * Returns the window of what the remote has left. A call that finds none running opens one that ends at once.
     *
     * @internal
     */
    public function window(float $seconds = 0.001): Limiter
    {
        return new Limiter($this->name.' of the remote', Limit::fixedWindow(self::ANY, $seconds), $this->store);
    }

    /**
     * Runs a command after an answer, which stays one where the store is unavailable. The first failure is a line in PHP's error log.
     *
     * @internal
     */
    public function afterwards(\Closure $command): void
    {
        try {
            $command();
        } catch (StoreException $e) {
            if (!$this->logged) {
                $this->logged = true;
                error_log('ratelimit: not done after an answer: '.$e->getMessage());
            }
        }
    }

    private static function withMargin(Limit $limit, float $margin): Limit
    {
        if (null !== $limit->by) {
            throw new \InvalidArgumentException("A remote's limit has no by(): $limit.");
        }
        $seconds = null === $limit->seconds ? 0 : ceil(round($limit->seconds * (1 + $margin) * 1000, 3)) / 1000;
        $fewer = max(1, (int) floor($limit->limit * (1 - $margin)));
        [$head, $options] = explode(',', "$limit,", 2);
        $head = match ($limit->algorithm) {
            'fixed' => Limit::fixedWindow($limit->limit, $seconds),
            'log' => Limit::slidingLog($limit->limit, $seconds),
            'window' => Limit::slidingWindow($limit->limit, $seconds),
            'bucket' => Limit::tokenBucket($limit->rate, $seconds, $fewer),
            'calendar' => preg_replace('/(?<=^calendar:)\d+/', (string) $fewer, $head),
            default => $head,
        };
        if ('bucket' === $limit->algorithm) {
            $options = preg_replace('/(^|,)burst=[^,]*/', '', $options);
        }

        return Limit::parse(rtrim($head.','.ltrim($options, ','), ','));
    }
}
