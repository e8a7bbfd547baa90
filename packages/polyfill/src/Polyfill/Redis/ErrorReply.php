<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

use FrequencyLimit\Polyfill\Guard\StoreFailure;

/** An error that a server replied: the command was not carried out. */
final class ErrorReply extends \Exception
{
    private const WORDS = [
        'RATELIMIT_FOREIGN' => StoreFailure::WRONG_TYPE,
        'WRONGTYPE' => StoreFailure::WRONG_TYPE,
        'NOAUTH' => StoreFailure::MISCONFIGURED,
        'WRONGPASS' => StoreFailure::MISCONFIGURED,
        'NOPERM' => StoreFailure::MISCONFIGURED,
        'DENIED' => StoreFailure::MISCONFIGURED,
        'MOVED' => StoreFailure::MISCONFIGURED,
        'CROSSSLOT' => StoreFailure::MISCONFIGURED,
    ];

    /** A retry helps against none of these, anywhere in a reply that begins with ERR, or in an error that a script wraps. */
    private const PHRASES = [
        'unknown command',
        'Unknown command',
        'Unknown Redis command',
        "user executing the script can't",
        'ACL failure in script',
        'invalid password',
        'AUTH <password> called without any password',
        'Client sent AUTH',
        'DB index',
        'SELECT is not allowed',
        'cluster support disabled',
        'Error compiling script',
    ];

    /** The text without what Redis up to 6.2 and KeyDB wrap around an error inside a script. */
    private readonly string $text;

    public function __construct(private readonly string $reply)
    {
        parent::__construct($reply);
        $this->text = preg_match('/@user_script: ?\d+: -?(?:@user_script: ?\d+: -?)?(.*)/s', $reply, $found) === 1 ? $found[1] : $reply;
    }

    /** Returns whether the reply begins with this word. */
    public function is(string $word): bool
    {
        return preg_match('/^' . preg_quote($word, '/') . '( |$)/', $this->text) === 1;
    }

    /**
     * Returns the words of the reply.
     *
     * @return list<string>
     */
    public function words(): array
    {
        return explode(' ', $this->text);
    }

    /** Returns one of StoreFailure's constants. */
    public function status(): int
    {
        foreach (self::WORDS as $word => $status) {
            if ($this->is($word)) {
                return $status;
            }
        }
        if ($this->text !== $this->reply || $this->is('ERR')) {
            foreach (self::PHRASES as $phrase) {
                if (str_contains($this->text, $phrase)) {
                    return StoreFailure::MISCONFIGURED;
                }
            }
        }
        return StoreFailure::UNAVAILABLE;
    }

    /** Returns whether the server would reply so on every connection, until it has room in memory or on disk again. */
    public function isForWantOfRoom(): bool
    {
        return $this->is('OOM') || $this->is('MISCONF');
    }

    /** Returns whether a newer version of ratelimit wrote what the key holds: nothing was changed, and other keys are as ever. */
    public function isAboutANewerState(): bool
    {
        return $this->is('RATELIMIT_NEWER');
    }

    /** Returns whether the error concerns a write only. A server that is out of memory can still refuse by its counts. */
    public function isAboutAWrite(): bool
    {
        return $this->isForWantOfRoom() || $this->is('NOREPLICAS');
    }
}
