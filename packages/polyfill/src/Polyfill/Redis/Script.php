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

    private static function read(string $name): self
    {
        $text = file_get_contents(\dirname(__DIR__, 3) . "/resources/$name.lua");
        if ($text === false) {
            throw new \RuntimeException("ratelimit/polyfill: the script resources/$name.lua is missing: install the package again");
        }
        return new self($text, sha1($text));
    }
}
