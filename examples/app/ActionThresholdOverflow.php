<?php

declare(strict_types=1);

namespace App;

final class ActionThresholdOverflow extends \RuntimeException
{
}
