<?php

declare(strict_types=1);

namespace FrequencyLimit;

/** A bad argument; the message begins with 非法参数. */
class InvalidArgument extends \InvalidArgumentException
{
}
