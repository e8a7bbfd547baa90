<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\Outcome;
use FrequencyLimit\Polyfill\Monitor\History;

/** The numbers of FrequencyLimit::stats(), of this process. */
final class Statistics
{
    public static int $decisions = 0;
    public static int $refusals = 0;
    public static int $bans = 0;
    public static int $evictions = 0;
    public static int $errors = 0;
    public static int $redisDecisions = 0;
    public static int $redisRefusals = 0;
    public static int $redisErrors = 0;
    public static int $redisBans = 0;
    public static int $fallbacks = 0;

    /** Counts a decision of the memory. */
    public static function decided(Answer $answer, bool $peek): void
    {
        if ($peek) {
            return;
        }
        History::note();
        self::$decisions++;
        if (!$answer->accepted) {
            self::$refusals++;
            self::$bans += $answer->outcome === Outcome::BANNED && $answer->found ? 1 : 0;
        }
    }

    /** Counts a decision of Redis. */
    public static function redisDecided(Answer $answer, bool $peek): void
    {
        History::note();
        self::$redisDecisions++;
        self::$redisRefusals += $answer->accepted || $peek ? 0 : 1;
    }

    /** @return array{decisions: int, refused: int, banned: int, fallback: int, errors: int} the totals of the history */
    public static function totals(): array
    {
        return [
            'decisions' => self::$decisions + self::$redisDecisions,
            'refused' => self::$refusals + self::$redisRefusals,
            'banned' => self::$bans + self::$redisBans,
            'fallback' => self::$fallbacks,
            'errors' => self::$errors + self::$redisErrors,
        ];
    }
}
