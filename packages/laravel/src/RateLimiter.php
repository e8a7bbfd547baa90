<?php

namespace FrequencyLimit\Laravel;

use Closure;
use FrequencyLimit\Reason;
use Illuminate\Cache\RateLimiter as LaravelRateLimiter;
use Illuminate\Cache\RateLimiting\Limit;
use Illuminate\Cache\RateLimiting\Unlimited;
use Illuminate\Foundation\Exceptions\Handler;
use Illuminate\Queue\Middleware\RateLimited;
use Illuminate\Support\Collection;
use ReflectionMethod;
use Throwable;

/**
 * Laravel's rate limiter on windows of the extension.
 *
 * Keys are cleaned as Laravel cleans them, so that "jôhn" and "john" share a count here, too.
 */
class RateLimiter extends LaravelRateLimiter
{
    /**
     * The key and the wait of the limit of 0 that refused the last job: it has no window, whose end availableIn() returns.
     *
     * @var array{?string, int}
     */
    private array $closed = [null, 0];

    /** Takes the place of Laravel's limiter, with the named limiters that it has. */
    public function __construct(LaravelRateLimiter $replaced, private readonly Windows $windows)
    {
        parent::__construct($replaced->cache);

        $this->limiters = $replaced->limiters;
    }

    /**
     * Counts the call before the callback runs, in the decision that admits it, and gives it back if the callback throws.
     *
     * {@inheritdoc}
     */
    public function attempt($key, $maxAttempts, Closure $callback, $decaySeconds = 60)
    {
        $seconds = $this->seconds($decaySeconds);

        if ($maxAttempts <= 0 || $seconds === 0) {
            return $this->tooManyAttempts($key, $maxAttempts) ? false : $callback() ?? true;
        }

        $permit = $this->windows->acquire($this->cleanRateLimiterKey($key), (int) $maxAttempts, $seconds);

        if (! $permit->result->accepted) {
            // Where the store is away, exceptions are reported without a limit: they have its reason.
            return $permit->result->reason === Reason::StoreUnavailable && $this->caller()['class'] === Handler::class ? $callback() : false;
        }

        try {
            $value = $callback();
        } catch (Throwable $e) {
            BestEffort::run($permit->cancel(...));

            throw $e;
        }

        return $value ?? true;
    }

    /** {@inheritdoc} */
    public function tooManyAttempts($key, $maxAttempts)
    {
        if ($maxAttempts <= 0) {
            return true;
        }

        return $this->attempts($key) >= $maxAttempts;
    }

    /** {@inheritdoc} */
    public function increment($key, $decaySeconds = 60, $amount = 1)
    {
        $key = $this->cleanRateLimiterKey($key);
        $seconds = $this->seconds($decaySeconds);

        if ($amount <= 0) {
            return $this->windows->give($key, -$amount);
        }
        if ($seconds === 0 && $this->windows->state($key)[1] === 0) {
            // Laravel's window of no seconds is over when it begins.
            return $amount;
        }

        return $this->windows->add($key, (int) $amount, max(1, $seconds));
    }

    /** {@inheritdoc} */
    public function attempts($key)
    {
        return $this->windows->count($this->cleanRateLimiterKey($key));
    }

    /** {@inheritdoc} */
    public function resetAttempts($key)
    {
        $key = $this->cleanRateLimiterKey($key);
        $count = BestEffort::run($this->windows->count(...), $key);
        $this->windows->give($key, Windows::MAX);

        return $count > 0;
    }

    /** {@inheritdoc} */
    public function remaining($key, $maxAttempts)
    {
        // attempts() cleans the key. Cleaned twice, "o'brien" is another key.
        return max(0, $maxAttempts - $this->attempts($key));
    }

    /** {@inheritdoc} */
    public function clear($key)
    {
        $this->windows->forget($this->cleanRateLimiterKey($key));
    }

    /**
     * Refuses a key for so many seconds.
     *
     * @throws \FrequencyLimit\StoreException
     */
    public function ban(string $key, int|float $seconds): void
    {
        $this->windows->ban($this->cleanRateLimiterKey($key), $seconds);
    }

    /**
     * Lifts the ban of a key; false: there was none.
     *
     * @throws \FrequencyLimit\StoreException
     */
    public function unban(string $key): bool
    {
        return $this->windows->unban($this->cleanRateLimiterKey($key));
    }

    /** {@inheritdoc} */
    public function availableIn($key)
    {
        $seconds = $this->windows->state($this->cleanRateLimiterKey($key))[1];

        return $key === $this->closed[0] ? max($seconds, $this->closed[1]) : $seconds;
    }

    /**
     * Returns the named limiter. Laravel's queue middleware, which checks and hits in two steps, gets one that decides in
     * one step: an admitted job gets no limit, a refused one a limit of 0.
     *
     * {@inheritdoc}
     */
    public function limiter($name)
    {
        $limiter = parent::limiter($name);
        $caller = $this->caller();

        // A subclass with a handle() of its own makes keys of its own, and keeps its steps.
        if ($limiter === null || $caller['class'] !== RateLimited::class || ! self::checksAndHits($caller['object'])) {
            return $limiter;
        }

        return fn ($job) => $this->decideForJob($limiter($job), (string) $name);
    }

    /**
     * Takes one from each limit, or from none. Of a limit with an afterCallback nothing is taken: its hits come later.
     *
     * @param  array<int, object{key: string, maxAttempts: int, decaySeconds: int|float, afterCallback?: ?callable}>  $limits
     */
    public function takeAll(array $limits): Decision
    {
        if (count($limits) === 1 && ! isset($limits[0]->afterCallback)) {
            return $this->takeOne($limits[0]);
        }

        $remaining = $resetAfter = [];
        foreach ($limits as $i => $limit) {
            [$count, $retryAfter] = $this->windows->state($this->cleanRateLimiterKey($limit->key));
            if ($limit->maxAttempts <= $count) {
                return $this->refusal($limit, $i, $retryAfter);
            }
            $remaining[$i] = $limit->maxAttempts - $count;
            $resetAfter[$i] = $retryAfter;
        }

        $permits = [];
        foreach ($limits as $i => $limit) {
            if (isset($limit->afterCallback) || ($seconds = $this->seconds($limit->decaySeconds)) === 0) {
                continue;
            }
            $permits[$i] = $this->windows->acquire($this->cleanRateLimiterKey($limit->key), (int) $limit->maxAttempts, $seconds);
            $result = $permits[$i]->result;
            if (! $result->accepted) {
                // Another request was faster: what this one has taken goes back.
                foreach ($permits as $permit) {
                    BestEffort::run($permit->cancel(...));
                }

                return Decision::of($result, $i);
            }
            $remaining[$i] = $result->remaining;
            $resetAfter[$i] = $result->resetAfter;
        }

        return Decision::accepted($remaining, $resetAfter);
    }

    /** Asks for what a look refuses: the monitor counts refused calls, and a store that does not answer is the reason of one. */
    private function refusal(object $limit, int $i, int $retryAfter): Decision
    {
        $seconds = max(1, $this->seconds($limit->decaySeconds));

        if ($limit->maxAttempts <= 0) {
            return Decision::refused($i, max($retryAfter, $seconds));
        }

        $permit = $this->windows->acquire($this->cleanRateLimiterKey($limit->key), (int) $limit->maxAttempts, $seconds);

        if (! $permit->result->accepted) {
            return Decision::of($permit->result, $i);
        }
        // The window has ended since the look.
        BestEffort::run($permit->cancel(...));

        return Decision::refused($i, $retryAfter);
    }

    private function takeOne(object $limit): Decision
    {
        $seconds = $this->seconds($limit->decaySeconds);

        if ($limit->maxAttempts <= 0) {
            return $this->refusal($limit, 0, $this->availableIn($limit->key));
        }
        if ($seconds === 0) {
            return Decision::accepted([max(0, $limit->maxAttempts - $this->attempts($limit->key))], [0]);
        }

        return Decision::of($this->windows->take($this->cleanRateLimiterKey($limit->key), (int) $limit->maxAttempts, $seconds), 0);
    }

    /** Returns no limit if the job is admitted, and is counted; else the limit that refuses it, with the number 0. */
    private function decideForJob(mixed $response, string $name): mixed
    {
        if ($response instanceof Unlimited) {
            return $response;
        }

        $limits = Collection::wrap($response)->values()->all();
        $asked = array_map(fn ($limit) => (object) [
            'key' => md5($name.$limit->key),
            'maxAttempts' => $limit->maxAttempts,
            'decaySeconds' => $limit->decaySeconds,
        ], $limits);
        $decision = $this->takeAll($asked);

        if ($decision->refusedBy === null) {
            return Limit::none();
        }

        $by = $asked[$decision->refusedBy];
        $this->closed = $by->maxAttempts <= 0 ? [$by->key, $decision->retryAfter] : [null, 0];
        $refusing = clone $limits[$decision->refusedBy];
        $refusing->maxAttempts = 0;

        return $refusing;
    }

    /**
     * Returns the class that declares the method which has called this object, and its object.
     *
     * @return array{class: ?string, object: ?object}
     */
    private function caller(): array
    {
        $frame = debug_backtrace(DEBUG_BACKTRACE_PROVIDE_OBJECT | DEBUG_BACKTRACE_IGNORE_ARGS, 3)[2] ?? [];

        return ['class' => $frame['class'] ?? null, 'object' => $frame['object'] ?? null];
    }

    /** Returns whether an object is Laravel's queue middleware, with its own loop of checks and hits. */
    private static function checksAndHits(RateLimited $caller): bool
    {
        return (new ReflectionMethod($caller, 'handleJob'))->getDeclaringClass()->getName() === RateLimited::class;
    }

    /** Returns a duration of Laravel's in whole seconds, at most ten years; 0: it is over at once. */
    private function seconds(mixed $duration): int
    {
        return max(0, min($this->secondsUntil($duration), Windows::LONGEST));
    }
}
