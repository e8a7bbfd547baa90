<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

/** A connection to one server, by a client library. */
interface Connection
{
    /**
     * Sends commands at once, and returns their replies: strings, integers, lists, null.
     *
     * @param non-empty-list<list<string>> $commands
     * @return list<mixed> ErrorReply where the server replied an error
     * @throws ConnectionLost
     */
    public function send(array $commands): array;
}
