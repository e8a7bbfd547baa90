<?php
/** The response of all endpoints: ten comments, or a refusal. */

function comments(): void
{
    $comments = [];
    for ($i = 1; $i <= 10; ++$i) {
        $comments[] = ['id' => $i, 'by' => "user $i", 'text' => htmlspecialchars("Comment <$i> of this page"), 'at' => date('c', 1_700_000_000 + $i)];
    }
    header('Content-Type: application/json');
    echo json_encode(['comments' => $comments]);
}

function too_often(int $retryAfter): void
{
    http_response_code(429);
    header("Retry-After: $retryAfter");
    header('Content-Type: application/json');
    echo json_encode(['message' => 'Too Many Requests']);
}
