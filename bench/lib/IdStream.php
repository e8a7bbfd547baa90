<?php

declare(strict_types=1);

/** Identities 1 to n, in an order that is random and always the same. */
final class IdStream
{
    /** The calls until the order repeats: more than a round has, and too many for a cache. */
    public const LENGTH = 400_000;

    private int $at = 0;

    /** @param list<int> $ids */
    private function __construct(private readonly array $ids)
    {
    }

    /** All equally often. */
    public static function uniform(int $identities): self
    {
        mt_srand(20200612);
        $ids = [];
        for ($i = 0; $i < self::LENGTH; ++$i) {
            $ids[] = mt_rand(1, $identities);
        }
        return new self($ids);
    }

    /** The k-th most frequent one k times less often than the first (Zipf's law), and no neighbours in memory. */
    public static function zipf(int $identities): self
    {
        mt_srand(20200612);
        $ids = [];
        for ($i = 0; $i < self::LENGTH; ++$i) {
            $rank = (int) exp(mt_rand() / (mt_getrandmax() + 1) * log($identities + 1));
            // A prime, so that each rank is another identity.
            $ids[] = $rank * 7_919 % $identities + 1;
        }
        return new self($ids);
    }

    /** @return list<int> the next $n identities */
    public function next(int $n): array
    {
        $n = min($n, self::LENGTH);
        $some = array_slice($this->ids, $this->at, $n);
        $this->at += $n;
        if ($this->at >= self::LENGTH) {
            $this->at -= self::LENGTH;
            $some = array_merge($some, array_slice($this->ids, 0, $n - count($some)));
        }
        return $some;
    }
}
