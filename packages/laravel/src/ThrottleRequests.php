<?php

namespace FrequencyLimit\Laravel;

use Closure;
use FrequencyLimit\Reason;
use FrequencyLimit\Result;
use Illuminate\Routing\Middleware\ThrottleRequests as LaravelThrottleRequests;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\Exception\ServiceUnavailableHttpException;

/** Laravel's throttle middleware with one decision for each request, from which its headers come. */
class ThrottleRequests extends LaravelThrottleRequests
{
    /** The seconds after which the refused request passes: buildException() asks for them. */
    private int $retryAfter = 0;

    /** The name of the limiter by RateLimiter::for(); null: "throttle:60,1". */
    private ?string $name = null;

    /**
     * The headers RateLimit-Policy and RateLimit, where ratelimit.ietf_headers asks for them.
     *
     * @var array<string, string>
     */
    private array $policies = [];

    /**
     * Returns the keys of a caller of a named limiter: of this middleware, and of the queue's.
     *
     * @return list<string>
     */
    public static function keysOf(string $limiter, string $key): array
    {
        return array_values(array_unique([self::$shouldHashKeys ? md5($limiter.$key) : "$limiter:$key", md5($limiter.$key)]));
    }

    /** {@inheritdoc} */
    protected function handleRequestUsingNamedLimiter($request, Closure $next, $limiterName, Closure $limiter)
    {
        $this->name = (string) $limiterName;

        return parent::handleRequestUsingNamedLimiter($request, $next, $limiterName, $limiter);
    }

    /** {@inheritdoc} */
    protected function handleRequest($request, Closure $next, array $limits)
    {
        if (! $this->limiter instanceof RateLimiter) {
            return parent::handleRequest($request, $next, $limits);
        }

        $limits = array_values($limits);
        $decision = $this->limiter->takeAll($limits);

        if ($decision->refusedBy !== null) {
            $limit = $limits[$decision->refusedBy];
            $this->retryAfter = $decision->retryAfter;
            $this->announce($limit, $decision->refusedBy, 0, $decision->retryAfter, Reason::Limited);

            throw $decision->unavailable
                ? new ServiceUnavailableHttpException($decision->retryAfter, 'The rate limiter is unavailable.')
                : $this->buildException($request, $limit->key, $limit->maxAttempts, $limit->responseCallback);
        }

        $response = $next($request);

        foreach ($limits as $i => $limit) {
            $remaining = $decision->remaining[$i];

            if (isset($limit->afterCallback) && ($limit->afterCallback)($response)) {
                $hits = BestEffort::run($this->limiter->hit(...), $limit->key, $limit->decaySeconds);
                $remaining = $hits === null ? $remaining : max(0, $limit->maxAttempts - $hits);
            }

            $response = $this->addHeaders($response, $limit->maxAttempts, $remaining);
            $this->announce($limit, $i, $remaining, $decision->resetAfter[$i]);
        }
        // A throttle inside this one has lists of its own.
        foreach ($this->policies as $header => $list) {
            $response->headers->set($header, implode(', ', array_filter([$list, $response->headers->get($header)])));
        }

        return $response;
    }

    /** {@inheritdoc} */
    protected function getHeaders($maxAttempts, $remainingAttempts, $retryAfter = null, ?Response $response = null)
    {
        return parent::getHeaders($maxAttempts, $remainingAttempts, $retryAfter, $response) + ($retryAfter === null ? [] : $this->policies);
    }

    /** Adds a limit to the lists of the IETF's headers. */
    private function announce(object $limit, int $i, int $remaining, int|float $resetAfter, Reason $reason = Reason::Accepted): void
    {
        $seconds = (int) min($limit->decaySeconds, Windows::LONGEST);
        // Limit::none() in a list has this number.
        if (! config('ratelimit.ietf_headers') || $limit->maxAttempts < 1 || $limit->maxAttempts === PHP_INT_MAX || $seconds < 1) {
            return;
        }
        $max = min($limit->maxAttempts, Windows::MAX);
        $suffix = $this->name === null || $i === 0 ? '' : '-'.$i + 1;
        $name = ($this->name ?? "$max/{$seconds}s").$suffix;
        $result = Result::of($reason, $max, min($remaining, $max), $reason === Reason::Limited ? $resetAfter : null, $resetAfter,
            name: preg_match('/^[\x21-\x7e]{1,64}$/', $name) ? $name : "default$suffix", window: $seconds);

        foreach (array_intersect_key($result->headers(), ['RateLimit-Policy' => 1, 'RateLimit' => 1]) as $header => $item) {
            $this->policies[$header] = isset($this->policies[$header]) ? "{$this->policies[$header]}, $item" : $item;
        }
    }

    /** {@inheritdoc} */
    protected function getTimeUntilNextRetry($key)
    {
        return $this->limiter instanceof RateLimiter ? $this->retryAfter : parent::getTimeUntilNextRetry($key);
    }
}
