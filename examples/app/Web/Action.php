<?php

declare(strict_types=1);

namespace App\Web;

use Closure;
use FrequencyLimit\Result;

/** One action of a visitor: the call of its button, and the query of its card. */
final class Action
{
    /**
     * @param int $number how many calls the smallest window allows: the card shows a mark for each
     * @param int $burst how many calls the second button makes
     * @param array<string, int> $numbers what the text of its rule names
     * @param Closure(int): string $code the call as a reader of the page would write it
     * @param Closure(int): (bool|string|Result) $press
     * @param Closure(int): Result $peek
     * @param Closure(int): bool $forget
     */
    public function __construct(
        public readonly string $name,
        public readonly int $burst,
        public readonly array $numbers,
        public readonly Closure $code,
        private readonly Closure $press,
        private readonly Closure $peek,
        private readonly Closure $forget,
    ) {
    }

    public function press(int $user): Answer
    {
        $start = hrtime(true);
        $said = ($this->press)($user);
        $us = (hrtime(true) - $start) / 1e3;
        if ($said instanceof Result) {
            return Answer::decided($said, $us);
        }
        return Answer::told($said, $this->peek($user), $us);
    }

    public function peek(int $user): Result
    {
        return ($this->peek)($user);
    }

    public function forget(int $user): bool
    {
        return ($this->forget)($user);
    }
}
