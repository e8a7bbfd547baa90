<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

use FrequencyLimit\Polyfill\Named\LimitersFile;

/** Warns of what this package cannot do, of wrong settings and of wrong calls: of each once in a process. */
final class Warnings
{
    /** @var array<string, true> */
    private static array $given = [];
    /** @var list<string> of the configuration, for FrequencyLimit\Monitor::stats() */
    private static array $ofConfiguration = [];

    /** Warns of a limitation of this package, unless ratelimit_polyfill.warnings is off. */
    public static function limitation(string $text): void
    {
        if (self::isNew($text) && Settings::get()->polyfillWarnings) {
            trigger_error("ratelimit/polyfill: $text", E_USER_WARNING);
        }
    }

    public static function attributes(): void
    {
        self::limitation('#[AccessLimit], #[ConcurrencyLimit] and #[RateLimit] are not enforced: no call is limited by them. Install the '
            . 'extension ratelimit, or call a FrequencyLimit\Limiter in the function');
    }

    /** Warns of clientAddress() outside of any request. */
    public static function noRequest(): void
    {
        $text = 'FrequencyLimit\Request::clientAddress(): this process serves requests, and this call belongs to none of them: it has no user, and its '
            . 'client is "nobody". Call FrequencyLimit\Request::begin() at the begin of each request';
        if (self::isNew($text)) {
            trigger_error($text, E_USER_WARNING);
        }
    }

    private static function isNew(string $text): bool
    {
        $isNew = !isset(self::$given[$text]);
        self::$given[$text] = true;
        return $isNew;
    }

    /** Warns of a wrong setting. */
    public static function configuration(string $text): void
    {
        if (self::isNew($text)) {
            self::$ofConfiguration[] = $text;
            trigger_error($text, E_USER_WARNING);
        }
    }

    /**
     * Returns the warnings of the configuration, and the mistake in the file of ratelimit.limiters.
     *
     * @return list<string>
     */
    public static function ofConfiguration(): array
    {
        $problem = LimitersFile::problem();
        return [...self::$ofConfiguration, ...($problem === null ? [] : ["ratelimit.limiters: $problem"])];
    }

    /** Forgets which warnings were given: for tests. */
    public static function forget(): void
    {
        self::$given = [];
        self::$ofConfiguration = [];
    }
}
