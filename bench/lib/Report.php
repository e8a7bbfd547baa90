<?php

declare(strict_types=1);

/** Writes the results as text: the README's tables, and docs/benchmarks.md with its plots. */
final class Report
{
    private const OURS = 'dohandle';
    private const OWN = [self::OURS, 'dohandle_ban', 'check', 'attributed', 'fixed_window', 'allow', 'calendar', 'sliding_log', 'sliding_window',
        'token_bucket', 'three', 'named', 'named_allow'];
    private const PROCESSORS = 2;
    private const HOT = ['admit' => 'admitted', 'refuse' => 'refused'];
    /** The first table has all of them: other tables leave them out. */
    private const IN_INSTEAD = ['symfony_apcu', 'symfony_locked', 'laravel_apcu', 'evalsha', 'script_gcra', 'script_log', 'laravel_duration'];

    /** @var list<float> of the times in the tables: half of the interquartile range, in percent */
    private array $spreads = [];

    public function __construct(private readonly Results $results)
    {
    }

    /**
     * Returns the documents with these results: plots whole, texts between their markers.
     *
     * @return array<string, string> path from the project's folder => content
     */
    public function documents(string $top): array
    {
        $documents = [];
        foreach (['README.md' => $this->short(), 'README.zh-CN.md' => $this->chinese(), 'docs/benchmarks.md' => $this->full()] as $file => $text) {
            $old = file_get_contents("$top/$file");
            if (!preg_match('/^(.*<!-- bench:begin -->\n).*(<!-- bench:end -->.*)$/s', $old, $around)) {
                throw new RuntimeException("$file lacks the markers bench:begin and bench:end");
            }
            $documents[$file] = $around[1] . $text . $around[2];
        }
        foreach ($this->costs() as $row => $cells) {
            $documents['README.md'] = preg_replace("/^\| $row \|.*$/m", "| $row | " . implode(' | ', $cells) . ' |', $documents['README.md'], count: $found);
            if ($found !== 1) {
                throw new RuntimeException("README.md lacks the row \"$row\" of its table of limiters");
            }
        }
        foreach (['README.md', 'README.zh-CN.md'] as $chinese => $file) {
            foreach (['fast' => $this->fast((bool) $chinese), 'exact' => $this->exact((bool) $chinese)] as $marker => $figures) {
                $documents[$file] = preg_replace("/(?<=<!-- $marker -->).*(?=<!-- \/$marker -->)/", $figures, $documents[$file], count: $found);
                if ($found !== 1) {
                    throw new RuntimeException("$file lacks the markers of its figure \"$marker\"");
                }
            }
        }
        foreach ($this->plots() as $name => $svg) {
            $documents["docs/$name"] = $svg;
        }
        return $documents;
    }

    /**
     * Returns the rows with the times of the README's table of limiters: Symfony, Laravel, limit_req and a script by hand follow ours.
     *
     * @return array<string, list<string>>
     */
    private function costs(): array
    {
        $time = fn (string $scene, string $name): string => Table::time($this->results->get($scene, 'admit', $name, 'ns'));
        $ours = fn (string $scene): string => '`doHandle()` ' . $time($scene, self::OURS) . ', `Limiter` ' . $time($scene, 'fixed_window');
        return [
            'a decision in memory' => [$ours('memory-off'), $time('memory-off', 'symfony_apcu') . ' (APCu)',
                $time('memory-off', 'laravel_apcu') . ' (APCu)', $this->refusedRequest(), ''],
            'a decision on Redis' => [$ours('redis-one-unix'), $time('redis-one-unix', 'symfony_redis'),
                $time('redis-one-unix', 'laravel_duration') . ' (`DurationLimiter`)', '', $time('redis-one-unix', 'evalsha') . ' (EVALSHA)'],
        ];
    }

    private function fast(bool $chinese): string
    {
        $text = $chinese ? '共享内存中的一次 `doHandle()` 用 %s；在 APCu 上，Symfony 的限流器用 %s，Laravel 的用 %s'
            : "A `doHandle()` in shared memory takes %s, Symfony's limiter %s and Laravel's %s on APCu";
        return vsprintf($text, array_map(fn (string $name): string => Table::time($this->results->get('memory-off', 'admit', $name, 'ns')),
            [self::OURS, 'symfony_apcu', 'laravel_apcu']));
    }

    private function exact(bool $chinese): string
    {
        $text = $chinese ? '上限为 100 时，php-fpm 放行 %s 次；Symfony 的限流器在 APCu 上不加锁时放行 %s 次'
            : "Of a limit of 100, php-fpm lets %s requests pass; Symfony's limiter on APCu without a lock %s";
        [$ours, $symfony] = array_map($this->passed(...), [self::OURS, 'symfony']);
        return sprintf($text, $ours, $chinese ? str_replace(' to ', ' 到 ', $symfony) : $symfony);
    }

    /** Returns the requests that passed a limit of 100: the least and the most of the rounds. */
    private function passed(string $name): string
    {
        $passed = $this->results->get('web', 'passed', $name) ?? [];
        return $passed === [] ? '' : (min($passed) === max($passed) ? (string) min($passed) : min($passed) . ' to ' . max($passed));
    }

    /** Returns the processor time of a request that limit_req refuses, and of one that PHP refuses. */
    private function refusedRequest(): string
    {
        $before = $this->results->get('web', 'refuse', 'limit_req', 'nginx_us');
        $php = $this->results->get('web', 'refuse', self::OURS);
        return $before === null || !isset($php['nginx_us']) ? 'before PHP'
            : sprintf('a refused request %.0f µs, in PHP %.0f µs', $before, $php['ns'] / 1000 + $php['nginx_us']);
    }

    /** Returns the README's part: one picture. */
    public function short(): string
    {
        return ($this->results->get('memory-off') ? "![One decision, one process](docs/benchmarks-memory.svg)\n\n" : '') . $this->place()
            . "\nCompare ratios: absolute times belong to this machine. [docs/benchmarks.md](docs/benchmarks.md) has the measurements.\n";
    }

    /** Returns the part of the Chinese README. */
    public function chinese(): string
    {
        $table = new Table(['', '放行一次', '相当于 `doHandle()`']);
        foreach ([
            'memory-off' => [self::OURS => '`doHandle()`，共享内存', 'fixed_window' => '`Limiter`，固定窗口，共享内存', 'allow' => '`Limiter::allow()`，固定窗口，共享内存',
                'apcu_inc' => '`apcu_inc()`', 'symfony_apcu' => 'Symfony，APCu，不加锁', 'laravel_apcu' => 'Laravel，APCu'],
            'redis-one-unix' => [self::OURS => '`doHandle()`，Redis（unix socket，单核）', 'fixed_window' => '`Limiter`，固定窗口，Redis',
                'evalsha' => '手写脚本（INCR 和 EXPIRE），Redis', 'symfony_redis' => 'Symfony，Redis，不加锁', 'laravel_duration' => 'Laravel `DurationLimiter`，Redis'],
        ] as $scene => $rows) {
            foreach ($rows as $name => $label) {
                if (($ns = $this->results->get($scene, 'admit', $name, 'ns')) !== null) {
                    $table->add([$label, Table::time($ns), $name === self::OURS ? '' : Table::ratio($this->results->ratio($scene, 'admit', $name, self::OURS))]);
                }
            }
        }
        $m = $this->results->data['machine'];
        return "$m[processor]（$m[processors] 核）、PHP $m[php]、不开 JIT，测量日期 $m[date]：\n\n$table";
    }

    /** Returns docs/benchmarks.md's part: one table for each question. docs/benchmarks.json has the others. */
    public function full(): string
    {
        $tables = $this->instead() . $this->embedded() . $this->redis() . $this->web();
        sort($this->spreads);
        return $this->place() . sprintf("\nHalf of the interquartile range of a time is %.0f %% of it at the median of these tables, and %.0f %% at the most.\n",
            $this->spreads[count($this->spreads) >> 1] ?? 0, end($this->spreads)) . "$tables{$this->missing()}";
    }

    /** Returns the project's budgets, each as the ratio in one run. */
    public function budgets(): string
    {
        return "### Budgets\n\nThe floor is the ratio of a call that decides nothing in `doHandle()`'s place (on Redis a bare PING, for the server's "
            . "time a script that does nothing), the least that of the steps that no decision can do without.\n\n" . (new Budgets($this->results))->table();
    }

    /** @return array<string, string> file name => SVG */
    public function plots(): array
    {
        $plots = [];
        $bars = fn (string $scene, string $title, array $without): string => Svg::rows($title, array_map(
            fn (string $name): array => [$this->results->label($name), $this->results->get($scene, 'admit', $name, 'ns'), in_array($name, self::OWN, true)],
            array_values(array_diff(array_keys($this->results->get($scene, 'admit')), ['loop', ...$without])),
        ));
        if ($this->results->get('memory-off')) {
            $plots['benchmarks-memory.svg'] = $bars('memory-off', 'One decision, one process, shared memory', ['least', 'userland', 'check', 'dohandle_ban']);
        }
        if ($this->results->get('redis-one-unix')) {
            $plots['benchmarks-redis.svg'] = $bars('redis-one-unix', 'One decision on Redis, client and server on one processor', ['check', 'phpredis_ping']);
        }
        $lines = [];
        foreach ($this->sizes() as $size) {
            foreach (['uniform' => '', 'zipf' => ", Zipf's law"] as $series => $how) {
                foreach ([self::OURS => 'doHandle()', 'apcu_inc' => 'apcu_inc()', 'floor' => 'call floor'] as $name => $label) {
                    $ns = $this->results->get("growth-off-$size", $series, $name, 'ns');
                    if ($ns > 0 && !($name === 'floor' && $how !== '')) {
                        $lines[$label . $how] ??= ['points' => [], 'ours' => $name === self::OURS, 'dashed' => $how !== ''];
                        $lines[$label . $how]['points'][$size] = $ns;
                    }
                }
            }
        }
        if (count($this->sizes()) > 1) {
            $plots['benchmarks-growth.svg'] = Svg::lines('One decision, by the number of identities', 'identities', $lines);
        }
        return $plots;
    }

    private function embedded(): string
    {
        $text = $this->results->get('memory-off') ? "\n![One decision, one process](benchmarks-memory.svg)\n" : '';
        $text .= $this->section('One process, shared memory, without JIT', 'memory-off', self::HOT + ['random' => 'one of 200,000 identities'], without: [...self::IN_INSTEAD, 'apcu_add_inc', 'userland', 'laravel_array']);
        $peers = array_diff(array_keys($this->results->get('series-tracing', 'admit') ?? []), ['floor', 'by', ...self::OWN, 'banned', 'banned_log']);
        $peers = array_filter($peers, fn (string $name): bool => !str_starts_with($this->results->label($name), '`Limiter`'));
        $text .= $this->section('The algorithms, with the tracing JIT', 'series-tracing', self::HOT, 'Limits of 100. Admitted: 100 calls for each identity, '
            . "the first of which inserts it. Refused: calls on a limit that is used up.\n\n", without: $peers);
        $text .= $this->section('Two processes at once, without JIT', 'two-off', ['alone' => 'one process', 'different' => 'two, an identity each',
            'one' => 'two, one identity', 'refuse' => 'two, one identity, refused', 'random' => 'two, of 200,000']);
        return $text . $this->growth() . $this->bytes();
    }

    private function growth(): string
    {
        if ($this->sizes() === []) {
            return '';
        }
        $text = "\n### By the number of identities\n\n![One decision, by the number of identities](benchmarks-growth.svg)\n\n"
            . "Each identity has called before. All are equally frequent, or they follow Zipf's law: the k-th most frequent one calls k times less "
            . "often than the first.\n";
        $table = new Table(['identities', '`doHandle()`', '`apcu_inc()`', "`doHandle()`, Zipf", '`apcu_inc()`, Zipf', "`doHandle()`, a first call", 'evicted']);
        foreach ($this->sizes() as $size) {
            $scene = "growth-off-$size";
            $cell = fn (string $series, string $name): string => $this->cell($scene, $series, $name);
            $lost = $this->results->get($scene, 'table', 'evictions');
            $table->add([number_format($size), $cell('uniform', self::OURS), $cell('uniform', 'apcu_inc'), $cell('zipf', self::OURS), $cell('zipf', 'apcu_inc'),
                Table::time($this->results->get($scene, 'first', self::OURS)), $lost === null ? '' : number_format($lost)]);
        }
        return "$text\n$table";
    }

    /** @return list<int> of the growth scene */
    private function sizes(): array
    {
        $sizes = [];
        foreach (array_keys($this->results->data['scenes']) as $scene) {
            if (str_starts_with($scene, 'growth-off-')) {
                $sizes[] = (int) substr($scene, 11);
            }
        }
        sort($sizes);
        return $sizes;
    }

    private function bytes(): string
    {
        $of = $this->results->get('bytes-embedded', 'embedded') ?? [];
        $redis = $this->results->get('bytes-redis', 'redis') ?? [];
        $rows = [];
        foreach ([50, 60, 70] as $percent) {
            if (isset($of["counter_$percent"])) {
                $rows["`doHandle()`, shared memory, the table filled to $percent % (" . number_format($of["lost_$percent"]) . ' of '
                    . number_format($of["identities_$percent"]) . ' evicted)'] = $of["counter_$percent"];
            }
        }
        foreach (['log_100' => 'sliding log of 100 moments, shared memory', 'apcu_inc' => '`apcu_inc()`', 'symfony_apcu' => 'Symfony, fixed window, APCu',
            'symfony_apcu_bucket' => 'Symfony, token bucket, APCu',
            'laravel_apcu' => 'Laravel, APCu'] as $key => $label) {
            $rows[$label] = $of[$key] ?? null;
        }
        foreach (['dohandle' => '`doHandle()`, Redis', 'article' => "the article's listing, Redis", 'symfony_redis' => 'Symfony, fixed window, Redis',
            'laravel_redis' => 'Laravel, Redis', 'log_100' => 'sliding log of 100 moments, Redis', 'zset_moments' => 'a sorted set of 100 moments, Redis',
            'zset_uuids' => 'a sorted set of 100 UUIDs, Redis'] as $key => $label) {
            $rows[$label] = $redis[$key] ?? null;
        }
        $rows = array_filter($rows, static fn (?float $bytes): bool => $bytes !== null);
        if ($rows === []) {
            return '';
        }
        $table = new Table(['', 'bytes']);
        foreach ($rows as $label => $bytes) {
            $table->add([$label, number_format($bytes, $bytes < 100 ? 1 : 0)]);
        }
        return "\n### Memory\n\nBytes of one identity. For shared memory: the table, with the segment's own lists (names, history, the most refused), which are "
            . "8 % of 32 MB. For APCu and Redis: the growth of their memory, with keys, expiries and tables.\n\n$table";
    }

    private function redis(): string
    {
        $text = '';
        if ($this->results->get('redis-one-unix')) {
            $text .= "\n![One decision on Redis](benchmarks-redis.svg)\n";
        }
        $text .= $this->section('Redis, client and server on one processor, unix socket', 'redis-one-unix', self::HOT, server: true,
            without: [...self::IN_INSTEAD, 'article_predis', 'phpredis_ping']);
        $text .= $this->places();
        $saturated = $this->results->get('saturated');
        if ($saturated) {
            $table = new Table(['', 'admitted', 'a second', 'refused', 'a second']);
            foreach ($saturated['admit'] as $name => $result) {
                if (in_array($name, ['banned', 'banned_log', 'script_looks', 'laravel_redis'], true)) {
                    continue;
                }
                $refused = $saturated['refuse'][$name] ?? null;
                $rate = static fn (?array $r): string => $r === null || $r['ns'] <= 0 ? '' : number_format(round(1e9 / $r['ns'], -3));
                $table->add([$this->results->label($name), $this->cell('saturated', 'admit', $name), $rate($result),
                    $this->cell('saturated', 'refuse', $name), $rate($refused)]);
            }
            $text .= "\n### The Redis server, saturated\n\nThe server's processor time for one decision when the next one always waits (64 in one pipeline), and "
                . "so the decisions of one core in a second. Commands recorded with `MONITOR` are played back, without the client's work.\n\n$table";
        }
        return $text;
    }

    private function places(): string
    {
        if (!$this->results->get('places', 'admit')) {
            return '';
        }
        $table = new Table(['', 'time', 'to `consume()`', 'to `acquire()` and `release()`', 'server', 'round trips']);
        foreach ($this->results->get('places', 'admit') as $name => $result) {
            if ($name !== 'loop' && $name !== 'ping') {
                $ratio = fn (string $to): string => $name === $to ? '' : Table::ratio($this->results->ratio('places', 'admit', $name, $to));
                $redis = $result['round_trips'] >= 0.5;
                $table->add([$this->results->label($name), $this->cell('places', 'admit', $name, $name), $ratio('fixed_window'), $ratio('places'),
                    $redis ? sprintf('%.1f µs', $result['server_us']) : '', $redis ? rtrim(rtrim(sprintf('%.2f', $result['round_trips']), '0'), '.') : '']);
            }
        }
        $machine = $this->results->get('places', 'machine');
        $system = $this->results->get('places', 'admit', 'system_semaphore') ? '; the System V semaphore is of this machine' : '';
        return "\n### Places of a concurrent limit\n\n" . ($machine ? self::machine($machine) . "\n\n" : '') . 'One place of 10 is taken and given back, '
            . 'by one process. Redis is on a unix socket and the same processor' . $system . ". `consume()` is that of a fixed window.\n\n$table";
    }

    private function web(): string
    {
        $text = '';
        if ($this->results->get('cold', 'cold')) {
            $table = new Table(['', 'after a framework', 'without one', 'the second decision']);
            foreach ($this->results->get('cold', 'cold') as $name => $result) {
                if (!in_array($name, ['loop', 'apcu_add_inc', 'calendar'], true)) {
                    $table->add([$this->results->label($name), $this->cell('cold', 'cold', $name), $this->cell('cold', 'warm', $name),
                        Table::time($result['second'])]);
                }
            }
            $text .= "\n### The first decision of a php-fpm request\n\nTimed inside the request, with the objects that it needs (a limiter, its storage). In the "
                . "first column the worker has served a request before that uses a framework's router, events and collections, and some "
                . "megabytes.\n\n$table";
        }
        if ($this->results->get('web', 'admit')) {
            $text .= "\n### Whole requests\n\nOne page (ten comments as JSON) through nginx and php-fpm with four workers, by wrk over eight connections: "
                . "php-fpm's processor time for one request, nginx's, and requests per second. The frameworks' limiters run without the rest of the "
                . "framework.\n\n" . $this->requests();
        }
        return $text;
    }

    private function requests(): string
    {
        $web = $this->results->get('web');
        $table = new Table(['', 'admitted', 'nginx', 'a second', 'refused', 'nginx', 'a second', 'passed, of a limit of 100']);
        foreach ($web['admit'] as $name => $result) {
            $refused = $name === 'plain' ? null : $web['refuse'][$name] ?? null;
            $nginx = static fn (?array $of): string => isset($of['nginx_us']) ? sprintf('%.0f µs', $of['nginx_us']) : '';
            $table->add([$web['labels'][$name], $this->cell('web', 'admit', $name, 'plain'), $nginx($result), number_format($result['rate']),
                match (true) {
                    $refused === null => '',
                    $refused['ns'] <= 0 => 'none',
                    default => $this->cell('web', 'refuse', $name, 'plain'),
                }, $nginx($refused), $refused === null ? '' : number_format($refused['rate']), $this->passed($name)]);
        }
        return (string) $table;
    }

    /** Returns the peers with their costs, what they give and what they lack. */
    private function instead(): string
    {
        $fixed = ['memory-off', self::OURS, ''];
        $redis = ['redis-one-unix', self::OURS, 'saturated'];
        $plain = 'the time left, bans, several limits; ';
        $away = 'an answer without Redis';
        $peers = [
            'apcu_inc' => [...$fixed, 'a fixed window, exact on one machine', $plain . 'uncounted refusals; room for more keys: a full APCu forgets all of them'],
            'symfony_apcu' => [...$fixed, 'three algorithms, the time left', 'exact counts; bans; several limits as one'],
            'symfony_locked' => [...$fixed, 'the same, exact on one machine', 'bans; several limits as one'],
            'laravel_apcu' => [...$fixed, 'a fixed window, the time left', 'exact counts; bans; several limits as one'],
            'evalsha' => [...$redis, 'a fixed window, exact on all machines', $plain . "uncounted refusals; $away"],
            'pipeline' => [...$redis, 'the same without a script', "the same; an end for the counter if the connection ends between both commands"],
            'script_gcra' => ['redis-one-unix', 'token_bucket', 'saturated', 'a token bucket, exact on all machines', $plain . $away],
            'script_log' => ['redis-one-unix', 'sliding_log', 'saturated', 'a sliding log, exact on all machines', "$plain$away; it takes four times the memory"],
            'symfony_redis' => [...$redis, 'three algorithms, the time left', "exact counts; bans; several limits as one; $away"],
            'symfony_redis_locked' => [...$redis, 'the same, exact on all machines', "bans; several limits as one; $away"],
            'laravel_duration' => [...$redis, 'a fixed window, exact on all machines, the time left', "uncounted refusals; one clock: that of each worker counts; bans; $away"],
            'system_semaphore' => ['places', 'places', '', 'places on one machine; the kernel frees those of a dead process',
                'an end for a place of a process that hangs; the removal of keys: each identity keeps one'],
            'symfony_semaphore' => ['places', 'places_redis', '', 'places on all machines', $away],
            'laravel_funnel' => ['places', 'places_redis', '', 'places on all machines', $away],
        ];
        $table = new Table(['', 'gives', 'lacks', 'admitted', 'refused', "the Redis server's time"], 3);
        $rows = 0;
        foreach ($peers as $name => [$scene, $ours, $server, $gives, $lacks]) {
            if ($this->results->get($scene, 'admit', $name)) {
                ++$rows;
                $table->add([$this->results->label($name), $gives, $lacks, $this->cell($scene, 'admit', $name, $ours),
                    $this->cell($scene, 'refuse', $name, $ours), $server === '' ? '' : $this->cell($server, 'admit', $name, $ours)]);
            }
        }
        if (($refused = $this->results->get('web', 'refuse', 'limit_req')) !== null) {
            ++$rows;
            $us = static fn (array $of): string => sprintf('%.0f µs', $of['ns'] / 1000 + $of['nginx_us']);
            $ours = $this->results->get('web', 'refuse', self::OURS);
            $table->add([$this->results->get('web', 'labels', 'limit_req'), 'a leaky bucket, exact on one machine; no PHP for a refusal',
                'identities that only PHP knows; other algorithms; the time left; decisions inside of a request',
                'a request ' . $us($this->results->get('web', 'admit', 'limit_req')) . ', `doHandle()` ' . $us($this->results->get('web', 'admit', self::OURS)),
                'a request ' . $us($refused) . ', `doHandle()` ' . $us($ours), '']);
        }
        return $rows === 0 ? '' : "\n### What a project would take instead\n\nThe ratios are to what does the same here: `doHandle()`, the token bucket, the "
            . "sliding log, or the concurrent limit. The times of a request are those of nginx and php-fpm together.\n\n$table";
    }

    private function missing(): string
    {
        $missing = [];
        foreach ($this->results->data['scenes'] as $scene => $result) {
            foreach ($result['missing'] ?? [] as $name) {
                $missing[$this->results->label($name)] = true;
            }
            foreach ($result['absent'] ?? [] as $name) {
                $missing['requests with ' . ($result['labels'][$name] ?? $name)] = true;
            }
            if (isset($result['not_measured'])) {
                $missing["$scene ($result[not_measured])"] = true;
            }
        }
        return $missing === [] ? '' : "\nNot measured, because it is not installed: " . implode('; ', array_keys($missing)) . ".\n";
    }

    /** Returns a scene's table: each contestant's ratio to doHandle() and its time; for doHandle() the ratio to the floor. */
    private function section(string $title, string $scene, array $columns, string $intro = '', bool $server = false, array $without = []): string
    {
        if (!$this->results->get($scene)) {
            return '';
        }
        return "\n### $title\n\n$intro" . $this->compare(array_map(static fn (string $series): array => [$scene, $series],
            array_flip($columns)), $server, $without);
    }

    /**
     * @param array<string, array{string, string}> $columns head => scene and series
     * @param list<string> $without contestants that have no row
     */
    private function compare(array $columns, bool $server, array $without): string
    {
        [$scene, $series] = reset($columns);
        $table = new Table(['', ...array_keys($columns), ...($server ? ['server, admitted', 'round trips'] : [])]);
        foreach ($this->results->get($scene, $series) as $name => $result) {
            if ($name === 'loop' || in_array($name, $without, true)) {
                continue;
            }
            $cells = [];
            foreach ($columns as [$in, $of]) {
                $cells[] = $this->cell($in, $of, $name);
            }
            if ($server) {
                array_push($cells, sprintf('%.1f µs', $result['server_us'] ?? 0), rtrim(rtrim(sprintf('%.2f', $result['round_trips'] ?? 0), '0'), '.'));
            }
            $table->add([$this->results->label($name), ...$cells]);
        }
        return (string) $table;
    }

    /** Returns "**3.3×** 69 ns", or for doHandle() "21 ns, 2.3× the floor"; keeps the spread of the time. */
    private function cell(string $scene, string $series, string $name, ?string $base = null): string
    {
        $results = $this->results->get($scene, $series);
        if (!isset($results[$name]['ns'])) {
            return '';
        }
        ['ns' => $ns, 'low' => $low, 'high' => $high] = $results[$name];
        $time = Table::time($ns);
        if ($ns > 0) {
            $this->spreads[] = 50 * ($high - $low) / $ns;
        }
        $floor = isset($results['ping']) ? 'ping' : 'floor';
        $base ??= $name === self::OURS ? $floor : self::OURS;
        $ratio = $base === $name ? null : $this->results->ratio($scene, $series, $name, $base);
        if ($ratio === null) {
            return $time;
        }
        return $base === $floor ? "$time, " . Table::ratio($ratio) . ($floor === 'ping' ? ' a PING' : ' the floor')
            : '**' . Table::ratio($ratio) . "** $time";
    }

    private function place(): string
    {
        return self::machine($this->results->data['machine']);
    }

    /** @param array<string, string|int|float> $m of Machine */
    private static function machine(array $m): string
    {
        $text = "$m[date], $m[processor] ($m[processors] processors, $m[virtual]), $m[system], PHP $m[php]";
        foreach (['apcu' => 'APCu', 'phpredis' => 'phpredis', 'redis' => 'Redis', 'nginx' => 'nginx', 'wrk' => 'wrk', 'symfony/symfony' => 'Symfony',
            'laravel/framework' => 'Laravel', 'predis/predis' => 'predis'] as $key => $name) {
            if (isset($m[$key])) {
                $text .= ", $name " . ltrim($m[$key], 'v');
            }
        }
        if (($m['busy'] ?? 0) > 0.5) {
            return "$text. Measured beside other work, which kept $m[busy] processors busy: a round trip takes longer than on an idle machine.";
        }
        return "$text.";
    }
}
