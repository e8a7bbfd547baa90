<?php

/** The extension's own functions. */

$exactly = static fn (int $number): int => $number;
$limiter = static fn (string $name, string $label, string $limit, string ...$scenes): array => [
    'label' => "`Limiter`, $label",
    'make' => "new FrequencyLimit\Limiter('$name', $limit)",
    'call' => '$limiter->consume($id)->accepted',
    'admits' => $exactly,
    'scenes' => $scenes ?: ['memory', 'series', 'saturated'],
    'random' => false,
];
$allowed = static fn (string $label, string $limit, string ...$scenes): array => ['label' => "`Limiter::allow()`, $label",
    'make' => "new FrequencyLimit\Limiter('allow', $limit)", 'call' => '$limiter->allow($id)', 'admits' => $exactly, 'random' => false, 'scenes' => $scenes];
$leased = [
    'keeps' => true,
    'needs' => static fn (): bool => method_exists('FrequencyLimit\Limit', 'leased'),
] + $limiter('leased', 'fixed window, leases', 'FrequencyLimit\Limit::fixedWindow($number, 3600)->leased()', 'guarded');
$labels = static fn (string $name, string $tenant, string $user): string => "new FrequencyLimit\Limiter('$name', ['calls' => "
    . "FrequencyLimit\Limit::fixedWindow($tenant, 3600)->by('tenant'), 'tokens' => FrequencyLimit\Limit::slidingWindow($tenant * 2, 3600)->by('tenant'), "
    . "'bytes' => FrequencyLimit\Limit::tokenBucket($user, 360000)->by('user')])";
$tenant_and_user = "\$limiter->consume(['tenant' => \$id, 'user' => \$id], ['calls' => 1, 'tokens' => 2, 'bytes' => 3])->accepted";

$rate_limited = static fn (string $label, string $function, string ...$limits): array => ['label' => $label, 'admits' => null, 'random' => false,
    'scenes' => [], 'file' => 'attributed.php', 'call' => "$function()", 'needs' => static fn (): bool => class_exists('FrequencyLimit\RateLimit'),
    'make' => '[' . implode(', ', array_map(static fn (string $name, string $limit): string => "FrequencyLimit\Limiter::define(new FrequencyLimit\Limiter('$name', "
        . "FrequencyLimit\Limit::$limit))", array_keys($limits), $limits)) . ']'];

return [
    'dohandle' => ['label' => '**`FrequencyLimit::doHandle()`**', 'admits' => $exactly,
        'call' => "FrequencyLimit::doHandle('like', \$id, 3600, \$number)",
        'scenes' => ['memory', 'two', 'series', 'growth', 'redis', 'guarded', 'saturated']],
    'dohandle_ban' => ['label' => '`doHandle()` with a ban', 'admits' => $exactly, 'random' => false,
        'call' => "FrequencyLimit::doHandle('vote', \$id, 3600, \$number, ['type' => 1, 'ttl' => 3600])", 'scenes' => ['memory']],
    'check' => ['label' => '`check()`, which returns a Result', 'admits' => $exactly, 'random' => false,
        'call' => "FrequencyLimit::check('look', \$id, 3600, \$number)->accepted", 'scenes' => ['memory', 'redis']],
    'attributed' => ['label' => 'a function with `#[AccessLimit]`', 'admits' => null, 'random' => false, 'scenes' => ['memory'], 'file' => 'attributed.php',
        'call' => 'bench_attributed()', 'needs' => static fn (): bool => class_exists('FrequencyLimit\AccessLimit')],
    'rate_limited' => $rate_limited('a function with `#[RateLimit]`', 'bench_rate_limited', attribute: 'fixedWindow(16_777_215, 3600)'),
    'rate_limited_two' => $rate_limited('a function with two of them', 'bench_rate_limited_two', first: 'fixedWindow(16_777_215, 3600)',
        second: 'tokenBucket(16_777_215, 3_600_000)'),
    'rate_limited_place' => $rate_limited('a function with one that holds a place', 'bench_rate_limited_place', place: 'concurrent(2, 600)'),
    'fixed_window' => $limiter('fixed_window', 'fixed window', 'FrequencyLimit\Limit::fixedWindow($number, 3600)',
        'memory', 'series', 'redis', 'saturated'),
    'allow' => $allowed('fixed window', 'FrequencyLimit\Limit::fixedWindow($number, 3600)', 'memory'),
    'allow_string' => ['key' => '"user:$id"', 'call' => '$limiter->allow($key)']
        + $allowed('fixed window, a string', 'FrequencyLimit\Limit::fixedWindow($number, 3600)'),
    'allow_calendar' => $allowed('calendar window', 'FrequencyLimit\Limit::calendar($number, FrequencyLimit\Period::Month, "UTC")'),
    'allow_bucket' => $allowed('token bucket', 'FrequencyLimit\Limit::tokenBucket($number, 360000)'),
    'calendar' => $limiter('calendar', 'calendar window',
        'FrequencyLimit\Limit::calendar($number, FrequencyLimit\Period::Month, "UTC")'),
    // A refusal is one of the ban that the first one began.
    'banned' => $limiter('banned', 'fixed window with a ban', 'FrequencyLimit\Limit::fixedWindow($number, 3600)->ban(86400)'),
    'banned_log' => $limiter('banned_log', 'sliding log with a ban', 'FrequencyLimit\Limit::slidingLog($number, 3600)->ban(86400)')
        + ['hundred' => true],
    'sliding_log' => $limiter('sliding_log', 'sliding log', 'FrequencyLimit\Limit::slidingLog($number, 3600)', 'series', 'redis', 'saturated')
        + ['hundred' => true],
    'sliding_window' => $limiter('sliding_window', 'sliding window', 'FrequencyLimit\Limit::slidingWindow($number, 3600)'),
    'token_bucket' => $limiter('token_bucket', 'token bucket', 'FrequencyLimit\Limit::tokenBucket($number, 360000)',
        'memory', 'series', 'redis', 'saturated'),
    // So slow that none of many identities has its token back while the others call.
    'slow_bucket' => $limiter('slow_bucket', 'token bucket', 'FrequencyLimit\Limit::tokenBucket($number, 315360000)', 'growth'),
    'three' => $limiter('three', 'three of them together', '[FrequencyLimit\Limit::fixedWindow($number, 3600), '
        . 'FrequencyLimit\Limit::slidingWindow($number, 3600), FrequencyLimit\Limit::tokenBucket($number, 360000)]'),
    // Its count is larger than a word's.
    'large' => ['scenes' => [], 'call' => '$limiter->consume($id, 20_000_000)->accepted']
        + $limiter('large', 'fixed window, a count above 16,777,215', 'FrequencyLimit\Limit::fixedWindow($number * 20_000_000, 3600)'),
    'costs' => ['scenes' => [], 'call' => "\$limiter->consume(\$id, ['requests' => 1, 'tokens' => 3])->accepted"] + $limiter('costs', 'two of them with two costs',
        "['requests' => FrequencyLimit\Limit::fixedWindow(\$number, 3600), 'tokens' => FrequencyLimit\Limit::fixedWindow(\$number * 3, 3600)]"),
    'labels' => ['label' => '`Limiter`, three of them with three costs, for a tenant and its user', 'admits' => $exactly, 'scenes' => ['series'],
        'make' => $labels('labels', '$number', '$number * 3'), 'call' => $tenant_and_user],
    // A call that the tenant alone refuses, and one that the user alone does: it gives back what it took.
    'labels_first' => ['label' => '`Limiter`, refused by the first of two identities', 'admits' => $exactly, 'scenes' => [],
        'make' => $labels('first', '$number', '30000'), 'call' => $tenant_and_user],
    'labels_last' => ['label' => '`Limiter`, refused by the last of two identities', 'admits' => $exactly, 'scenes' => [],
        'make' => $labels('last', '10000', '$number * 3'), 'call' => $tenant_and_user],
    'named' => ['label' => '`Limiter::named()`, fixed window', 'make' => "FrequencyLimit\Limiter::named('named')",
        'call' => '$limiter->consume($id)->accepted', 'admits' => $exactly, 'random' => false, 'scenes' => ['cold']],
    'named_allow' => ['label' => '`Limiter::named()`, `allow()`', 'make' => "FrequencyLimit\Limiter::named('named')",
        'call' => '$limiter->allow($id)', 'admits' => $exactly, 'random' => false, 'scenes' => ['cold']],
    'leased' => $leased,
];
