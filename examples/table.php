<?php

declare(strict_types=1);

/** How many columns of a terminal a text takes: a Chinese, Japanese or Korean character takes two. */
function width(string $text): int
{
    $wide = '/[\x{1100}-\x{115F}\x{2E80}-\x{303E}\x{3041}-\x{A4CF}\x{AC00}-\x{D7A3}\x{F900}-\x{FAFF}'
        . '\x{FE30}-\x{FE6F}\x{FF00}-\x{FF60}\x{FFE0}-\x{FFE6}\x{20000}-\x{3FFFD}]/u';
    return preg_match_all('/./us', $text) + preg_match_all($wide, $text);
}

/**
 * Prints rows under their titles, columns aligned: numbers to the right, texts to the left.
 *
 * @param list<string>           $titles
 * @param list<list<int|string>> $rows
 */
function table(array $titles, array $rows): void
{
    $widths = [];
    foreach ($titles as $column => $title) {
        $widths[] = max(array_map(static fn (array $row): int => width((string) $row[$column]), [$titles, ...$rows]));
    }
    $line = static function (array $cells, array $like) use ($widths): string {
        foreach ($cells as $column => $cell) {
            $padding = str_repeat(' ', $widths[$column] - width((string) $cell));
            $cells[$column] = is_int($like[$column]) ? $padding . $cell : $cell . $padding;
        }
        return rtrim('  ' . implode('  ', $cells)) . "\n";
    };

    echo $line($titles, $rows[0] ?? $titles);
    echo $line(array_map(static fn (int $width): string => str_repeat('-', $width), $widths), $titles);
    foreach ($rows as $row) {
        echo $line($row, $row);
    }
}
