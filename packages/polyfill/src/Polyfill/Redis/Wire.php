<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

/** Packs a question and unpacks an answer of the scripts: whole numbers of 1 to 7 bytes, little-endian. */
final class Wire
{
    /** The nonce is the first number of both. */
    public const NONCE_BYTES = 6;

    public static function put(int $number, int $bytes): string
    {
        return substr(pack('P', $number), 0, $bytes);
    }

    /** Reads a number, and advances behind it. */
    public static function get(string $from, int &$at, int $bytes): int
    {
        /** @var array{1: int} $found */
        $found = unpack('P', str_pad(substr($from, $at, $bytes), 8, "\0"));
        $at += $bytes;
        return $found[1];
    }
}
