<?php

namespace FrequencyLimit\Laravel;

use Closure;
use Illuminate\Routing\Middleware\ThrottleRequests as LaravelThrottleRequests;
use Symfony\Component\HttpKernel\Exception\ServiceUnavailableHttpException;

/** Laravel's throttle middleware with one decision for each request, from which its headers come. */
class ThrottleRequests extends LaravelThrottleRequests
{
    /** The seconds after which the refused request passes: buildException() asks for them. */
    private int $retryAfter = 0;

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
        }

        return $response;
    }

    /** {@inheritdoc} */
    protected function getTimeUntilNextRetry($key)
    {
        return $this->limiter instanceof RateLimiter ? $this->retryAfter : parent::getTimeUntilNextRetry($key);
    }
}
