<?php
/* The attack by PHP (attack.inc) for a time: attack.php SECONDS [SEED]. Prints one line; exits with 1 when a process was
 * killed, hung or reported an error that is not ratelimit's. */

require __DIR__ . '/attack.inc';

$until = stopwatch() + (float) ($argv[1] ?? 60);
$seed = (int) ($argv[2] ?? random_int(1, 1 << 30));
[$runs, $by_file, $commands, $wrong] = attack(temp_folder() . '/segment', fn () => stopwatch() > $until, $seed);
printf("seed %d: %d victims of 3,000 calls, %d of them by the file to the end, %d commands: %s\n", $seed, $runs, $by_file, $commands,
	$wrong ? 'HARMED' : 'unharmed');
fwrite(STDERR, implode("\n", $wrong));
exit($wrong || $by_file === 0 ? 1 : 0);
