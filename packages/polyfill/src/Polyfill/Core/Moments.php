<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/**
 * A list of moments in order, which never changes. Lists share an array, which only grows: each is a part of it, so that the list
 * that follows by one more moment, or by some fewer at its begin, needs no copy.
 */
final class Moments
{
    /** @var list<int> the list is $all[$begin] to $all[$end - 1] */
    private array $all;

    /** @param list<int> $all */
    private function __construct(array &$all, private readonly int $begin, private readonly int $end)
    {
        $this->all = &$all;
    }

    /** @param list<int> $moments */
    public static function of(array $moments): self
    {
        return new self($moments, 0, \count($moments));
    }

    /** @return list<int> without what others have in the array */
    public function __serialize(): array
    {
        return $this->list();
    }

    /** @param list<int> $moments */
    public function __unserialize(array $moments): void
    {
        $this->all = $moments;
        $this->begin = 0;
        $this->end = \count($moments);
    }

    public function count(): int
    {
        return $this->end - $this->begin;
    }

    public function at(int $i): int
    {
        return $this->all[$this->begin + $i];
    }

    /** Returns the index of the first moment later than $t. */
    public function firstAfter(int $t): int
    {
        $low = $this->begin;
        $high = $this->end;
        while ($low < $high) {
            $middle = ($low + $high) >> 1;
            if ($this->all[$middle] <= $t) {
                $low = $middle + 1;
            } else {
                $high = $middle;
            }
        }
        return $low - $this->begin;
    }

    /** Returns the list without the moments in front of an index. */
    public function from(int $i): self
    {
        return new self($this->all, $this->begin + $i, $this->end);
    }

    /** Returns the list with $n times a moment in front of an index. */
    public function with(int $i, int $moment, int $n): self
    {
        /* Another list has grown from this one, or most of the array is older than this list. */
        $needsCopy = $this->end < \count($this->all) || 2 * $this->begin > $this->end;
        if ($needsCopy || $i < $this->count()) {
            $list = $this->list();
            array_splice($list, $i, 0, array_fill(0, $n, $moment));
            return self::of($list);
        }
        for (; $n > 0; $n--) {
            $this->all[] = $moment;
        }
        return new self($this->all, $this->begin, \count($this->all));
    }

    /** Returns the list without the $n moments in front of an index. */
    public function without(int $i, int $n): self
    {
        $list = $this->list();
        array_splice($list, $i - $n, $n);
        return self::of($list);
    }

    /** @return list<int> */
    private function list(): array
    {
        return \array_slice($this->all, $this->begin, $this->count());
    }
}
