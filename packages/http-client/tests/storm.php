<?php

declare(strict_types=1);

/*
 * Processes that ask a limited remote API as fast as they may: storm.php [client [calls [limit [window [kind [headers [jitter]]]]]]].
 * The whole one is "storm.php guzzle 10000 160 2000 log ietf". Prints its figures as JSON: calls by their last status, the remote's
 * refusals, and the share of the remote's limit that was used, in percent.
 */

use FrequencyLimit\Limit;
use GuzzleHttp\Client;
use GuzzleHttp\HandlerStack;
use GuzzleHttp\Psr7\Request;
use Ratelimit\HttpClient\GuzzleMiddleware;
use Ratelimit\HttpClient\Psr18Client;
use Ratelimit\HttpClient\RemoteLimit;
use Ratelimit\HttpClient\SymfonyClient;
use Ratelimit\HttpClient\Tests\Remote;
use Symfony\Component\HttpClient\HttpClient;

require dirname(__DIR__).'/vendor/autoload.php';

const PROCESSES = 8;

[, $client, $calls, $limit, $window, $kind, $headers, $jitter] = $argv + [1 => 'psr18', 400, 100, 1000, 'log', 'none', 50];
$remote = new Remote((int) $limit, (int) $window, $kind, (int) $jitter, $headers);
$limits = new RemoteLimit('storm', Limit::slidingLog((int) $limit, $window / 1000), maxWait: 600, attempts: 10);
$calls = intdiv((int) $calls, PROCESSES);

for ($i = 0; $i < PROCESSES; ++$i) {
    [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    if (0 === pcntl_fork()) {
        $options = ['http_errors' => false];
        $guzzle = new Client($options);
        if ('guzzle' === $client) {
            $stack = HandlerStack::create();
            $stack->push(new GuzzleMiddleware($limits));
            $guzzle = new Client($options + ['handler' => $stack]);
        }
        $psr18 = new Psr18Client($guzzle, $limits);
        $symfony = new SymfonyClient(HttpClient::create(), $limits);
        $statuses = [];
        for ($j = 0; $j < $calls; ++$j) {
            $statuses[] = match ($client) {
                'psr18' => $psr18->sendRequest(new Request('GET', "$remote->url/limited"))->getStatusCode(),
                'guzzle' => $guzzle->get("$remote->url/limited")->getStatusCode(),
                'symfony' => $symfony->request('GET', "$remote->url/limited")->getStatusCode(),
            };
        }
        fwrite($theirs, json_encode(array_count_values($statuses)));
        posix_kill(posix_getpid(), SIGKILL);
    }
    fclose($theirs);
    stream_set_timeout($ours, 3600);
    $answers[] = $ours;
}
$statuses = [];
foreach ($answers as $answer) {
    foreach (json_decode(stream_get_contents($answer), true) ?? [] as $status => $count) {
        $statuses[$status] = ($statuses[$status] ?? 0) + $count;
    }
}
$state = $remote->state();
$seconds = $state['last'] - $state['first'];
echo json_encode([
    'statuses' => $statuses, 'admitted' => $state['admitted'], 'refused' => $state['refused'], 'seconds' => round($seconds, 1),
    // The first window's calls came at once.
    'used' => round(100 * ($state['admitted'] - $limit) / max(1, $limit) / ($seconds * 1000 / $window), 1),
]), "\n";
