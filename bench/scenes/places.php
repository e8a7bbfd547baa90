<?php

declare(strict_types=1);

require_once __DIR__ . '/redis.php';

/**
 * Taking a place of a concurrent limit and giving it back, beside consume() of a fixed window on shared memory. Each holder
 * of the check is a fiber, because a funnel holds its place while a function runs.
 */
final class PlacesScene extends RedisScene
{
    public const ALSO = ['loop', 'ping', 'fixed_window'];

    private const CALLS = 25;

    /** Checks that each gives exactly its number of places to 25 callers that all hold theirs. */
    public function exact(): array
    {
        $exact = [];
        foreach ($this->contestants as $name => $contestant) {
            if (!isset($contestant['hold'])) {
                continue;
            }
            $id = $this->id();
            $holders = [];
            for ($i = 0; $i < self::CALLS; ++$i) {
                $holder = new Fiber(static function () use ($contestant, $id): void {
                    $held = $contestant['hold']($id);
                    if ($held !== null) {
                        Fiber::suspend(true);
                    }
                });
                if ($holder->start() === true) {
                    $holders[] = $holder;
                }
            }
            $this->expect($name, 'all hold theirs', $contestant['places'], count($holders));
            $exact[$name] = count($holders);
        }
        return $exact;
    }

    public function run(): array
    {
        return ['admit' => $this->admit()];
    }
}
