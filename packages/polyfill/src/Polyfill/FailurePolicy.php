<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

/** ratelimit.on_failure: what decides a call for which Redis is unavailable. */
enum FailurePolicy: string
{
    /** The memory of this process. */
    case Local = 'local';
    case Allow = 'allow';
    case Deny = 'deny';
    case Throw = 'throw';

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
