<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Request;

use FrequencyLimit\Polyfill\Settings;
use FrequencyLimit\Polyfill\Warnings;

/** The client of the request that is being served, by its address. */
final class Client
{
    /** @var array{?string, ?string}|null the peer and X-Forwarded-For, which Request::begin() has brought outside of fibers */
    private static ?array $begun = null;
    /** @var \WeakMap<\Fiber<mixed, mixed, mixed, mixed>, array{?string, ?string}|null>|null the same, of each fiber */
    private static ?\WeakMap $ofFibers = null;
    private static bool $isServer = false;

    public static function begin(?string $address, ?string $forwardedFor): void
    {
        self::$isServer = self::$isServer || !self::servesWeb();
        self::set([$address, $forwardedFor]);
    }

    public static function end(): void
    {
        self::set(null);
    }

    /** @param array{?string, ?string}|null $begun */
    private static function set(?array $begun): void
    {
        $fiber = self::fiber();
        if ($fiber === null) {
            self::$begun = $begun;
        } else {
            self::$ofFibers ??= new \WeakMap();
            self::$ofFibers[$fiber] = $begun;
        }
    }

    /**
     * Returns the fiber, which has a request of its own. A request that PHP serves is one with all of its fibers.
     *
     * @return \Fiber<mixed, mixed, mixed, mixed>|null
     */
    private static function fiber(): ?\Fiber
    {
        return self::servesWeb() ? null : \Fiber::getCurrent();
    }

    public static function isPeerAddress(string $address): bool
    {
        return $address === '' || str_starts_with($address, 'unix:') || Address::parseNode($address) !== null;
    }

    /** Returns whether PHP itself serves a web request. */
    public static function servesWeb(): bool
    {
        return PHP_SAPI !== 'cli' && PHP_SAPI !== 'phpdbg' && isset($_SERVER['REQUEST_METHOD']);
    }

    public static function address(): string
    {
        $fiber = self::fiber();
        $begun = $fiber === null ? self::$begun : self::$ofFibers[$fiber] ?? null;
        if ($begun === null && self::$isServer) {
            Warnings::noRequest();
            return 'nobody';
        }
        [$peer, $forwarded] = $begun ?? [null, null];
        if ($peer === null && self::servesWeb()) {
            $peer = self::variable('REMOTE_ADDR');
            $forwarded = self::variable('HTTP_X_FORWARDED_FOR');
        }
        $address = $peer === null ? null : Address::parseNode($peer);
        if ($address === null) {
            return 'local';
        }
        return self::follow($address, $forwarded ?? '')->text(Settings::get()->ipv6Prefix);
    }

    private static function variable(string $name): ?string
    {
        return \is_string($_SERVER[$name] ?? null) ? $_SERVER[$name] : null;
    }

    /**
     * Walks X-Forwarded-For from its right end, which the trusted proxies have written. Entries further left than the first
     * address that is no trusted proxy are the client's own.
     */
    private static function follow(Address $client, string $forwarded): Address
    {
        $proxies = Settings::get()->trustedProxies;
        foreach (array_reverse(explode(',', $forwarded)) as $entry) {
            $entry = trim($entry, " \t");
            if ($entry === '') {
                continue;
            }
            $next = $proxies->contain($client) ? Address::parseNode($entry) : null;
            if ($next === null) {
                return $client;
            }
            $client = $next;
        }
        return $client;
    }
}
