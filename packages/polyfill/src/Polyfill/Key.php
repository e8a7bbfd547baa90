<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

use FrequencyLimit\Polyfill\Core\Bounds;

/** The owner of a state: a name in one of five spaces, and an identity. */
final class Key
{
    /** doHandle(), check() */
    public const ACTION = 's';
    /** isActionAllowed() */
    public const ALLOWED = 'a';
    public const LIMITER = 'l';
    /** The shadow limits of a limiter. */
    public const SHADOW = 'w';
    /** The limits of a limiter that have one label: the name is the label, a 0 byte and the limiter's name. */
    public const LABEL = 'b';

    private const NO_TAG = '{}';

    /** @param string $space one of the constants */
    public function __construct(
        public readonly string $space,
        public readonly string $name,
        public readonly int|string $id,
    ) {
    }

    /** Returns the limiter's or the action's name: a label and a 0 byte precede it in keys of labels. */
    public function ownName(): string
    {
        return $this->space === self::LABEL ? substr($this->name, (int) strpos($this->name, "\0") + 1) : $this->name;
    }

    /** Returns the label of the identity; null: it has none. */
    public function label(): ?string
    {
        return $this->space === self::LABEL ? substr($this->name, 0, (int) strpos($this->name, "\0")) : null;
    }

    /** Returns the same name and identity in another space. */
    public function in(string $space): self
    {
        return new self($space, $this->name, $this->id);
    }

    /** Returns the key of a text behind the prefix of Redis; null: it is none. An identity that is a number stays text, except in the key of an action. */
    public static function read(string $text): ?self
    {
        if (preg_match('/^(.{1,' . Bounds::NAME_MAX . '}):(-?\d{1,20})$/Ds', $text, $found) === 1 && (string) (int) $found[2] === $found[2]) {
            return new self(self::ACTION, $found[1], (int) $found[2]);
        }
        if (str_contains($text, '{')) {
            if (!str_starts_with($text, self::NO_TAG) || !str_contains($text = substr($text, \strlen(self::NO_TAG)), '{')) {
                return null;
            }
        }
        $spaces = self::ACTION . self::ALLOWED . self::LIMITER . self::SHADOW . self::LABEL;
        if (preg_match("/:(\\d{1,3})([$spaces])$/D", $text, $found, PREG_OFFSET_CAPTURE) !== 1) {
            return null;
        }
        [[, $end], [$length], [$space]] = $found;
        $name = substr($text, 0, (int) $length);
        $id = substr($text, (int) $length + 1, max(0, $end - (int) $length - 1));
        return $name !== '' && \strlen($name) <= Bounds::NAME_MAX && $id !== '' && ($text[(int) $length] ?? '') === ':' ? new self($space, $name, $id) : null;
    }

    /**
     * Returns the text of the key, behind the prefix of Redis.
     *
     * An action with an int is name:id. Every other form ends in ":", the length of the name, and the letter of the space. So
     * no such key equals one of the first form, which ends in a digit. One with an opening brace begins with an empty hash tag:
     * no identity chooses its slot in a cluster.
     */
    public function text(): string
    {
        if (\is_int($this->id) && $this->space === self::ACTION) {
            return "$this->name:$this->id";
        }
        $text = "$this->name:$this->id:" . \strlen($this->name) . $this->space;
        return (str_contains($text, '{') ? self::NO_TAG : '') . $text;
    }
}
