<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** Multiplies and divides exactly where a product has more than 64 bits. */
final class Arithmetic
{
    /**
     * Returns floor and remainder of a * b / c; for a, b from 0 and c from 1 to 2^50. A floor that is no int becomes
     * PHP_INT_MAX.
     *
     * @return array{int, int}
     */
    public static function mulDiv(int $a, int $b, int $c): array
    {
        $product = $a * $b;
        if (\is_int($product)) {
            return [intdiv($product, $c), $product % $c];
        }
        return self::longMulDiv($a, $b, $c);
    }

    /** @return array{int, int} */
    private static function longMulDiv(int $a, int $b, int $c): array
    {
        /* b is taken in pieces of 12 bits, from the highest one on: a rest is below 2^50, so that no sum has more than 63. */
        $whole = intdiv($a, $c);
        $part = $a % $c;
        $floor = 0;
        $rest = 0;
        for ($shift = 60; $shift >= 0; $shift -= 12) {
            $piece = ($b >> $shift) & 0xfff;
            $sum = ($rest << 12) + $part * $piece;
            $next = $floor * 4096 + $whole * $piece + intdiv($sum, $c);
            if (!\is_int($next)) {
                return [PHP_INT_MAX, 0];
            }
            $floor = $next;
            $rest = $sum % $c;
        }
        return [$floor, $rest];
    }
}
