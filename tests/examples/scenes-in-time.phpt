--TEST--
The three scenes end on time: a window after 30 seconds, one ban after an hour, another at midnight
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
date.timezone=Asia/Shanghai
--FILE--
<?php
require __DIR__ . '/examples.inc';

use App\CommentController;
use App\LikeController;
use App\UploadController;
use FrequencyLimit\Clock;

not_before_midnight();
$start = time();
$midnight = strtotime('tomorrow');
$comment = fn () => (new CommentController())->doComment(7);
$like = fn () => (new LikeController())->doLike(7);
$upload = fn () => (new UploadController())->doUpload(7);

foreach ([[$comment, 30, 10], [$like, 3600, 10], [$upload, $midnight - $start, 100]] as [$act, $seconds, $number]) {
	Clock::freeze($start);
	same($number, until_refused($act, 200)[0], 'before the refusal');
	Clock::advance($seconds - 0.001);
	ok($act() !== true, "a millisecond before $seconds seconds are over");
	Clock::advance(0.001);
	same(true, $act(), "after $seconds seconds");
}

done();
?>
--EXPECT--
done
