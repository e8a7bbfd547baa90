<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\EventListener;

use FrequencyLimit\LimitExceeded;
use FrequencyLimit\LoginRequired;
use FrequencyLimit\Result;
use Ratelimit\Symfony\Decision;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpKernel\Event\ExceptionEvent;
use Symfony\Component\HttpKernel\Exception\HttpException;
use Symfony\Component\HttpKernel\Exception\TooManyRequestsHttpException;
use Symfony\Component\RateLimiter\Exception\RateLimitExceededException;

/**
 * Maps a refusal that no code has caught to the status 429 (503 where the store was unavailable) with its headers. The body is
 * problem details (RFC 9457) where the client prefers JSON, or else Symfony's own error page.
 */
final class LimitExceededListener
{
    public function onKernelException(ExceptionEvent $event): void
    {
        $exception = $event->getThrowable();
        if ($exception instanceof LoginRequired) {
            $event->setThrowable(new HttpException(401, 'Login required.', $exception));

            return;
        }
        if ($exception instanceof RateLimitExceededException && !$exception->getRateLimit() instanceof Decision) {
            // A limiter of Symfony has refused: one of "except", or each one where the extension is not loaded.
            $wait = (float) $exception->getRetryAfter()->format('U.u') - microtime(true);
            $event->setThrowable(new TooManyRequestsHttpException(max(1, (int) ceil($wait)), 'Too many requests.', $exception));

            return;
        }
        $result = self::result($exception);
        if (null === $result || $result->accepted) {
            return;
        }
        if (\in_array($event->getRequest()->getPreferredFormat(), ['json', 'problem', 'jsonld', 'jsonapi'], true)) {
            $event->setResponse(new JsonResponse(json_encode($result->problem(), \JSON_THROW_ON_ERROR | \JSON_UNESCAPED_SLASHES), $result->status(), ['Content-Type' => 'application/problem+json'] + $result->headers(), true));

            return;
        }
        $event->setThrowable(new HttpException($result->status(), $result->problem()['detail'], $exception, $result->headers()));
    }

    private static function result(\Throwable $exception): ?Result
    {
        if ($exception instanceof LimitExceeded) {
            return $exception->result;
        }
        $decision = $exception instanceof RateLimitExceededException ? $exception->getRateLimit() : null;

        return $decision instanceof Decision ? $decision->result : null;
    }
}
