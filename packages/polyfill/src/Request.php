<?php

declare(strict_types=1);

namespace FrequencyLimit;

use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\NotSerializable;
use FrequencyLimit\Polyfill\Request\Client;
use FrequencyLimit\Polyfill\Warnings;

/** The current request: its client. Without the extension ratelimit no function is limited, so it has no decision. */
final class Request
{
    use NotSerializable;

    private function __construct()
    {
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
    public static function begin(?string $address = null, ?string $path = null, ?string $forwardedFor = null): void
    {
        if ($address !== null && !Client::isPeerAddress($address)) {
            throw Argument::invalid('$address must be an IP address, with or without a port, "' . substr($address, 0, 64) . '" given');
        }
        Client::begin($address, $forwardedFor);
    }

    /** Ends the request that begin() began. */
    public static function end(): void
    {
        Client::end();
    }

    /**
     * Sets the resolver of this request's user. Without the extension nothing calls it, of which a process is warned once.
     */
    public static function identifyBy(?callable $resolver): void
    {
        Warnings::attributes();
    }

    /**
     * Returns the address of this request's client, for limiters of your own. An IPv6 address is its network of
     * ratelimit.ipv6_prefix ("2001:db8::/64"). Behind a proxy that ratelimit.trusted_proxies lists, it is the one from
     * X-Forwarded-For. "local": there is no address, as on the command line. "nobody": there is no request, see begin().
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
}
