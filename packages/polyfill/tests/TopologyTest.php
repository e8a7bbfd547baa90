<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Tests;

use PHPUnit\Framework\TestCase;

final class TopologyTest extends TestCase
{
    public function testAClusterAndSentinelsDecideAlsoWhileTheyChange(): void
    {
        $repository = Repository::required();
        Repository::needsRedis();
        $clients = \extension_loaded('redis') ? ['phpredis', 'predis'] : ['predis'];
        [$exit, $output] = Repository::run(['-n', __DIR__ . '/tools/topology.php', $repository, implode(',', $clients), ...Repository::polyfill()]);

        $ofCluster = "many: [30,30,0]\nseveral keys: [40,\"t\",0,3,\"banned\",\"banned\",3]\nkeys of all nodes: [true]\nwhile a slot moves: [false,true,true]\nafter that: [true,false]\n";
        $n = \count($clients);
        self::assertSame(
            str_repeat($ofCluster, $n) . str_repeat("behind sentinels: [true,true,false]\n", $n) . "a new master: [true]\n"
                . str_repeat("decides: [true]\n", $n),
            $output,
        );
        self::assertSame(0, $exit);
    }
}
