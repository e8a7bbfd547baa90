--TEST--
A limiter with labels reads nothing of a permit that has ended (AddressSanitizer sees it)
--EXTENSIONS--
ratelimit
--FILE--
<?php
use FrequencyLimit\{Limit, Limiter};

$limiter = new Limiter('labels', [Limit::fixedWindow(10, 60)->by('a'), Limit::slidingLog(10, 60)->by('b')]);
$id = ['a' => 1, 'b' => 2];
$calls = [
	fn () => $limiter->peek($id)->remaining,
	fn () => $limiter->allow($id),
	fn () => $limiter->credit($id),
	fn () => $limiter->ban($id, 5),
	fn () => $limiter->unban($id),
	fn () => $limiter->reset($id),
];
foreach ($calls as $call) {
	$permit = $limiter->acquire($id);
	unset($permit);
	echo json_encode($call()), "\n";
}
?>
--EXPECT--
8
true
null
null
true
true
