<?php

declare(strict_types=1);

namespace FrequencyLimit;

/** The store is unavailable, or a key has a value that ratelimit did not write. */
class StoreException extends \RuntimeException
{
}
