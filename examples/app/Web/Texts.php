<?php

declare(strict_types=1);

namespace App\Web;

/** The texts of the page, in one language. */
final class Texts
{
    public const LANGUAGES = ['en', 'zh'];

    /** @param array<string, string> $texts */
    private function __construct(public readonly string $language, private readonly array $texts)
    {
    }

    public static function in(string $language): self
    {
        return new self($language, require __DIR__ . "/texts/$language.php");
    }

    /** Returns our best language for an Accept-Language header. */
    public static function preferred(string $acceptLanguage): string
    {
        $best = [0.0, self::LANGUAGES[0]];
        foreach (explode(',', $acceptLanguage) as $range) {
            [$tag, $weight] = explode(';', $range, 2) + [1 => ''];
            $language = strtolower(explode('-', trim($tag))[0]);
            $quality = preg_match('/q=([\d.]+)/', $weight, $found) ? (float) $found[1] : 1.0;
            if (in_array($language, self::LANGUAGES, true) && $quality > $best[0]) {
                $best = [$quality, $language];
            }
        }
        return $best[1];
    }

    /** Returns a text with its {places} filled in; a key without a text returns itself. */
    public function __invoke(string $key, string|int ...$values): string
    {
        $places = [];
        foreach ($values as $place => $value) {
            $places['{' . $place . '}'] = (string) $value;
        }
        return strtr($this->texts[$key] ?? $key, $places);
    }

    public function has(string $key): bool
    {
        return isset($this->texts[$key]);
    }

    /** Formats "4.2 s", "0:59", "1:02:03": rounded up, as all waits of a limiter must be. */
    public static function duration(float $seconds): string
    {
        if ($seconds < 10) {
            return number_format(ceil($seconds * 10) / 10, 1) . ' s';
        }
        $s = (int) ceil($seconds);
        $minutes = sprintf($s < 3600 ? '%d' : '%02d', intdiv($s, 60) % 60);
        return ($s < 3600 ? '' : intdiv($s, 3600) . ':') . $minutes . sprintf(':%02d', $s % 60);
    }
}
