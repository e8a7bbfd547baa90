<?php

declare(strict_types=1);

namespace App\Web;

use App\ScheduledMessages;
use DateTimeImmutable;
use Exception;
use FrequencyLimit\Result;

/** The card of messages that go out at a future moment. */
final class Schedule
{
    private const INPUT = 'Y-m-d\TH:i:s'; // as a field of type datetime-local has it

    private readonly ScheduledMessages $messages;

    public function __construct(private readonly Texts $text, private readonly Visitor $visitor)
    {
        $this->messages = new ScheduledMessages(date_default_timezone_get());
    }

    /** @return array<string, mixed> */
    public function card(): array
    {
        $booked = static fn (int $at): array => ['at' => $at, 'said' => date('Y-m-d H:i:s', $at)];
        return [
            'action' => 'schedule',
            'booked' => array_map($booked, $this->visitor->booked()),
            'zone' => date_default_timezone_get(),
        ];
    }

    public function suggestion(): string
    {
        return date(self::INPUT, strtotime('tomorrow 11:11:11'));
    }

    public function code(): string
    {
        return "\$limiter = new Limiter('message', [\n    Limit::slidingLog(" . ScheduledMessages::PER_MINUTE
            . ", 60),\n    Limit::slidingLog(" . ScheduledMessages::PER_HOUR . ", 3600),\n    Limit::calendar("
            . ScheduledMessages::PER_DAY . ", Period::Day)]);\n\$limiter->reserve({$this->visitor->user}, \$moment)";
    }

    public function rule(): string
    {
        return ($this->text)('schedule.rule', ...self::numbers());
    }

    /** @return array{int, array<string, mixed>, array<string, string>} status, facts, headers */
    public function book(string $at): array
    {
        $moment = self::moment($at);
        $mistake = match (true) {
            $moment === null => 'schedule.none.given',
            $moment->getTimestamp() <= time() => 'schedule.past',
            $moment >= new DateTimeImmutable('+9 years') => 'schedule.far',
            default => null,
        };
        if ($mistake !== null) {
            return [400, ['accepted' => false, 'why' => ($this->text)($mistake)], []];
        }
        $now = microtime(true);
        $start = hrtime(true);
        $result = $this->messages->schedule($this->visitor->user, $moment);
        $facts = ['accepted' => $result->accepted, 'us' => (hrtime(true) - $start) / 1e3];
        if ($result->accepted) {
            $this->visitor->note($moment->getTimestamp());
            return [200, $facts, $result->headers()];
        }
        return [429, $facts + $this->refusal($result, $now), $result->headers()];
    }

    public function withdraw(int $at): bool
    {
        if ($at <= time() || $at > strtotime('+10 years')) {
            return false;
        }
        $this->visitor->strike($at);
        return $this->messages->withdraw($this->visitor->user, new DateTimeImmutable("@$at"));
    }

    public function forget(): void
    {
        $this->visitor->strikeAll();
        $this->messages->forget($this->visitor->user);
    }

    /** @return array<string, mixed> */
    private function refusal(Result $result, float $now): array
    {
        $why = ['why' => ($this->text)("schedule.refused.$result->name", ...self::numbers())];
        if ($result->retryAfter === null) {
            return $why;
        }
        // All bookings here are whole seconds, and so are the moments between them; the two clocks may differ slightly.
        $next = (int) round($now + $result->retryAfter);
        return $why + [
            'next' => date(self::INPUT, $next),
            'nextSaid' => ($this->text)('schedule.next', at: date('Y-m-d H:i:s', $next)),
        ];
    }

    /** Returns null if the text is no moment. */
    private static function moment(string $at): ?DateTimeImmutable
    {
        if (!preg_match('/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?$/D', $at)) {
            return null;
        }
        try {
            $moment = new DateTimeImmutable($at);
        } catch (Exception) {
            return null;
        }
        // PHP makes another day of an invalid one such as the 31st of February.
        if (!str_starts_with($moment->format('Y-m-d\TH:i'), strtr(substr($at, 0, 16), ' ', 'T'))) {
            return null;
        }
        return $moment;
    }

    /** @return array<string, int> */
    private static function numbers(): array
    {
        return [
            'minute' => ScheduledMessages::PER_MINUTE,
            'hour' => ScheduledMessages::PER_HOUR,
            'day' => ScheduledMessages::PER_DAY,
        ];
    }
}
