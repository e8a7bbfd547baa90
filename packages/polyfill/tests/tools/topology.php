<?php

declare(strict_types=1);

/*
 * topology.php REPOSITORY OPTION...: starts a cluster, then a master with sentinels, by the extension's own tests, and prints what
 * limiters in other PHPs with these options answer there, with each client library. phpredis has a class RedisCluster, as those
 * tests have: so this process has none of the libraries.
 */

require "$argv[1]/tests/include/topology.inc";

/** Starts a PHP with a limiter on a store. Returns a function that runs code there. */
function limiter_at(string $client, string $dsn, array $options): Closure
{
    $process = proc_open([PHP_BINARY, ...$options, __DIR__ . '/limiter.php', $client, $dsn], [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);

    return static function (string $code) use ($process, $pipes): mixed {
        fwrite($pipes[0], "$code\n");
        return json_decode((string) fgets($pipes[1]), true) ?? [$process];
    };
}

/** @param list<mixed> $answers */
function answers(string $what, array $answers): void
{
    echo $what, ': ', json_encode($answers), "\n";
}

$options = array_slice($argv, 3);
$clients = explode(',', $argv[2]);
const MANY = 'return count(array_filter($l->consumeMany(range(1, 30)), fn ($r) => $r->accepted));';

$cluster = new RedisCluster(3);
foreach ($clients as $client) {
    $run = limiter_at($client, $cluster->dsn(), $options);
    answers('many', [$run(MANY), $run(MANY), $run(MANY)]);
    $slot = $cluster->slot("act:limit:$client:7:" . strlen($client) . 'l');
    $from = $cluster->home($slot);
    $to = array_values(array_filter($cluster->nodes, static fn (RedisNode $node): bool => $node !== $from))[0];
    $cluster->begin_move($slot, $from, $to);
    answers('while a slot moves', $run('return [$l->peek(7)->accepted, $l->reset(7), $l->allow(7)];'));
    $cluster->move_keys($slot, $from, $to);
    $cluster->end_move($slot, $from, $to);
    answers('after that', $run('return [$l->allow(7), $l->allow(7)];'));
}

$sentinels = new RedisSentinels();
$runs = array_map(static fn (string $client): Closure => limiter_at($client, $sentinels->dsn(), $options), $clients);
foreach ($runs as $run) {
    answers('behind sentinels', $run('return [$l->allow(7), $l->allow(7), $l->allow(7)];'));
}
$sentinels->master->stop();
answers('a new master', [$sentinels->await_master($sentinels->replica)]);
foreach ($runs as $run) {
    answers('decides', [eventually(static fn (): bool => $run('try { return $l->allow(8); } catch (FrequencyLimit\StoreException) { return false; }') === true)]);
}
