<?php
require __DIR__ . '/page.php';

use FrequencyLimit\{AccessLimit, LimitExceeded, Request};

#[AccessLimit(seconds: 3600, maxCount: 16_777_215)]
function open_page(): void
{
    comments();
}

#[AccessLimit(seconds: 3600, maxCount: 100)]
function limited_page(): void
{
    comments();
}

Request::identifyBy(static fn (): int => (int) $_GET['id']);
try {
    $_GET['n'] === '100' ? limited_page() : open_page();
} catch (LimitExceeded $e) {
    $e->result->send();
}
