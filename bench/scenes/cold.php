<?php

declare(strict_types=1);

require_once __DIR__ . '/../lib/WebServer.php';

/**
 * The first decision of a php-fpm request: before each such request the worker serves one that uses a framework and sweeps
 * its caches. The time is measured inside the request, from the limiter's creation to its result; classes come from opcache. Then
 * the second decision of the same request, and the first one without a framework's request in between.
 */
final class ColdScene extends Scene
{
    public const ALSO = ['loop', 'floor', 'dohandle', 'attributed', 'fixed_window', 'allow', 'calendar', 'apcu_inc', 'apcu_add_inc', 'symfony_apcu',
        'laravel_apcu'];

    public function run(): array
    {
        if (($missing = WebServer::missing()) !== null) {
            return ['not_measured' => "$missing is not installed"];
        }
        $root = temp_folder(0755);
        copy(__DIR__ . '/../web/framework.php', "$root/framework.php");
        foreach ($this->contestants as $name => $contestant) {
            file_put_contents("$root/$name.php", self::script($contestant));
        }
        file_put_contents("$root/limiters.ini", "[named]\nhour = fixed:10000000/1h\n");
        $server = new WebServer($root, 1, ['ratelimit.limiters' => "$root/limiters.ini"]);
        try {
            [$first, $second] = explode(' ', getenv('BENCH_CPUS') ?: '0 1');
            $server->pin($second, $first);
            return $this->ask($server);
        } finally {
            $server->stop();
        }
    }

    public function exact(): array
    {
        return [];
    }

    private function ask(WebServer $server): array
    {
        $names = array_keys($this->contestants);
        $asked = static function (string $name) use ($server): array {
            return array_map('intval', explode(' ', $server->get("/$name")));
        };
        $framework = static function () use ($server): void {
            // An error of the framework is a response, too, and a much shorter one.
            if (!ctype_digit($body = $server->get('/framework'))) {
                throw new RuntimeException('the request that uses a framework failed: ' . substr($body, 0, 500));
            }
        };
        foreach ([...$names, ...$names] as $name) {
            $framework();
            $asked($name);
        }
        $series = [];
        foreach (['cold' => true, 'warm' => false] as $what => $is_swept) {
            $rounds = new Rounds(max(5, 3 * $this->rounds));
            $series[$what] = $rounds->run($names, static function (string $name) use ($framework, $asked, $is_swept): array {
                $is_swept ? $framework() : $asked($name);
                [$clock, $first, $second] = $asked($name);
                return [(float) max(0, $first - $clock), ['second' => max(0, $second - $clock)], false];
            })->results();
        }
        return $series;
    }

    private static function script(array $contestant): string
    {
        $make = isset($contestant['make']) ? "\$limiter = $contestant[make];" : '';
        $key = isset($contestant['key']) ? "\$key = $contestant[key];" : '';
        // Only contestants that need it load the frameworks' autoloader, as an application would, before the measurement.
        $load = is_string($contestant['needs'] ?? null)
            ? "error_reporting(E_ALL & ~E_DEPRECATED);\nrequire " . var_export(getenv('BENCH_AUTOLOAD'), true) . ";\nrequire "
                . var_export(dirname(__DIR__) . '/lib/Peers.php', true) . ';' : '';
        $load .= isset($contestant['file']) ? 'require ' . var_export(dirname(__DIR__) . "/lib/$contestant[file]", true) . ';' : '';
        return <<<PHP
            <?php
            $load
            function decide(int \$id, int \$number): array
            {
                \$a = hrtime(true);
                \$b = hrtime(true);
                $make
                $key
                \$first = {$contestant['call']};
                \$c = hrtime(true);
                \$second = {$contestant['call']};
                \$d = hrtime(true);
                if (!\$first || !\$second) {
                    throw new Exception('refused');
                }
                return [\$b - \$a, \$c - \$b, \$d - \$c];
            }
            echo implode(' ', decide(7, 10_000_000));
            PHP;
    }
}
