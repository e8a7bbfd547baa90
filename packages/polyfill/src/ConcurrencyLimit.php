<?php

declare(strict_types=1);

namespace FrequencyLimit;

use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\NotSerializable;
use FrequencyLimit\Polyfill\Sealed;

/**
 * Limits the calls of a function that run at once, with the extension ratelimit: #[ConcurrencyLimit(limit: 2, seconds: 600)].
 * This package cannot enforce it, as AccessLimit says.
 */
#[\Attribute(\Attribute::TARGET_FUNCTION | \Attribute::TARGET_METHOD | \Attribute::IS_REPEATABLE)]
final class ConcurrencyLimit
{
    use NotSerializable;
    use Sealed;

    public readonly int $limit;
    public readonly int|float $seconds;
    public readonly bool $needLogin;
    public readonly ?string $action;

    /**
     * @param int         $limit     the number of places, 1 to 10,000
     * @param int|float   $seconds   a place comes free after them in any case, 0.001 to 315,360,000 (ten years)
     * @param bool        $needLogin true: a call without a user is LoginRequired, and takes no place
     * @param string|null $action    1 to 255 bytes; the same in all attributes of a function
     * @throws InvalidArgument
     */
    public function __construct(int $limit, int|float $seconds, bool $needLogin = false, ?string $action = null)
    {
        Argument::duration('$seconds', $seconds, Bounds::PERIOD_MIN_US);
        Argument::range('$limit', $limit, 1, Bounds::LOG_MAX);
        $this->limit = $limit;
        $this->seconds = $seconds;
        $this->needLogin = $needLogin;
        $this->action = $action === null ? null : Argument::bytes('$action', $action);
        AccessLimit::enforce();
    }

    /** Does nothing: without the extension no function is limited. */
    public static function enforce(): ?Permit
    {
        AccessLimit::enforce();
        return null;
    }
}
