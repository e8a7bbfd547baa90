<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

/** Where a question goes after an error reply. */
final class Redirect
{
    /** The reply is an answer. */
    public const NONE = 0;
    /** To the key's server, which is another one now. */
    public const MOVED = 1;
    /** To the server here, once, after ASKING. */
    public const ASK = 2;
    /** To the key's server, after a pause. */
    public const RETRY_LATER = 3;

    /** @param int $kind one of the constants */
    public function __construct(public readonly int $kind, public readonly ?Server $server = null)
    {
    }
}
