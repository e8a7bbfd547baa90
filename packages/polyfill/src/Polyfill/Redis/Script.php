<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

/** The extension's scripts, as it sends them: so that both have the same digest, and share the server's copy. */
final class Script
{
    public const COUNTER = 'counter';
    public const LIMITER = 'limiter';

    /** @var array<string, self> */
    private static array $scripts = [];

    private function __construct(public readonly string $text, public readonly string $sha1)
    {
    }

    public static function get(string $name): self
    {
        return self::$scripts[$name] ??= self::read($name);
    }

    /** Checks that the scripts are there: in a checkout of the extension, a command makes them. */
    public static function check(): void
    {
        foreach ([self::COUNTER, self::LIMITER] as $name) {
            if (!is_file(self::file($name))) {
                throw new \RuntimeException("ratelimit/polyfill: the script resources/$name.lua is missing: run scripts/packages.sh "
                    . 'generate in the checkout of the extension, and then composer reinstall ratelimit/polyfill');
            }
        }
    }

    private static function file(string $name): string
    {
        return \dirname(__DIR__, 3) . "/resources/$name.lua";
    }

    private static function read(string $name): self
    {
        $text = (string) file_get_contents(self::file($name));
        return new self($text, sha1($text));
    }
}
