<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

/** Writes a DSN for messages: without its passwords, and without control bytes. */
final class Label
{
    private const HARMLESS = ['db', ...DsnOptions::OF_STORE, 'tls', 'ca', 'cert', 'key', 'verify_name', 'verify', 'sentinel_user'];

    /** An invalid DSN is masked as well: everything up to the last @ may be the password. */
    public static function mask(#[\SensitiveParameter] string $dsn): string
    {
        $scheme = preg_match('~^[a-z+]*://~', $dsn, $found) === 1 ? $found[0] : '';
        $rest = substr($dsn, \strlen($scheme));
        $isPath = $scheme === 'unix://' && str_starts_with($rest, '/');
        $at = $isPath ? false : strrpos($rest, '@');
        $label = $scheme;
        if ($at !== false && strcspn($rest, '/?#') < $at) {
            $label .= '***';
            $rest = '';
        } elseif ($at !== false) {
            $user = substr($rest, 0, min($at, strcspn($rest, ':')));
            $label .= \strlen($user) < $at ? "$user:***@" : '***@';
            $rest = substr($rest, $at + 1);
        }
        $place = substr($rest, 0, strcspn($rest, '?'));
        return (string) preg_replace('/[\x00-\x1f\x7f]/', '?', $label . $place . self::options(substr($rest, \strlen($place) + 1)));
    }

    /** Returns a DSN without the options of how the store asks the server. */
    public static function server(#[\SensitiveParameter] string $dsn): string
    {
        [$server, $options] = explode('?', $dsn, 2) + [1 => ''];
        $own = array_filter(explode('&', $options), static fn (string $option): bool => $option !== '' && !\in_array(explode('=', $option, 2)[0], DsnOptions::OF_STORE, true));
        return $own ? "$server?" . implode('&', $own) : $server;
    }

    /** Returns the options up to the first that may be a password. */
    private static function options(#[\SensitiveParameter] string $options): string
    {
        $text = '';
        foreach (DsnOptions::split($options) as $option) {
            $text .= $text === '' ? '?' : '&';
            if (!\in_array(explode('=', $option, 2)[0], self::HARMLESS, true)) {
                return "$text***";
            }
            $text .= $option;
        }
        return $text;
    }

    /** Returns a message about a server; a reply in it may quote an identity. */
    public static function message(string $label, string $reason): string
    {
        return substr("Redis at $label: ", 0, 222) . preg_replace('/[^\x20-\x7e]/', '?', substr($reason, 0, 150));
    }
}
