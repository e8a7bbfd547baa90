<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

/** The client of the request that is being served, by its address. */
final class Client
{
    /** @var array{?string, ?string}|null the peer and X-Forwarded-For, which AccessLimit::request() has brought */
    private static ?array $begun = null;
    private static bool $isServer = false;

    public static function begin(?string $address, ?string $forwardedFor): void
    {
        self::$isServer = self::$isServer || !self::servesWeb();
        self::$begun = [$address, $forwardedFor];
    }

    public static function end(): void
    {
        self::$begun = null;
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
        if (self::$begun === null && self::$isServer) {
            return 'nobody';
        }
        [$peer, $forwarded] = self::$begun ?? [null, null];
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
