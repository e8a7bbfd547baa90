<?php

/*
 * Plays the three scenes through the real controllers and prints the results, on the store that ratelimit.store
 * names. On the embedded store, and with ratelimit.testing=1, it then moves the clock to the end of each refusal.
 *
 *     php -d ratelimit.testing=1 examples/scenes.php
 */

declare(strict_types=1);

use App\CommentController;
use App\LikeController;
use App\UploadController;
use FrequencyLimit\Clock;
use FrequencyLimit\Reason;
use FrequencyLimit\Result;

require_once __DIR__ . '/autoload.php';
require_once __DIR__ . '/table.php';

const USER = 7;

/** One scene: what a user does, how often, and the limit whose facts are shown. */
final class Scene
{
    public int $allowed = 0;
    public int $refused = 0;
    public string $message = '';
    public Result $facts;

    /**
     * @param Closure(): (bool|string) $act
     * @param Closure(): Result $look
     */
    public function __construct(
        public readonly string $title,
        public readonly string $action,
        public readonly Closure $act,
        private readonly Closure $look,
    ) {
    }

    public function play(int $calls): void
    {
        for ($i = 0; $i < $calls; $i++) {
            $answer = ($this->act)();
            if ($answer === true) {
                $this->allowed++;
            } else {
                $this->refused++;
                $this->message = $answer;
            }
        }
        $this->facts = ($this->look)();
    }

    /** @return array{string, string} for how long, and until when */
    public function refusal(float $start): array
    {
        $seconds = $this->facts->retryAfter;
        $what = $this->facts->reason === Reason::Banned ? 'banned ' : '';
        return [$what . duration($seconds), date('H:i:s', (int) round($start + $seconds))];
    }
}

/** @return list<Scene> */
function scenes(): array
{
    $comments = new CommentController();
    $likes = new LikeController();
    $uploads = new UploadController();
    return [
        new Scene('10 comments in 30 s', 'comment', fn () => $comments->doComment(USER), fn () => $comments->peek(USER)),
        new Scene('10 likes in 10 s', 'like', fn () => $likes->doLike(USER), fn () => $likes->peek(USER)),
        new Scene('100 uploads a day', 'upload', fn () => $uploads->doUpload(USER), fn () => $uploads->peek(USER)),
    ];
}

function duration(float $seconds): string
{
    $s = (int) round($seconds);
    $parts = ['h' => intdiv($s, 3600), 'min' => intdiv($s % 3600, 60), 's' => $s % 60];
    $parts = array_filter($parts);
    return implode(' ', array_map(static fn (string $unit, int $n): string => "$n $unit", array_keys($parts), $parts));
}

/** Eight processes ask at the same time for what 100 calls may have. @return array{int, int} allowed, calls */
function allAtOnce(): array
{
    $workers = [];
    for ($w = 0; $w < 8; $w++) {
        $pid = pcntl_fork();
        if ($pid === 0) {
            $allowed = 0;
            for ($i = 0; $i < 50; $i++) {
                $allowed += (int) FrequencyLimit::doHandle('at-once', USER, 60, 100);
            }
            exit($allowed);
        }
        $workers[] = $pid;
    }
    $allowed = 0;
    foreach ($workers as $pid) {
        pcntl_waitpid($pid, $status);
        $allowed += pcntl_wexitstatus($status);
    }
    return [$allowed, 8 * 50];
}

/**
 * Moves the frozen clock to the last millisecond of each refusal, and on to its end.
 *
 * @param list<Scene> $scenes
 */
function moveOn(array $scenes, int $start): void
{
    $moments = [];
    foreach ($scenes as $scene) {
        $end = (int) round($scene->facts->retryAfter * 1000);
        $moments[] = [$end - 1, $scene];
        $moments[] = [$end, $scene];
    }
    // Scene 2's window would have been over after its 10 seconds: but the ban is not.
    $moments[] = [10_000, $scenes[1]];
    usort($moments, static fn (array $a, array $b): int => $a[0] <=> $b[0]);

    $rows = [];
    $now = 0;
    foreach ($moments as [$at, $scene]) {
        Clock::advance(($at - $now) / 1000);
        $now = $at;
        $later = number_format($at / 1000, 3, '.', ' ');
        $answer = ($scene->act)();
        $rows[] = [
            str_pad($later, 10, ' ', STR_PAD_LEFT) . ' s',
            date('H:i:s', $start + intdiv($at, 1000)) . sprintf('.%03d', $at % 1000),
            $scene->action,
            $answer === true ? 'allowed' : "refused: $answer",
        ];
    }
    echo "  One more call of each, later:\n\n";
    table(['after', 'at', 'call', 'answer'], $rows);
}

$frozen = ini_get('ratelimit.store') === 'shm:' && ini_get('ratelimit.testing');
$start = microtime(true);
if ($frozen) {
    $start = floor($start);
    Clock::freeze($start);
}
$scenes = scenes();

$rows = [];
foreach ($scenes as $i => $scene) {
    $scene->play([12, 12, 103][$i]);
    $rows[] = [
        $scene->title, $scene->allowed + $scene->refused, $scene->allowed, $scene->refused, $scene->message,
        ...$scene->refusal($start),
    ];
}
if (function_exists('pcntl_fork')) {
    [$allowed, $calls] = allAtOnce();
    $rows[] = ['8 workers, 100 in 60 s', $calls, $allowed, $calls - $allowed, '', '', ''];
}
table(['scene', 'calls', 'allowed', 'refused', 'what the user is told', 'for', 'until'], $rows);

if ($frozen) {
    echo "\n";
    moveOn($scenes, (int) $start);
}
