<?php

declare(strict_types=1);

namespace FrequencyLimit;

use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Client;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\NotSerializable;
use FrequencyLimit\Polyfill\Warnings;

/**
 * Limits a function, with the extension ratelimit: #[AccessLimit(seconds: 60, maxCount: 5)]. This package cannot enforce it:
 * PHP lets no library run code in front of a function. It checks the arguments, and warns once.
 */
#[\Attribute(\Attribute::TARGET_FUNCTION | \Attribute::TARGET_METHOD | \Attribute::IS_REPEATABLE)]
final class AccessLimit
{
    use NotSerializable;

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
        self::warn();
    }

    private static function warn(): void
    {
        Warnings::limitation('#[AccessLimit] and #[ConcurrencyLimit] are not enforced: no call is limited by them. Install the '
            . 'extension ratelimit, or call a FrequencyLimit\Limiter in the function');
    }

    /**
     * Sets the resolver of this request's user. Without the extension nothing calls it.
     */
    public static function identifyBy(?callable $resolver): void
    {
        self::warn();
    }

    /**
     * Begins a request, in a process that serves many of them: it sets the client for clientAddress().
     *
     * @param string|null $address      the peer's address, with or without a port; null: the web server's REMOTE_ADDR. "" or
     *                                  "unix:...": a unix socket, whose client is "local"
     * @param string|null $path         a path or a URI; without the extension nothing is counted by it
     * @param string|null $forwardedFor the header X-Forwarded-For, which is read if $address is one of
     *                                  ratelimit.trusted_proxies; without $address it is not read
     * @throws InvalidArgument if $address is no address; nothing has changed
     */
    public static function request(?string $address = null, ?string $path = null, ?string $forwardedFor = null): void
    {
        if ($address !== null && !Client::isPeerAddress($address)) {
            throw Argument::invalid('$address must be an IP address, with or without a port, "' . substr($address, 0, 64) . '" given');
        }
        Client::begin($address, $forwardedFor);
    }

    /** Ends the request that request() began. */
    public static function endRequest(): void
    {
        Client::end();
    }

    /**
     * Returns the address of this request's client, for limiters of your own. An IPv6 address is its network of
     * ratelimit.ipv6_prefix ("2001:db8::/64"). Behind a proxy that ratelimit.trusted_proxies lists, it is the one from
     * X-Forwarded-For. "local": there is no address, as on the command line. "nobody": there is no request, see request().
     */
    public static function clientAddress(): string
    {
        return Client::address();
    }

    /** Returns null: without the extension no function is limited. */
    public static function lastResult(): ?Result
    {
        return null;
    }

    /** Does nothing: without the extension no function is limited. */
    public static function enforce(): void
    {
        self::warn();
    }
}
