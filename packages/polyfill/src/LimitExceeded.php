<?php

declare(strict_types=1);

namespace FrequencyLimit;

use FrequencyLimit\Polyfill\Access;
use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\NotSerializable;

/**
 * Thrown by Result::ensureAccepted(). Its code is 429. Its message is for developers: it has the names of the limiter and the
 * limit, and an identity that is an int.
 */
final class LimitExceeded extends \RuntimeException
{
    use NotSerializable;

    public readonly Result $result;

    /**
     * @param Result      $result  a refused one
     * @param string|null $message null: one that describes the refusal
     * @throws InvalidArgument if $result was accepted
     */
    public function __construct(Result $result, ?string $message = null)
    {
        if ($result->accepted) {
            throw Argument::invalid('$result must be a refused Result, an accepted one given');
        }
        $this->result = $result;
        parent::__construct($message ?? Access::decision($result)->refusalMessage(), 429);
    }

    public function __toString(): string
    {
        return parent::__toString();
    }
}
