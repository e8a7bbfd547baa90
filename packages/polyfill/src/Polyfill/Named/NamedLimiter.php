<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Named;

use FrequencyLimit\Limit;
use FrequencyLimit\Polyfill\Guard\FailurePolicy;
use FrequencyLimit\Polyfill\Limit\LimitParser;

/** A limiter of the file of ratelimit.limiters. */
final class NamedLimiter
{
    /** @var array<array-key, string> name => text; a text without a time zone has PHP's default one when a Limiter is made */
    public array $limits = [];
    public ?string $store = null;
    public ?FailurePolicy $policy = null;
    public readonly IdentityList $exempt;
    public readonly IdentityList $refuse;

    public function __construct(public readonly string $name)
    {
        $this->exempt = new IdentityList();
        $this->refuse = new IdentityList();
    }

    /** @return list<Limit> */
    public function limits(): array
    {
        $limits = [];
        foreach ($this->limits as $name => $text) {
            $limits[] = LimitParser::parse($text)->named((string) $name);
        }
        return $limits;
    }
}
