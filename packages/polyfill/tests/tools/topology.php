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
store_options(timeout: 5000, connect_timeout: 5000, retry_delay: 10);
const MANY = 'return count(array_filter($l->consumeMany(range(1, 30)), fn ($r) => $r->accepted));';

$cluster = new RedisCluster(3);
foreach ($clients as $client) {
    $run = limiter_at($client, $cluster->dsn(), $options);
    answers('many', [$run(MANY), $run(MANY), $run(MANY)]);
    answers('several keys', $run('$b = new FrequencyLimit\Limiter("by", ["t" => FrequencyLimit\Limit::fixedWindow(40, 60)->by("tenant"), "u" => FrequencyLimit\Limit::fixedWindow(3, 60)->by("user")->ban(600), "g" => FrequencyLimit\Limit::slidingLog(9, 60)->by("g")]); $id = fn ($i) => ["tenant" => $l->name, "user" => "$l->name $i", "g" => "$l->name g$i"]; $n = 0; for ($i = 0; $i < 60; $i++) { $n += $b->allow($id($i % 20)) ? 1 : 0; } $r = $b->peek($id(20)); $s = [$n, $r->name, $r->remaining]; $b->reset(["tenant" => $l->name]); $p = $b->acquire($id(30), ["t" => 5, "u" => 1, "g" => 0]); $s[] = $p->settle(["t" => 2, "u" => 0, "g" => 0])->remaining; $b->allow($id(31), 3); $banned = [$b->consume($id(31))->reason, $b->consume($id(31))->reason]; return [...$s, ...$banned, $b->peek(["g" => "other"] + $id(32), 0)->remaining];'));
    answers('keys of all nodes', [$run('$found = []; $next = ""; do { $page = FrequencyLimit\Monitor::scan($next); foreach ($page["keys"] as $key) { $key["name"] === $l->name && $found[$key["identity"]] = true; } $next = $page["next"]; } while ($next !== ""); return count($found) === 30;')]);
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
