<?php

/**
 * One series of measurements: every contestant once a round, in an order that moves on from round to round, so that a
 * machine that gets slower gets slower for all of them. A measurement during which something else had the processor is
 * taken again, a few times at most. Kept are the ns of one call in each round, and the medians.
 */
final class Rounds
{
    /** @var array<string, list<float>> */
    private array $ns = [];
    /** @var array<string, list<float>> */
    private array $more = [];

    public function __construct(private readonly int $rounds)
    {
    }

    /**
     * @param list<string>                                     $names
     * @param callable(string, int): array{float, array<string, float>, bool} $measure the ns of one call, what else was
     *                                           seen, and whether something else had the processor meanwhile
     */
    public function run(array $names, callable $measure): void
    {
        for ($round = 0; $round < $this->rounds; ++$round) {
            for ($i = 0, $n = count($names); $i < $n; ++$i) {
                $name = $names[($i + $round) % $n];
                for ($attempt = 0; $attempt < 10; ++$attempt) {
                    [$ns, $more, $disturbed] = $measure($name, $round);
                    if (!$disturbed) {
                        break;
                    }
                }
                $this->ns[$name][] = $ns;
                foreach ($more as $what => $value) {
                    $this->more["$name $what"][] = $value;
                }
            }
        }
    }

    /** @return array<string, array> */
    public function results(): array
    {
        $results = [];
        $loop = isset($this->ns['loop']) ? self::median($this->ns['loop']) : 0.0;
        foreach ($this->ns as $name => $all) {
            $results[$name] = [
                // Without the loop itself.
                'ns' => round(self::median($all) - ($name === 'loop' ? 0.0 : $loop), 2),
                'rounds' => array_map(static fn (float $ns): float => round($ns, 2), $all),
            ];
        }
        foreach ($this->more as $key => $all) {
            [$name, $what] = explode(' ', $key, 2);
            $results[$name][$what] = round(self::median($all), 2);
        }
        return $results;
    }

    /** How often something else was given the processor while this process still wanted it. */
    public static function disturbances(): int
    {
        return getrusage()['ru_nivcsw'];
    }

    /** @param list<float> $all */
    public static function median(array $all): float
    {
        sort($all);
        $n = count($all);
        return $n % 2 === 1 ? $all[intdiv($n, 2)] : ($all[intdiv($n, 2) - 1] + $all[intdiv($n, 2)]) / 2;
    }
}
