<?php

/*
 * A mail worker: eight mails to one domain, three to another. Each domain gets five at once, then one every two
 * seconds; so this runs for some six seconds.
 *
 *     php examples/mail.php
 */

declare(strict_types=1);

use App\MailQueue;

require_once __DIR__ . '/autoload.php';

$queue = new MailQueue();
for ($i = 1; $i <= 8; $i++) {
    $queue->add("reader$i@example.org");
}
for ($i = 1; $i <= 3; $i++) {
    $queue->add("reader$i@example.net");
}

$send = static function (string $recipient): bool {
    echo date('H:i:s'), "  sent to $recipient\n";
    return true;
};

while (($pause = $queue->run($send)) !== null) {
    printf("%s  waiting %.3f s\n", date('H:i:s'), $pause);
    usleep((int) ceil($pause * 1_000_000));
}
