<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

use FrequencyLimit\Limit;

/** A limiter of the file of ratelimit.limiters. */
final class NamedLimiter
{
    /** @var array<array-key, string> name => text; a text without a time zone has PHP's default one when a Limiter is made */
    public array $limits = [];
    public ?string $store = null;
    public ?FailurePolicy $policy = null;
    /** @var list<string> */
    public array $exemptIds = [];
    /** @var list<Networks> */
    public array $exemptNetworks = [];

    public function __construct(public readonly string $name)
    {
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

    public function isExempt(int|string $id): bool
    {
        $text = (string) $id;
        if (\in_array($text, $this->exemptIds, true)) {
            return true;
        }
        foreach ($this->exemptNetworks as $networks) {
            if ($networks->containText($text)) {
                return true;
            }
        }
        return false;
    }
}
