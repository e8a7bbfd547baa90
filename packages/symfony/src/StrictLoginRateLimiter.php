<?php

declare(strict_types=1);

namespace Ratelimit\Symfony;

use FrequencyLimit\Permit;
use Psr\Log\LoggerInterface;
use Symfony\Component\HttpFoundation\RateLimiter\RequestRateLimiterInterface;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\RateLimiter\RateLimit;

/**
 * Limits failed logins as LoginRateLimiter does, and counts each login before the password is checked. A login that succeeds
 * is given back. So parallel guesses cannot all pass before the first one has failed. It is no PeekableRequestRateLimiterInterface:
 * then Symfony's listener calls consume() before the check, and reset() after a success.
 */
final class StrictLoginRateLimiter implements RequestRateLimiterInterface
{
    private readonly LoginRateLimiter $limiter;

    /** @var \WeakMap<Request, list<Permit>> what the running logins have taken */
    private readonly \WeakMap $permits;

    public function __construct(FactoryInterface $globalFactory, FactoryInterface $localFactory, #[\SensitiveParameter] string $secret, ?LoggerInterface $logger = null)
    {
        $this->limiter = new LoginRateLimiter($globalFactory, $localFactory, $secret, $logger);
        $this->permits = new \WeakMap();
    }

    public function consume(Request $request): RateLimit
    {
        $limiters = CompoundLimiter::of($this->limiter->getLimiters($request));
        if (!$limiters instanceof CompoundLimiter) {
            return $limiters->consume();
        }
        [$decision, $this->permits[$request]] = $limiters->take(1);

        return $decision;
    }

    public function reset(Request $request): void
    {
        $commands = array_map(static fn (Permit $permit): \Closure => $permit->cancel(...), $this->permits[$request] ?? []);
        unset($this->permits[$request]);
        $limiters = $this->limiter->getLimiters($request);
        if (!$limiters[0] instanceof NativeLimiter) {
            // A limiter of Symfony cannot give back.
            $commands[] = $limiters[0]->reset(...);
        }
        $commands[] = $limiters[1]->reset(...);
        $this->limiter->finish(...$commands);
    }
}
