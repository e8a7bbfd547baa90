<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Guard;

use FrequencyLimit\Polyfill\Warnings;

/** ratelimit.on_failure: what decides a call for which Redis is unavailable. */
enum FailurePolicy: string
{
    /** The memory of this process. */
    case Local = 'local';
    case Allow = 'allow';
    case Deny = 'deny';
    case Throw = 'throw';

    /** Returns null for a text that is no policy. The share of "local:1/20" is for machines; the memory of a process takes all. */
    public static function parse(string $text): ?self
    {
        if (preg_match('~^local:1/([1-9][0-9]{0,4})$~D', $text, $share) === 1 && $share[1] >= 2 && $share[1] <= 10_000) {
            Warnings::limitation("on_failure=$text: the polyfill takes no share, each process admits what its own memory permits");
            return self::Local;
        }
        return self::tryFrom($text);
    }

    /** Returns whether the policy answers for a store that failed so. */
    public function appliesTo(StoreFailure $failure): bool
    {
        return match ($failure->status) {
            StoreFailure::UNAVAILABLE => $this !== self::Throw,
            /* Under "deny" an exception shows the mistake; a refusal of every call would hide it. */
            StoreFailure::MISCONFIGURED => $this === self::Local || $this === self::Allow,
            default => false,
        };
    }
}
