<?php
declare(strict_types=1);

namespace FrequencyLimit\PHPUnit;

use FrequencyLimit\Clock;
use FrequencyLimit\FrequencyLimit;
use PHPUnit\Event\Test\PreparationStarted;
use PHPUnit\Event\Test\PreparationStartedSubscriber;

/** Before setUp(): empties the segment and freezes the clock. @internal */
final class BeginTest implements PreparationStartedSubscriber
{
    public function __construct(private ?\DateTimeImmutable $at)
    {
    }

    public function notify(PreparationStarted $event): void
    {
        Clock::unfreeze();
        FrequencyLimit::flush();
        Clock::freeze();
        if ($this->at) {
            Clock::travelTo($this->at);
        }
    }
}
