<?php

declare(strict_types=1);

/** The results of this run, and those of docs/benchmarks.json for scenes without a result in this run. */
final class Results
{
    /** @param array{machine: array, labels: array<string, string>, scenes: array<string, array>} $data */
    private function __construct(public readonly array $data)
    {
    }

    public static function from(string $file): self
    {
        return new self(json_decode(file_get_contents($file), true, flags: JSON_THROW_ON_ERROR));
    }

    public static function of(string $folder, array $machine, array $labels, ?string $earlier): self
    {
        $scenes = [];
        foreach (glob("$folder/*/*.json") as $file) {
            $scenes[basename($file, '.json')] = ['measured' => gmdate('Y-m-d\TH:i\Z', filemtime($file)), 'commit' => $machine['commit'] ?? null]
                + json_decode(file_get_contents($file), true, flags: JSON_THROW_ON_ERROR);
        }
        if ($earlier !== null && is_file($earlier)) {
            $before = self::from($earlier)->data;
            if (array_diff_key($before['scenes'], $scenes) !== []) {
                // The other scenes were measured on another day, perhaps on another machine.
                $scenes = array_map(static fn (array $scene): array => $scene + ['machine' => $machine], $scenes) + $before['scenes'];
                $machine = $before['machine'];
            }
        }
        ksort($scenes, SORT_NATURAL);
        return new self(['machine' => $machine, 'labels' => $labels, 'scenes' => $scenes]);
    }

    /** Writes JSON with a readable diff: the figures of a series' rounds are on one line. */
    public function json(): string
    {
        $json = json_encode($this->data, JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR);
        return preg_replace_callback('/\[\s+[-\d.eE,\s]+\]/', static fn (array $m): string => preg_replace('/\s+/', ' ', $m[0]), $json) . "\n";
    }

    /** Returns the figure, contestant or series of a path; null without a measurement. */
    public function get(string ...$path): mixed
    {
        $at = $this->data['scenes'];
        foreach ($path as $step) {
            $at = $at[$step] ?? null;
        }
        return $at;
    }

    public function label(string $name): string
    {
        return $this->data['labels'][$name] ?? $name;
    }

    /** Returns the time of $a divided by that of $b: the median of the ratios of each round, without the loop. */
    public function ratio(string $scene, string $series, string $a, string $b): ?float
    {
        $results = $this->get($scene, $series);
        if (!isset($results[$a]['rounds'], $results[$b]['rounds'])) {
            return null;
        }
        $loop = $results['loop']['ns'] ?? 0.0;
        $ratios = [];
        foreach ($results[$a]['rounds'] as $round => $ns) {
            if ($results[$b]['rounds'][$round] > $loop) {
                $ratios[] = ($ns - $loop) / ($results[$b]['rounds'][$round] - $loop);
            }
        }
        return $ratios === [] ? null : Rounds::median($ratios);
    }
}
