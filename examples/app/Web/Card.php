<?php

declare(strict_types=1);

namespace App\Web;

use FrequencyLimit\Reason;
use FrequencyLimit\Result;

/** The card of an action and a user: the page prints it, and the API sends it. */
final class Card
{
    public function __construct(private readonly Texts $text, private readonly int $user)
    {
    }

    /** @return array<string, mixed> */
    public function of(Action $action): array
    {
        $look = $action->peek($this->user);
        return ['action' => $action->name] + $this->facts($look) + ['others' => $this->others($action)];
    }

    /** Returns the reason for a refusal, in the visitor's language. */
    public function why(Action $action, Answer $answer): ?string
    {
        if ($answer->accepted) {
            return null;
        }
        if ($answer->facts->reason === Reason::StoreUnavailable) {
            return ($this->text)('unavailable');
        }
        if ($answer->told !== null) {
            return ($this->text)($answer->told);
        }
        $byLimit = "$action->name.refused.{$answer->facts->name}";
        return ($this->text)($this->text->has($byLimit) ? $byLimit : "$action->name.refused", ...$action->numbers);
    }

    /** Returns what a shadow limit would have refused, in the visitor's language. */
    public function note(Action $action, Answer $answer): ?string
    {
        return $answer->accepted && $answer->facts->shadow !== null ? ($this->text)("$action->name.shadow", ...$action->numbers) : null;
    }

    /** @return array<string, mixed> state, left, limit and seconds; said and when put them into words */
    private function facts(Result $look): array
    {
        $left = self::left($look);
        $state = $look->accepted ? 'open' : ($look->reason === Reason::Banned ? 'banned' : 'limited');
        $seconds = $look->accepted ? ($left < $look->limit ? $look->resetAfter : null) : $look->retryAfter;
        $said = ($this->text)($look->name === null ? 'left' : "left.$look->name", limit: $look->limit);
        return [
            'state' => $state,
            'left' => $left,
            'limit' => $look->limit,
            'seconds' => $seconds,
            'said' => $said,
            'when' => ($this->text)($seconds === null ? 'when.whole' : "when.$state"),
        ];
    }

    /** Returns the permits that are left: peek() has one less, as after the next call. */
    private static function left(Result $look): int
    {
        return $look->accepted ? min($look->remaining + 1, $look->limit) : 0;
    }

    private function others(Action $action): string
    {
        $said = [];
        foreach (array_diff(Visitor::USERS, [$this->user]) as $user) {
            $look = $action->peek($user);
            $said[] = $look->reason === Reason::Banned
                ? ($this->text)('other.banned', user: $user)
                : ($this->text)('other', user: $user, left: self::left($look), limit: $look->limit);
        }
        return implode(' · ', $said);
    }
}
