<?php

declare(strict_types=1);

namespace Ratelimit\Symfony;

use FrequencyLimit\Result;
use Symfony\Component\RateLimiter\RateLimit;

/** Symfony's RateLimit with the extension's Result. */
final class Decision extends RateLimit
{
    public readonly Result $result;

    public function __construct(Result $result, \DateTimeImmutable $retryAfter, bool $accepted)
    {
        parent::__construct($result->remaining, $retryAfter, $accepted, $result->limit);
        $this->result = $result;
    }

    /**
     * Returns RateLimit-Policy, RateLimit and, of a refusal, Retry-After for a response.
     *
     * @param bool $legacy true: also X-RateLimit-Limit, X-RateLimit-Remaining and X-RateLimit-Reset
     * @return array<string, string>
     */
    public function getHeaders(bool $legacy = false): array
    {
        return $this->result->headers($legacy);
    }
}
