<?php

declare(strict_types=1);

/* A page for WebTest, which names the action in the query. */

use FrequencyLimit\Request;
use FrequencyLimit\Reason;
use FrequencyLimit\Result;

require_once dirname(__DIR__, 2) . '/vendor/autoload.php';

FrequencyLimit\Polyfill\Settings::set('ratelimit_polyfill.warnings', '0');
/* Without a buffer the first body takes the headers with it. */
if ($_GET['do'] === 'several') {
    ob_start();
}
match ($_GET['do']) {
    'accepted' => Result::of(limit: 5, name: 'minute')->send(legacy: true),
    'refused' => Result::of(Reason::Limited, 5, retryAfter: 7, name: 'minute')->send(),
    'several', 'gone' => array_map(static fn (Result $result) => $result->send(), [
        Result::of(limit: 5, name: 'minute'),
        Result::of(Reason::Limited, 2, retryAfter: 7, name: 'hour'),
        Result::of(Reason::Banned, 9, retryAfter: 90, name: 'day'),
    ]),
    'late' => (static function (): void {
        echo 'output';
        flush();
        try {
            Result::of()->send();
        } catch (LogicException $e) {
            echo preg_replace('/ in .*/s', '', $e->getMessage());
        }
    })(),
    'begun' => (static function (): void {
        Request::begin('203.0.113.7');
        (new Fiber(static fn () => print Request::clientAddress()))->start();
    })(),
    default => print Request::clientAddress(),
};
