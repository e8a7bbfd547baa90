<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Guard;

/** A store has no answer to a question. */
final class StoreFailure extends \Exception
{
    /** The store did not get the question, or its outcome is unknown: the failure policy decides. */
    public const UNAVAILABLE = 2;
    /** The key holds a value that ratelimit did not write: nothing was changed. */
    public const WRONG_TYPE = 3;
    /** Wrong credentials, missing rights, a server that is too old: a second try does not help. */
    public const MISCONFIGURED = 4;

    /**
     * @param int  $status       one of the constants
     * @param bool $questionOnly the server works, and refuses this question; it may answer another one
     */
    public function __construct(string $message, public readonly int $status, public readonly bool $questionOnly = false)
    {
        parent::__construct($message);
    }
}
