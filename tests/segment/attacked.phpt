--TEST--
A hostile writer of the segment file crashes and hangs neither PHP nor bin/ratelimit
--EXTENSIONS--
ratelimit
pcntl
posix
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../tools/attack.inc';
$rounds = 0;
[$runs, $by_file, $commands, $wrong] = attack(temp_folder() . '/segment', function () use (&$rounds) {
	return $rounds++ === count(ATTACK_COMMANDS);
}, 7);
same([], $wrong, 'what went wrong');
ok($by_file > 0, "victims that counted in the file to the end: $by_file of $runs");
done();
?>
--EXPECT--
done
