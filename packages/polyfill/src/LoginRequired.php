<?php

declare(strict_types=1);

namespace FrequencyLimit;

/** Thrown by #[AccessLimit(needLogin: true)] when no user is logged in: by the extension, not by this package. */
final class LoginRequired extends \RuntimeException
{
    public function __toString(): string
    {
        return parent::__toString();
    }
}
