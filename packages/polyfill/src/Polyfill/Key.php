<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

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

    /** @param string $space one of the constants */
    public function __construct(
        public readonly string $space,
        public readonly string $name,
        public readonly int|string $id,
    ) {
    }

    /** Returns the same name and identity in another space. */
    public function in(string $space): self
    {
        return new self($space, $this->name, $this->id);
    }

    /**
     * Returns the text of the key, behind the prefix of Redis.
     *
     * An action with an int is name:id. Every other form ends in ":", the length of the name, and the letter of the space. So
     * no such key equals one of the first form, which ends in a digit.
     */
    public function text(): string
    {
        return \is_int($this->id) && $this->space === self::ACTION ? "$this->name:$this->id"
            : "$this->name:$this->id:" . \strlen($this->name) . $this->space;
    }
}
