<?php
declare(strict_types=1);

namespace FrequencyLimit\PHPUnit;

use FrequencyLimit\Clock;
use PHPUnit\Event\Test\Finished;
use PHPUnit\Event\Test\FinishedSubscriber;

/** After tearDown(): lets the clock run. @internal */
final class EndTest implements FinishedSubscriber
{
    public function notify(Finished $event): void
    {
        Clock::unfreeze();
    }
}
