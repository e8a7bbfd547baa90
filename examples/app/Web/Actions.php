<?php

declare(strict_types=1);

namespace App\Web;

use App\ArticleController;
use App\CommentController;
use App\ConversationController;
use App\LikeController;
use App\UploadController;
use FrequencyLimit\AccessLimit;
use FrequencyLimit\LimitExceeded;
use FrequencyLimit\Result;

/** The controllers of this folder, as buttons. */
final class Actions
{
    /** @return array<string, Action> by name, in the order of the page */
    public static function all(): array
    {
        $actions = [self::comment(), self::like(), self::upload(), self::visit(), self::conversation()];
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
                return AccessLimit::lastResult();
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
}
