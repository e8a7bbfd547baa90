<?php

declare(strict_types=1);

/** What was measured, for people (Markdown) and for programs (data()). */
final class Report
{
    private const OURS = 'dohandle';

    public function __construct(
        private readonly array $runs,
        private readonly ?array $instructions,
        private readonly array $labels,
        private readonly array $machine,
    ) {
    }

    /** All figures, with each one's ratio to the floor and to us. */
    public function data(): array
    {
        $runs = $this->runs;
        foreach ($runs as $scene => $ways) {
            $floor = $scene === 'redis' ? 'ping' : 'floor';
            foreach ($ways as $way => $series) {
                foreach ($series ?? [] as $what => $results) {
                    foreach ($results as $name => $result) {
                        if (!isset($result['ns'])) {
                            continue;
                        }
                        foreach (['vs_floor' => $floor, 'vs_ours' => self::OURS] as $key => $base) {
                            if (($results[$base]['ns'] ?? 0) > 0) {
                                $runs[$scene][$way][$what][$name][$key] = round($result['ns'] / $results[$base]['ns'], 3);
                            }
                        }
                    }
                }
            }
        }
        return ['machine' => $this->machine, 'runs' => $runs, 'instructions' => $this->instructions];
    }

    /** The README's. */
    public function short(): string
    {
        $text = "One process, shared memory. How many times as long as `doHandle()` each takes for one decision:\n\n"
            . $this->against('memory', 'off', ['admit' => 'admitted', 'refuse' => 'refused', 'random' => 'one of 200,000 identities'],
                ['loop', 'dohandle_ban', 'check']);
        if ($this->runs['two']['off'] ?? null) {
            $text .= "\nTwo processes at once:\n\n" . $this->against('two', 'off', ['different' => 'an identity each',
                'one' => 'the same identity', 'refuse' => 'the same, refused', 'random' => 'of 200,000'], ['loop', 'floor']);
        }
        $text .= "\nRedis, client and server on one processor, so that it is work that is compared and not waking up:\n\n"
            . $this->against('redis', 'one', ['admit' => 'admitted', 'refuse' => 'refused'], ['loop', 'check']);
        return $text . "\n" . $this->place() . " Without JIT. More, and how it is measured: [docs/benchmarks.md](docs/benchmarks.md).\n";
    }

    /** docs/benchmarks.md. */
    public function full(): string
    {
        $text = $this->place() . "\n";
        foreach (['off' => 'without JIT', 'tracing' => 'with the tracing JIT'] as $jit => $how) {
            $text .= "\n### One process, shared memory, $how\n\n"
                . $this->against('memory', $jit, ['admit' => 'admitted', 'refuse' => 'refused', 'random' => 'one of 200,000 identities'], ['loop']);
        }
        foreach (['off' => 'without JIT', 'tracing' => 'with the tracing JIT'] as $jit => $how) {
            if ($this->runs['two'][$jit] ?? null) {
                $text .= "\n### Two processes at once, $how\n\n" . $this->against('two', $jit, ['different' => 'an identity each',
                    'one' => 'the same identity', 'refuse' => 'the same, refused', 'random' => 'of 200,000'], ['loop']);
            }
        }
        $text .= "\n### The algorithms, without JIT\n\nLimits of 100: 100 calls for each identity, the first of which finds none, "
            . "and refusals by a limit that is used up.\n\n"
            . $this->against('series', 'off', ['admit' => 'admitted', 'refuse' => 'refused'], ['loop']);
        foreach (['one' => 'client and server on one processor', 'two' => 'a processor each'] as $where => $how) {
            if ($this->runs['redis'][$where] ?? null) {
                $text .= "\n### Redis, $how\n\n" . $this->against('redis', $where,
                    ['admit' => 'admitted', 'refuse' => 'refused', 'random' => 'one of 200,000 identities'], ['loop'], true);
            }
        }
        if ($this->instructions) {
            $text .= "\n### Instructions\n\nOf one call, counted by valgrind, net of the loop:\n\n";
            $table = new Table(['', 'admitted', 'refused']);
            foreach ($this->instructions as $name => $counts) {
                $table->add([$this->labels[$name], (string) $counts['admit'], (string) $counts['refuse']]);
            }
            $text .= $table;
        }
        return $text;
    }

    /** Each contestant of a run: the ratio to us, and the time; we as the ratio to the floor. */
    private function against(string $scene, string $way, array $columns, array $without, bool $server = false): string
    {
        $run = $this->runs[$scene][$way] ?? null;
        if ($run === null) {
            return "not measured\n";
        }
        $head = array_merge([''], array_values($columns));
        if ($server) {
            $head[] = 'of the server, admitted';
        }
        $table = new Table($head);
        foreach ($this->labels as $name => $label) {
            if (in_array($name, $without, true) || !isset($run[array_key_first($columns)][$name])) {
                continue;
            }
            $row = [$label];
            foreach (array_keys($columns) as $what) {
                $row[] = $this->cell($run[$what], $name);
            }
            if ($server) {
                $row[] = sprintf('%.1f µs', $run['admit'][$name]['server_us'] ?? 0);
            }
            $table->add($row);
        }
        return (string) $table;
    }

    private function cell(array $results, string $name): string
    {
        if (!isset($results[$name])) {
            return '';
        }
        $ns = $results[$name]['ns'];
        $ours = $results[self::OURS]['ns'] ?? 0;
        $floor = $results['floor']['ns'] ?? $results['ping']['ns'] ?? 0;
        if ($name === self::OURS && $floor > 0) {
            return sprintf('%s, %s the floor', Table::time($ns), Table::ratio($ns / $floor));
        }
        return $ours > 0 ? sprintf('**%s** %s', Table::ratio($ns / $ours), Table::time($ns)) : Table::time($ns);
    }

    private function place(): string
    {
        $m = $this->machine;
        $text = "$m[date], $m[processor] ($m[processors] processors, $m[virtual]), $m[system], PHP $m[php]";
        foreach (['apcu' => 'APCu', 'phpredis' => 'phpredis', 'redis' => 'Redis', 'symfony/symfony' => 'Symfony',
            'laravel/framework' => 'Laravel', 'predis/predis' => 'predis'] as $key => $name) {
            if (isset($m[$key])) {
                $text .= ", $name " . ltrim($m[$key], 'v');
            }
        }
        return "$text.";
    }
}
