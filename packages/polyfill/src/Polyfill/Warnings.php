<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

/** Warns of what this package cannot do and of wrong settings: of each once in a process. */
final class Warnings
{
    /** @var array<string, true> */
    private static array $given = [];
    /** @var list<string> of the configuration, for FrequencyLimit::stats() */
    private static array $ofConfiguration = [];

    /** Warns of a limitation of this package, unless ratelimit_polyfill.warnings is off. */
    public static function limitation(string $text): void
    {
        if (isset(self::$given[$text])) {
            return;
        }
        self::$given[$text] = true;
        if (Settings::get()->polyfillWarnings) {
            trigger_error("ratelimit/polyfill: $text", E_USER_WARNING);
        }
    }

    /** Warns of a wrong setting. */
    public static function configuration(string $text): void
    {
        if (!isset(self::$given[$text])) {
            self::$given[$text] = true;
            self::$ofConfiguration[] = $text;
            trigger_error($text, E_USER_WARNING);
        }
    }

    /**
     * Returns the warnings of the configuration.
     *
     * @return list<string>
     */
    public static function ofConfiguration(): array
    {
        return self::$ofConfiguration;
    }

    /** Forgets which warnings were given: for tests. */
    public static function forget(): void
    {
        self::$given = [];
        self::$ofConfiguration = [];
    }
}
