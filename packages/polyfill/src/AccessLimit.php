<?php

declare(strict_types=1);

namespace FrequencyLimit;

use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\NotSerializable;
use FrequencyLimit\Polyfill\Sealed;
use FrequencyLimit\Polyfill\Warnings;

/**
 * Limits a function, with the extension ratelimit: #[AccessLimit(seconds: 60, maxCount: 5)]. This package cannot enforce it:
 * PHP lets no library run code in front of a function, nor tells it of an attribute. Only an object of this class, which reflection makes,
 * checks the arguments, and warns once.
 */
#[\Attribute(\Attribute::TARGET_FUNCTION | \Attribute::TARGET_METHOD | \Attribute::IS_REPEATABLE)]
final class AccessLimit
{
    use NotSerializable;
    use Sealed;

    public readonly int|float $seconds;
    public readonly int $maxCount;
    public readonly bool $needLogin;
    public readonly ?string $action;

    /**
     * @param int|float   $seconds   the length of the window, 0.001 to 315,360,000 (ten years)
     * @param int         $maxCount  the number of calls that pass in a window, 1 to 16,777,215
     * @param bool        $needLogin true: a call without a user is LoginRequired, and is not counted
     * @param string|null $action    1 to 255 bytes; the same in all attributes of a function
     * @throws InvalidArgument
     */
    public function __construct(int|float $seconds, int $maxCount = 5, bool $needLogin = false, ?string $action = null)
    {
        Argument::duration('$seconds', $seconds, Bounds::PERIOD_MIN_US);
        Argument::range('$maxCount', $maxCount, 1, Bounds::COUNTER_MAX);
        $this->seconds = $seconds;
        $this->maxCount = $maxCount;
        $this->needLogin = $needLogin;
        $this->action = $action === null ? null : Argument::bytes('$action', $action);
        Warnings::attributes();
    }

    /** Does nothing: without the extension no function is limited. */
    public static function enforce(): void
    {
        Warnings::attributes();
    }
}
