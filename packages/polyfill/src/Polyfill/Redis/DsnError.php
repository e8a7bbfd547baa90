<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

/** A text is no DSN: the message has the reason, and no password. */
final class DsnError extends \Exception
{
}
