<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Monitor;

use FrequencyLimit\Polyfill\Key;

/** The name and the identity of a caller, as FrequencyLimit::top() and bans() have them. */
final class Subject
{
    private const NAME_MAX = 96;
    private const IDENTITY_MAX = 112;

    public readonly string $kind;
    public readonly string $name;
    public readonly ?string $by;
    private readonly int|string $id;

    public function __construct(Key $key)
    {
        $this->kind = $key->space === Key::ACTION || $key->space === Key::ALLOWED ? Meters::ACTION : Meters::LIMITER;
        $this->name = $key->ownName();
        $this->by = $key->space === Key::LABEL ? substr($key->name, 0, -\strlen($this->name) - 1) : null;
        $this->id = $key->id;
    }

    /** Returns what two calls of one caller have in common. */
    public function key(): string
    {
        return "$this->kind $this->by\0$this->name\0$this->id";
    }

    /** @return array{kind: string, name: string, by: string|null, identity: int|string} */
    public function facts(): array
    {
        return [
            'kind' => $this->kind,
            'name' => self::cut($this->name, self::NAME_MAX),
            'by' => $this->by,
            'identity' => \is_int($this->id) ? $this->id : self::cut($this->id, self::IDENTITY_MAX),
        ];
    }

    /** Returns the first bytes of a longer text, without a part of a character of UTF-8, and an ellipsis. */
    private static function cut(string $text, int $max): string
    {
        if (\strlen($text) <= $max) {
            return $text;
        }
        $cut = substr($text, 0, $max);
        return (preg_replace('/(?:[\xc0-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xff][\x80-\xbf]{0,2})$/D', '', $cut) ?? $cut) . '…';
    }
}
