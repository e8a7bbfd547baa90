<?php

declare(strict_types=1);

/*
 * A remote API that limits, for "php -S". Its environment: STATE is a file of its own, LIMIT calls are admitted in each WINDOW
 * milliseconds of the clock (KIND=clock) or in every interval (KIND=log), a call arrives up to JITTER milliseconds late, and
 * HEADERS (ietf, legacy or none) tell what is left.
 *
 *     /limited   is limited, and refuses by 429 with Retry-After
 *     /places    is answered at most LIMIT calls at a time, and refuses by 429
 *     /fail/n/status/header=value&...   answers the first n calls so, and later ones by 200 and their own body
 *     /state     answers the numbers of all calls
 */

function state(Closure $change): mixed
{
    $file = fopen(getenv('STATE'), 'c+');
    flock($file, LOCK_EX);
    $state = json_decode(stream_get_contents($file) ?: '[]', true) + ['admitted' => 0, 'refused' => 0, 'first' => 0, 'last' => 0, 'log' => [], 'places' => 0, 'most' => 0, 'failed' => 0];
    $answer = $change($state);
    ftruncate($file, 0);
    rewind($file);
    fwrite($file, json_encode($state));

    return $answer;
}

function decide(int $limit, float $window): array
{
    return state(static function (array &$state) use ($limit, $window): array {
        $now = microtime(true);
        $begin = 'clock' === getenv('KIND') ? floor($now / $window) * $window : $now - $window;
        $state['log'] = array_values(array_filter($state['log'], static fn (float $moment): bool => $moment >= $begin));
        $isAdmitted = count($state['log']) < $limit;
        if ($isAdmitted) {
            $state['log'][] = $now;
            $state['first'] = $state['first'] ?: $now;
            $state['last'] = $now;
        }
        ++$state[$isAdmitted ? 'admitted' : 'refused'];

        return [$isAdmitted, $limit - count($state['log']), ('clock' === getenv('KIND') ? $begin : $state['log'][0]) + $window - $now];
    });
}

usleep(random_int(0, (int) getenv('JITTER') * 1000));
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
[, $action, $count, $status, $headers] = explode('/', $path) + array_fill(0, 5, '');
switch ($action) {
    case 'limited':
        [$isAdmitted, $remaining, $reset] = decide((int) getenv('LIMIT'), getenv('WINDOW') / 1000);
        $seconds = (int) ceil($reset);
        if ('ietf' === getenv('HEADERS')) {
            header('RateLimit-Policy: "default";q='.getenv('LIMIT').';w='.(int) ceil(getenv('WINDOW') / 1000));
            header("RateLimit: \"default\";r=$remaining;t=$seconds");
        } elseif ('legacy' === getenv('HEADERS')) {
            header("X-RateLimit-Remaining: $remaining");
            header('X-RateLimit-Reset: '.(time() + $seconds));
        }
        if (!$isAdmitted) {
            http_response_code(429);
            header("Retry-After: $seconds");
        }
        break;
    case 'places':
        $places = state(static function (array &$state): int {
            $state['most'] = max($state['most'], ++$state['places']);

            return $state['places'];
        });
        usleep(20_000);
        state(static function (array &$state): void {
            --$state['places'];
        });
        http_response_code($places > (int) getenv('LIMIT') ? 429 : 200);
        break;
    case 'fail':
        if (state(static fn (array &$state): int => ++$state['failed']) <= (int) $count) {
            http_response_code((int) $status);
            parse_str($headers, $pairs);
            foreach ($pairs as $name => $value) {
                header("$name: $value");
            }
            break;
        }
        echo file_get_contents('php://input') ?: 'answer';

        return;
    case 'state':
        echo json_encode(state(static fn (array &$state): array => ['log' => []] + $state));

        return;
}
echo http_response_code();
