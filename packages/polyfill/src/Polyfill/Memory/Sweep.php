<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Memory;

/** Bounds the memory of a list of states: how many there may be, and which of them go. */
final class Sweep
{
    /** The states that may be there before the expired ones are dropped. */
    private const FIRST = 1_024;
    /** The most states that are kept, but for running bans. */
    private const KEPT_MAX = 100_000;

    /** The number of states from which on the next sweep is due. */
    public int $dueAt = self::FIRST;

    /**
     * Returns the keys of states that go: of too many, a quarter of the most that are kept, those that end next first. Sets
     * when the next sweep is due, so that a sweep's cost is spread over as many new states.
     *
     * @param array<string, int> $ends  of the states without a running ban
     * @param int                $count of all states
     * @return list<string>
     */
    public function evict(array $ends, int $count): array
    {
        $evicted = [];
        if ($count > self::KEPT_MAX) {
            asort($ends);
            $evicted = array_keys(\array_slice($ends, 0, $count - self::KEPT_MAX + intdiv(self::KEPT_MAX, 4), true));
        }
        $left = $count - \count($evicted);
        $this->dueAt = max(min(self::KEPT_MAX, 2 * $left), $left + self::FIRST);
        return $evicted;
    }
}
