<?php

declare(strict_types=1);

require_once __DIR__ . '/../lib/WebServer.php';

/**
 * Whole requests: wrk asks nginx, nginx asks php-fpm. The same page without a limit and with one; refused; and, with a limit
 * of 100 that is reached while wrk is at it, how many requests pass. One endpoint has nginx's own limit_req before the page
 * without a limit: its refusals never reach php-fpm.
 *
 * php-fpm has a processor of its own, wrk and nginx share the other one; the ns are those that php-fpm's workers spent on
 * their processor for one request, and nginx_us those of nginx.
 */
final class WebScene extends Scene
{
    private const LIMIT = 100;
    private const SECONDS = 1;

    private WebServer $server;
    private int $client = 0;

    /** Each endpoint, its requirements, whether it must be exact, and whether places become free while others are measured. */
    private static function endpoints(): array
    {
        $attribute = static fn (): bool => class_exists('FrequencyLimit\AccessLimit');
        $autoload = static fn (): bool => getenv('BENCH_AUTOLOAD') !== false;
        return [
            'plain' => ['label' => 'no limit', 'path' => '/plain?'],
            'dohandle' => ['label' => '**`FrequencyLimit::doHandle()`**', 'path' => '/dohandle?', 'exact' => true],
            'attribute' => ['label' => '`#[AccessLimit]`', 'path' => '/attribute?', 'exact' => true, 'needs' => $attribute],
            'limiter' => ['label' => '`Limiter`, fixed window, with headers', 'path' => '/limiter?', 'exact' => true],
            'limit_req' => ['label' => 'nginx `limit_req`', 'path' => '/limit_req?', 'exact' => true, 'refills' => true],
            'autoloaded' => ['label' => "no limit, with Composer's autoloader", 'path' => '/autoloaded?', 'needs' => $autoload],
            'symfony' => ['label' => 'symfony/rate-limiter, APCu, without a lock', 'path' => '/symfony?', 'exact' => false, 'needs' => $autoload],
            'symfony_locked' => ['label' => 'symfony/rate-limiter, APCu, with a lock (flock)', 'path' => '/symfony?locked=1&', 'exact' => true,
                'needs' => $autoload],
            'laravel' => ['label' => 'Laravel RateLimiter, APCu', 'path' => '/laravel?', 'exact' => false, 'needs' => $autoload],
        ];
    }

    public function run(): array
    {
        $missing = WebServer::missing() ?? (trim((string) shell_exec('command -v wrk')) === '' ? 'wrk' : null);
        if ($missing !== null) {
            return ['not_measured' => "$missing is not installed"];
        }
        $all = self::endpoints();
        $there = array_filter($all, static fn (array $e): bool => !isset($e['needs']) || $e['needs']());
        $this->server = new WebServer(dirname(__DIR__) . '/web', 4, limited: ['plain', self::LIMIT]);
        try {
            return ['labels' => array_map(static fn (array $e): string => $e['label'], $all),
                'absent' => array_values(array_diff(array_keys($all), array_keys($there))),
                'passed' => $this->passed($there)] + $this->rates($there);
        } finally {
            $this->server->stop();
        }
    }

    /** Returns the admitted requests with a limit of 100; on all processors, so that they overlap. */
    private function passed(array $endpoints): array
    {
        $passed = [];
        foreach (array_filter($endpoints, static fn (array $e): bool => isset($e['exact'])) as $name => $endpoint) {
            for ($round = 0; $round < ($this->rounds < 7 ? 1 : 3); ++$round) {
                $seen = $this->wrk($endpoint['path'], ++$this->client, self::LIMIT);
                if ($endpoint['exact'] && $seen['passed'] !== self::LIMIT) {
                    throw new RuntimeException("$name: $seen[passed] of $seen[requests] requests passed instead of " . self::LIMIT);
                }
                $passed[$name][] = $seen['passed'];
            }
        }
        return $passed;
    }

    private function rates(array $endpoints): array
    {
        [$first, $second] = explode(' ', getenv('BENCH_CPUS') ?: '0 1');
        $this->server->pin($second, $first);
        $rounds = min(5, max(2, intdiv($this->rounds, 2)));
        $admitted = (new Rounds($rounds))->run(array_keys($endpoints), fn (string $name): array =>
            $this->requests($name, $endpoints[$name]['path'], ++$this->client, self::OUT_OF_REACH))->results('dohandle', 'plain');

        // With an exhausted limit.
        $limited = array_filter($endpoints, static fn (array $e): bool => isset($e['exact']));
        $clients = [];
        foreach ($limited as $name => $endpoint) {
            $clients[$name] = $this->exhausted($endpoint['path']);
        }
        $clients['plain'] = 0;
        $refused = (new Rounds($rounds))->run(['plain', ...array_keys($limited)], fn (string $name): array => $this->requests($name,
            $endpoints[$name]['path'], isset($endpoints[$name]['refills']) ? $this->exhausted($endpoints[$name]['path']) : $clients[$name],
            self::LIMIT))->results('dohandle', 'plain');
        return ['admit' => $admitted, 'refuse' => $refused];
    }

    /** Returns a client that has used up its limit. */
    private function exhausted(string $path): int
    {
        ++$this->client;
        for ($i = 0; $i < self::LIMIT; ++$i) {
            $this->server->get("{$path}id=$this->client&n=" . self::LIMIT);
        }
        return $this->client;
    }

    /** Returns the processor time of php-fpm's workers for one request, in ns, and that of nginx. */
    private function requests(string $name, string $path, int $client, int $limit): array
    {
        for ($attempt = 0; $attempt < 3; ++$attempt) {
            $before = $this->server->workersTime();
            $seen = $this->wrk($path, $client, $limit);
            [$php, $nginx] = array_map(static fn (int $now, int $then): int => $now - $then, $this->server->workersTime(), $before);
            if ($seen['requests'] > 0) {
                break; // on an overloaded machine wrk may get no time slice
            }
        }
        $expected = $limit === self::LIMIT && $name !== 'plain' ? 0 : $seen['requests'];
        if ($seen['requests'] === 0 || $seen['passed'] !== $expected) {
            throw new RuntimeException("$name: $seen[passed] of $seen[requests] requests passed instead of $expected\n" . $this->server->log());
        }
        return [$php / $seen['requests'], ['nginx_us' => $nginx / $seen['requests'] / 1000, 'rate' => $seen['rate'], 'p99_ms' => $seen['p99_ms']], false];
    }

    /** @return array{requests: int, passed: int, rate: float, p99_ms: float} */
    private function wrk(string $path, int $client, int $limit): array
    {
        [$first] = explode(' ', getenv('BENCH_CPUS') ?: '0 1');
        $said = (string) shell_exec("taskset -c $first wrk -t1 -c8 -d" . self::SECONDS . 's --latency '
            . escapeshellarg("{$this->server->url}{$path}id=$client&n=$limit") . ' 2>&1');
        if (!preg_match('/(\d+) requests in/', $said, $requests) || !preg_match('~Requests/sec:\s*([\d.]+)~', $said, $rate)
            || preg_match('/Socket errors/', $said)) {
            throw new RuntimeException("wrk: $said");
        }
        preg_match('/Non-2xx or 3xx responses: (\d+)/', $said, $failed);
        preg_match('/99%\s+([\d.]+)(us|ms|s)/', $said, $p99);
        return ['requests' => (int) $requests[1], 'passed' => (int) $requests[1] - (int) ($failed[1] ?? 0), 'rate' => (float) $rate[1],
            'p99_ms' => (float) ($p99[1] ?? 0) * ['us' => 0.001, 'ms' => 1, 's' => 1000][$p99[2] ?? 'ms']];
    }
}
