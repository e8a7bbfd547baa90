<?php

declare(strict_types=1);

namespace FrequencyLimit;

use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\NotSerializable;
use FrequencyLimit\Polyfill\Sealed;

/**
 * Limits a function, or the public methods of a class, by a named limiter, with the extension ratelimit: #[RateLimit('login', cost: 5)].
 * This package cannot enforce it, as AccessLimit says.
 */
#[\Attribute(\Attribute::TARGET_FUNCTION | \Attribute::TARGET_METHOD | \Attribute::TARGET_CLASS | \Attribute::IS_REPEATABLE)]
final class RateLimit
{
    use NotSerializable;
    use Sealed;

    public readonly string $name;
    /** @var int|array<string, int> */
    public readonly int|array $cost;
    /** @var string|array<string, string>|null */
    public readonly string|array|null $id;
    public readonly bool $needLogin;

    /**
     * @param string                     $name      1 to 255 bytes; another one in each attribute of a function
     * @param int|array<array-key, mixed> $cost     1 to 10^12; or a cost for each limit by its name, as of Limiter::consume()
     * @param string|array<array-key, mixed>|null $id the name of the parameter that has the identity; of limits with by(), an array of
     *                                              such names by labels. Null, and a label without one: the user or the client
     * @param bool                       $needLogin true: a call without a user is LoginRequired, and is not counted
     * @throws InvalidArgument
     */
    public function __construct(string $name, int|array $cost = 1, string|array|null $id = null, bool $needLogin = false)
    {
        $this->name = Argument::bytes('$name', $name);
        $this->cost = \is_array($cost) ? self::costs($cost) : Argument::range('$cost', $cost, 1, Bounds::LIMIT_MAX);
        $this->id = \is_array($id) ? self::parameters($id) : ($id !== '' ? $id : throw Argument::invalid('$id must be the name of a parameter, "" given'));
        $this->needLogin = $needLogin;
        AccessLimit::enforce();
    }

    /**
     * @param array<array-key, mixed> $costs
     * @return array<string, int>
     */
    private static function costs(array $costs): array
    {
        $checked = [];
        foreach ($costs as $name => $cost) {
            if (!\is_string($name) || !\is_int($cost) || $cost < 0 || $cost > Bounds::LIMIT_MAX) {
                throw Argument::invalid('$cost must have costs of 0 to ' . Bounds::LIMIT_MAX . ' by the names of the limits');
            }
            $checked[$name] = $cost;
        }
        return $checked;
    }

    /**
     * @param array<array-key, mixed> $parameters
     * @return array<string, string>
     */
    private static function parameters(array $parameters): array
    {
        $checked = [];
        foreach ($parameters as $label => $parameter) {
            if (!\is_string($label) || !\is_string($parameter) || $parameter === '') {
                throw Argument::invalid('$id must have names of parameters by the labels of the limits');
            }
            $checked[$label] = $parameter;
        }
        return $checked;
    }

    /** Does nothing: without the extension no function is limited. */
    public static function enforce(bool $class = false): ?Permit
    {
        AccessLimit::enforce();
        return null;
    }
}
