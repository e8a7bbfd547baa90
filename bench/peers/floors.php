<?php

/** The references of every comparison: an empty loop, a call, a round trip. */

return [
    'loop' => ['label' => 'the empty loop', 'call' => 'true', 'admits' => null,
        'scenes' => ['memory', 'two', 'series', 'growth', 'redis', 'guarded']],
    'userland' => ['label' => 'a static method in PHP that returns true', 'admits' => null,
        'call' => "UserlandFloor::doHandle('like', \$id, 3600, \$number)", 'scenes' => ['memory']],
    'floor' => ['label' => 'call floor: an internal static method that returns true', 'admits' => null,
        'call' => "RatelimitFloor::doHandle('like', \$id, 3600, \$number)", 'scenes' => ['memory', 'two', 'series', 'growth', 'guarded']],
    'least' => ['label' => 'the least that decides: the call, a hash, a clock, a swap', 'admits' => null, 'random' => false, 'needs' => 'RatelimitLeast',
        'call' => "RatelimitLeast::doHandle('like', \$id, 3600, \$number)", 'scenes' => ['memory', 'two']],
    'ping' => ['label' => 'a bare PING: one write, one read', 'make' => 'Peers::ping()', 'admits' => null,
        'call' => 'RatelimitFloor::ping()', 'scenes' => ['redis', 'guarded']],
];
