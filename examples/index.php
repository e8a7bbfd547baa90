<?php

/*
 * The examples as a small web application:
 *
 *     php -S 127.0.0.1:8080 examples/index.php
 *     curl -i '127.0.0.1:8080/comment?user=7'
 */

declare(strict_types=1);

use App\ApiController;
use App\CommentController;
use App\ConversationController;
use App\LikeController;
use App\PageController;
use App\ReplyController;
use App\ScheduledMessages;
use App\UploadController;
use FrequencyLimit\Result;
use FrequencyLimit\StoreException;

require_once __DIR__ . '/autoload.php';

const ROUTES = <<<'TEXT'
    /comment?user=7        10 in 30 seconds
    /like?user=7           10 in 10 seconds, then banned for an hour
    /upload?user=7         100 a day, then refused until midnight
    /page?user=7           100 a minute, by a counter
    /page/exact?user=7     100 in any 60 seconds
    /reply?user=laoqian    5 in any 60 seconds
    /conversation?user=7   10 an hour and 30 a day, by the clock of Shanghai
    /schedule?user=7&at=tomorrow+11:11:11
                           1 in any minute, 5 in any hour, 10 a day; for a moment to come
    /withdraw?user=7&at=tomorrow+11:11:11
    /api                   10 a second for each address
    /stats                 what this machine's workers decided

    TEXT;

/** What the article's controllers return: true, or what to tell the user. */
function told(bool|string $answer): array
{
    if ($answer === true) {
        return [200, ['ok' => true]];
    }
    $status = str_starts_with($answer, '非法参数') ? 400 : 429;
    return [$status, ['ok' => false, 'message' => $answer]];
}

/** A decision with all its facts. */
function decided(Result $result): array
{
    foreach ($result->headers() as $name => $value) {
        header("$name: $value");
    }
    return [$result->accepted ? 200 : 429, [
        'ok' => $result->accepted,
        'reason' => $result->reason->value,
        'limit' => $result->limit,
        'remaining' => $result->remaining,
        'retryAfter' => $result->retryAfter,
        'resetAfter' => $result->resetAfter,
        'name' => $result->name,
        'store' => $result->store,
    ]];
}

function reply(string $user): array
{
    try {
        (new ReplyController())->doReply($user);
        return [200, ['ok' => true]];
    } catch (App\ActionThresholdOverflow $e) {
        return [429, ['ok' => false, 'message' => $e->getMessage()]];
    }
}

function query(string $name): string
{
    $value = $_GET[$name] ?? '';
    return is_string($value) ? $value : '';
}

function moment(): DateTimeImmutable
{
    try {
        return new DateTimeImmutable(query('at'));
    } catch (Exception) {
        throw new InvalidArgumentException('at: not a moment, such as "tomorrow 11:11:11"');
    }
}

/** @return array{int, array<string, mixed>}|null null: no such page */
function dispatch(string $path): ?array
{
    $user = query('user');
    $userId = (int) $user;

    return match ($path) {
        '/comment' => told((new CommentController())->doComment($userId)),
        '/like' => told((new LikeController())->doLike($userId)),
        '/upload' => told((new UploadController())->doUpload($userId)),
        '/page' => decided((new PageController())->visit($userId)),
        '/page/exact' => decided((new PageController())->visitExactly($userId)),
        '/reply' => reply($user),
        '/conversation' => decided((new ConversationController())->start($userId)),
        '/schedule' => decided((new ScheduledMessages())->schedule($user, moment())),
        '/withdraw' => [200, ['ok' => (new ScheduledMessages())->withdraw($user, moment())]],
        '/api' => decided((new ApiController())->call($_SERVER['REMOTE_ADDR'])),
        '/stats' => [200, FrequencyLimit::stats()],
        default => null,
    };
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);

try {
    $page = dispatch((string) $path);
} catch (InvalidArgumentException $e) {
    $page = [400, ['ok' => false, 'message' => $e->getMessage()]];
} catch (StoreException $e) {
    $page = [503, ['ok' => false, 'message' => $e->getMessage()]];
}

if ($page === null) {
    http_response_code($path === '/' ? 200 : 404);
    header('Content-Type: text/plain; charset=utf-8');
    echo ROUTES;
    return;
}

[$status, $body] = $page;
http_response_code($status);
header('Content-Type: application/json; charset=utf-8');
echo json_encode($body, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRETTY_PRINT), "\n";
