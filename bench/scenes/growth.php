<?php

declare(strict_types=1);

/**
 * Measures the cost by the number of identities: BENCH_IDENTITIES of them, each called before; equally often, or by Zipf's law.
 * BENCH_ONLY names the contestants, because the states of all of them would need more memory than most machines have.
 */
final class GrowthScene extends Scene
{
    /** Of the limiters, those whose cost does not grow with an identity's calls. */
    public const ALSO = ['fixed_window', 'calendar', 'sliding_window'];

    private const CHUNK = 100_000;

    public function run(): array
    {
        $identities = (int) getenv('BENCH_IDENTITIES');
        $first = [];
        foreach (array_keys($this->contestants) as $name) {
            $all = 0;
            for ($from = 1; $from <= $identities; $from += self::CHUNK) {
                $ids = range($from, min($identities, $from + self::CHUNK - 1));
                [$ns, $admitted] = "bench_random_$name"($ids, self::OUT_OF_REACH);
                $this->expect($name, 'a first call each', count($ids), $admitted);
                $all += $ns;
            }
            $first[$name] = round($all / $identities, 2);
        }
        if (isset($this->contestants['apcu_inc']) && apcu_cache_info(true)['expunges'] > 0) {
            throw new RuntimeException('APCu had too little memory: what it forgot would be measured');
        }
        $stats = FrequencyLimit\Monitor::stats();
        $names = array_keys($this->contestants);
        return [
            'identities' => $identities,
            'first' => $first,
            'uniform' => $this->among(IdStream::uniform($identities), $names),
            'zipf' => $this->among(IdStream::zipf($identities), $names),
            'table' => ['bytes' => $stats['bytes'], 'slots' => $stats['slots'], 'slots_used' => $stats['slots_used'], 'records' => $stats['records'],
                'records_used' => $stats['records_used'], 'evictions' => $stats['evictions']],
        ];
    }
}
