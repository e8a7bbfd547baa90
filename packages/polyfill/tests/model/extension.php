<?php

declare(strict_types=1);

/* extension.php REPOSITORY: plays programs on the extension, for MixedPlayer. */

require "$argv[1]/tests/model/model.inc";

if (!extension_loaded('ratelimit')) {
    throw new Exception('the extension is not loaded');
}

/** The other process moves the clock, which is the one of Redis. */
final class OthersTime implements Model\Time
{
    public function store(): string
    {
        return 'redis';
    }

    public function start(int $us): void
    {
    }

    public function advance(int $us): void
    {
    }

    public function setBack(int $us): void
    {
    }

    public function grain(): int
    {
        return 1;
    }
}

$player = null;
while (($line = fgets(STDIN)) !== false) {
    $message = unserialize(base64_decode($line));
    $answer = null;
    switch ($message[0]) {
        case 'begin':
            $player = new Model\ExtensionPlayer($message[1], new OthersTime(), $message[2]);
            break;
        case 'play':
            $answer = $player->play($message[1]);
            break;
        case 'end':
            $player->end();
            break;
    }
    fwrite(STDOUT, base64_encode(serialize($answer)) . "\n");
}
