<?php

declare(strict_types=1);

require_once __DIR__ . '/../lib/RedisMeter.php';
require_once __DIR__ . '/../lib/Monitor.php';

/**
 * Measures one decision on a server that always has the next one pending: the commands of one decision, as the server got
 * them, sent again and again, 64 decisions at a time. So the figures contain no client's work and no wake-up.
 */
final class SaturatedScene extends Scene
{
    private const WAITING = 64;

    private const LOG = 100;

    /** A limit that applications have, and that no measurement reaches. */
    private const MANY = 1_000_000;

    public function run(): array
    {
        $series = [];
        foreach (['admit' => self::MANY, 'refuse' => 1] as $what => $number) {
            $commands = $id = [];
            foreach ($this->contestants as $name => $contestant) {
                $id[$name] = $this->id();
                $limit = $what === 'admit' && isset($contestant['hundred']) ? self::LOG : $number;
                "bench_hot_$name"($id[$name], $limit, 3);
                $commands[$name] = Monitor::watch(static fn () => "bench_hot_$name"($id[$name], $limit, 1));
            }
            $rounds = new Rounds($this->rounds);
            $series[$what] = $rounds->run(array_keys($commands), fn (string $name): array =>
                $this->send($commands[$name], $what === 'admit' && isset($this->contestants[$name]['hundred']) ? $id[$name] : null))->results();
            foreach ($commands as $name => $list) {
                $series[$what][$name]['commands'] = count($list);
            }
        }
        return $series;
    }

    /**
     * @param list<list<string>> $commands
     * @param int|null           $id       the identity in them, which is replaced after LOG decisions
     */
    private function send(array $commands, ?int $id): array
    {
        $redis = Peers::redis();
        $meter = RedisMeter::start();
        $end = hrtime(true) + $this->ns;
        $waiting = $id === null ? self::WAITING : self::LOG;
        for ($n = 0; hrtime(true) < $end; $n += $waiting) {
            $now = $commands;
            if ($id !== null) {
                $other = (string) $this->id();
                $now = array_map(static fn (array $command): array => str_replace((string) $id, $other, $command), $commands);
            }
            $pipeline = $redis->pipeline();
            for ($i = 0; $i < $waiting; ++$i) {
                foreach ($now as $command) {
                    $pipeline->rawCommand(...$command);
                }
            }
            $pipeline->exec();
        }
        // Its ns are the server's.
        return [$meter($n)['server_us'] * 1000, [], false];
    }
}
