<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

/** There is no connection, or none any more. */
final class ConnectionLost extends \Exception
{
    /** @param bool $sent the server may have got a command */
    public function __construct(string $message, public readonly bool $sent)
    {
        parent::__construct($message);
    }
}
