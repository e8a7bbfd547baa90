<?php

/**
 * One series of measurements: every contestant once a round, in an order that rotates from round to round. If the
 * machine slows down, it affects all of them. A measurement during which another process had the processor is
 * repeated, on a busy machine at most half of them. Only measurements of one round are compared.
 */
final class Rounds
{
    /** @var array<string, list<float>> */
    private array $ns = [];
    /** @var array<string, array<string, list<float>>> */
    private array $more = [];

    public function __construct(private readonly int $rounds)
    {
    }

    /**
     * @param list<string>                                     $names
     * @param callable(string, int): array{float, array<string, float>, bool} $measure the ns of one call, further
     *                                           figures, and whether another process had the processor
     */
    public function run(array $names, callable $measure): self
    {
        $again = intdiv(count($names) * $this->rounds, 2);
        for ($round = 0; $round < $this->rounds; ++$round) {
            for ($i = 0, $n = count($names); $i < $n; ++$i) {
                $name = $names[($i + $round) % $n];
                do {
                    [$ns, $more, $disturbed] = $measure($name, $round);
                } while ($disturbed && $again-- > 0);
                $this->ns[$name][] = $ns;
                foreach ($more as $what => $value) {
                    $this->more[$name][$what][] = $value;
                }
            }
        }
        return $this;
    }

    /**
     * Returns for each contestant: ns, the median without the empty loop's; low and high, its quartiles; vs_ours and vs_floor, the
     * median of the ratios of each round, with their quartiles; all rounds; and the medians of the further figures.
     *
     * @return array<string, array>
     */
    public function results(string $ours = 'dohandle', string $floor = 'floor'): array
    {
        $loop = isset($this->ns['loop']) ? self::median($this->ns['loop']) : 0.0;
        $net = [];
        foreach ($this->ns as $name => $all) {
            $net[$name] = array_map(static fn (float $ns): float => $ns - ($name === 'loop' ? 0.0 : $loop), $all);
        }
        $results = [];
        foreach ($net as $name => $all) {
            $results[$name] = self::quartiles($all, 2, 'ns', 'low', 'high');
            foreach (['vs_ours' => $ours, 'vs_floor' => $floor] as $key => $base) {
                if ($name === 'loop' || $name === $base || min($net[$base] ?? [0]) <= 0) {
                    continue;
                }
                $ratios = array_map(static fn (float $a, float $b): float => $a / $b, $all, $net[$base]);
                $results[$name] += self::quartiles($ratios, 4, $key, "{$key}_low", "{$key}_high");
            }
            foreach ($this->more[$name] ?? [] as $what => $values) {
                $results[$name][$what] = round(self::median($values), 3);
            }
            $results[$name]['rounds'] = array_map(static fn (float $ns): float => round($ns, 2), $this->ns[$name]);
        }
        return $results;
    }

    /** Returns the contestants with this prefix, without it: a separate series that was measured in the same rounds. */
    public function part(string $prefix): self
    {
        $part = new self($this->rounds);
        foreach ($this->ns as $name => $all) {
            if (str_starts_with($name, $prefix)) {
                $own = substr($name, strlen($prefix));
                $part->ns[$own] = $all;
                $part->more[$own] = $this->more[$name] ?? [];
            }
        }
        return $part;
    }

    private static function quartiles(array $all, int $digits, string $median, string $low, string $high): array
    {
        return [$median => round(self::median($all), $digits), $low => round(self::quantile($all, 0.25), $digits),
            $high => round(self::quantile($all, 0.75), $digits)];
    }

    /** Returns how often the kernel preempted this process. */
    public static function disturbances(): int
    {
        return getrusage()['ru_nivcsw'];
    }

    /** @param list<float> $all */
    public static function median(array $all): float
    {
        return self::quantile($all, 0.5);
    }

    private static function quantile(array $all, float $q): float
    {
        sort($all);
        $at = $q * (count($all) - 1);
        $below = (int) floor($at);
        $above = min($below + 1, count($all) - 1);
        return $all[$below] + ($at - $below) * ($all[$above] - $all[$below]);
    }
}
