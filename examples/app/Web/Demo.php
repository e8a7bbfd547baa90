<?php

declare(strict_types=1);

namespace App\Web;

use FrequencyLimit\Monitor;

/** The additions of scripts/demo.sh: a Redis that a button stops and starts, and a second machine with its own segment. */
final class Demo
{
    public const WANTED = ['start', 'stop'];

    /** @param array<string, string> $machines each machine's address */
    private function __construct(
        private readonly string $control,
        public readonly string $machine,
        public readonly array $machines,
    ) {
    }

    /** Returns null outside of the demo. */
    public static function fromEnvironment(): ?self
    {
        $control = (string) getenv('DEMO_CONTROL');
        return $control === '' ? null : new self($control, (string) getenv('DEMO_MACHINE'), self::machines());
    }

    /** Asks the script for a running or a stopped Redis. */
    public function want(string $what): void
    {
        file_put_contents($this->control, $what);
    }

    /** @return array{machine: string, isStopped: bool, isAway: bool} */
    public function facts(): array
    {
        $servers = Monitor::stats()['servers'];
        return [
            'machine' => $this->machine,
            'isStopped' => trim((string) @file_get_contents($this->control)) === 'stop',
            'isAway' => $servers !== [] && $servers[0]['state'] !== 'closed',
        ];
    }

    /** @return array<string, string> of "A=http://127.0.0.1:8080 B=…" */
    private static function machines(): array
    {
        $machines = [];
        foreach (preg_split('/\s+/', (string) getenv('DEMO_MACHINES'), -1, PREG_SPLIT_NO_EMPTY) as $pair) {
            [$name, $address] = explode('=', $pair, 2);
            $machines[$name] = $address;
        }
        return $machines;
    }
}
