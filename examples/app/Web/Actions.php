<?php

declare(strict_types=1);

namespace App\Web;

use App\ArticleController;
use App\CommentController;
use App\ConversationController;
use App\InviteController;
use App\LikeController;
use App\ReportController;
use App\SearchController;
use App\UploadController;
use FrequencyLimit\LimitExceeded;
use FrequencyLimit\Request;
use FrequencyLimit\Result;

/** The controllers of this folder, as buttons. */
final class Actions
{
    /** @return array<string, Action> by name, in the order of the page */
    public static function all(): array
    {
        $actions = [self::comment(), self::like(), self::upload(), self::visit(), self::conversation(), self::window(), self::log(),
            self::report(), self::search()];
        return array_combine(array_map(static fn (Action $action): string => $action->name, $actions), $actions);
    }

    private static function comment(): Action
    {
        $controller = new CommentController();
        $numbers = ['number' => $controller::NUMBER, 'seconds' => $controller::SECONDS];
        return new Action(
            'comment',
            $controller::NUMBER,
            $numbers,
            static fn (int $user): string => "FrequencyLimit::doHandle('comment', $user,\n    " . implode(', ', array_reverse($numbers)) . ')',
            $controller->doComment(...),
            $controller->peek(...),
            $controller->forget(...),
        );
    }

    private static function like(): Action
    {
        $controller = new LikeController();
        $numbers = ['number' => $controller::NUMBER, 'seconds' => $controller::SECONDS];
        return new Action(
            'like',
            $controller::NUMBER,
            $numbers,
            static fn (int $user): string => "FrequencyLimit::doHandle('like', $user,\n    " . implode(', ', array_reverse($numbers))
                . ", ['type' => 1, 'ttl' => " . $controller::BAN_SECONDS . '])',
            $controller->doLike(...),
            $controller->peek(...),
            $controller->forget(...),
        );
    }

    private static function upload(): Action
    {
        $controller = new UploadController();
        return new Action(
            'upload',
            intdiv($controller::NUMBER, 4),
            ['number' => $controller::NUMBER, 'places' => $controller::AT_ONCE],
            static fn (int $user): string => "FrequencyLimit::doHandle('upload', $user,\n    " . $controller::SECONDS . ', '
                . $controller::NUMBER . ", ['type' => 2,\n    'ttl' => strtotime('tomorrow')])",
            $controller->doUpload(...),
            $controller->peek(...),
            $controller->forget(...),
        );
    }

    private static function visit(): Action
    {
        $controller = new ArticleController();
        return new Action(
            'visit',
            intdiv($controller::NUMBER, 3),
            ['number' => $controller::NUMBER],
            static fn (int $user): string => '#[AccessLimit(seconds: ' . $controller::SECONDS . ', maxCount: '
                . $controller::NUMBER . ")]\npublic function show()",
            static function () use ($controller): Result {
                try {
                    $controller->show();
                } catch (LimitExceeded) {
                    // lastResult() has this refusal, as it has an accepted visit.
                }
                return Request::lastResult();
            },
            $controller->peek(...),
            $controller->forget(...),
        );
    }

    private static function conversation(): Action
    {
        $controller = new ConversationController(date_default_timezone_get());
        return new Action(
            'conversation',
            $controller::PER_HOUR,
            ['hour' => $controller::PER_HOUR, 'day' => $controller::PER_DAY],
            static fn (int $user): string => "\$limiter = new Limiter('conversation', [\n    Limit::calendar("
                . $controller::PER_HOUR . ", Period::Hour),\n    Limit::calendar(" . $controller::PER_DAY
                . ", Period::Day)]);\n\$limiter->consume($user)",
            $controller->start(...),
            $controller->peek(...),
            $controller->forget(...),
        );
    }

    private static function window(): Action
    {
        return self::invite('window', new InviteController(false), 'fixedWindow');
    }

    private static function log(): Action
    {
        return self::invite('log', new InviteController(true), 'slidingLog');
    }

    private static function invite(string $name, InviteController $controller, string $factory): Action
    {
        return new Action(
            $name,
            $controller::NUMBER,
            ['number' => $controller::NUMBER, 'seconds' => $controller::SECONDS],
            static fn (int $user): string => "\$limiter = new Limiter('invite.$name',\n    Limit::$factory(" . $controller::NUMBER . ', '
                . $controller::SECONDS . "));\n\$limiter->consume($user)",
            $controller->invite(...),
            $controller->peek(...),
            $controller->forget(...),
        );
    }

    private static function report(): Action
    {
        $controller = new ReportController();
        $seconds = (float) (getenv('DEMO_WORK_SECONDS') ?: 3);
        return new Action(
            'report',
            $controller::AT_ONCE + 1,
            ['places' => $controller::AT_ONCE, 'seconds' => (int) $seconds],
            static fn (int $user): string => "\$limiter = new Limiter('report',\n    Limit::concurrent(" . $controller::AT_ONCE . ', '
                . $controller::LONGEST . "));\n\$place = \$limiter->acquire($user)",
            static fn (int $user): bool|string => $controller->doReport($user, static fn () => usleep((int) ($seconds * 1e6))),
            $controller->peek(...),
            $controller->forget(...),
        );
    }

    private static function search(): Action
    {
        $controller = new SearchController();
        return new Action(
            'search',
            $controller::NUMBER,
            ['number' => $controller::NUMBER, 'seconds' => $controller::SECONDS, 'tried' => $controller::TRIED],
            static fn (int $user): string => "\$limiter = new Limiter('search', [\n    Limit::slidingLog(" . $controller::NUMBER . ', '
                . $controller::SECONDS . "),\n    Limit::slidingLog(" . $controller::TRIED . ', ' . $controller::SECONDS
                . ")->shadow()]);\n\$limiter->consume($user)",
            $controller->search(...),
            $controller->peek(...),
            $controller->forget(...),
        );
    }
}
