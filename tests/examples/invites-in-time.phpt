--TEST--
Around the end of a fixed window ten invitations pass within a moment; the log admits five in any twenty seconds
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/examples.inc';
use App\InviteController;
use FrequencyLimit\Clock;

$passed = function (InviteController $invites, int $times): int {
	return count(array_filter(range(1, $times), fn () => $invites->invite(7)->accepted));
};
foreach (['a window' => [false, 4, 5], 'a log' => [true, 4, 1]] as $what => [$isLog, $late, $next]) {
	Clock::freeze();
	$invites = new InviteController($isLog);
	same(1, $passed($invites, 1), "$what: the first");
	Clock::advance(19.9);
	same($late, $passed($invites, 9), "$what: at its end");
	Clock::advance(0.1);
	same($next, $passed($invites, 9), "$what: a moment later");
	same(true, $invites->forget(7), "$what: forgotten");
	same(4, $invites->peek(7)->remaining, "$what: all are back");
}
done();
?>
--EXPECT--
done
