--TEST--
A worker killed after any instruction of a permit's life blocks no worker, and loses no place and no other permits
--EXTENSIONS--
ratelimit
pcntl
posix
--SKIPIF--
<?php
require __DIR__ . '/../include/stepper.inc';
needs_stepper();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/stepper.inc';
foreach (['places', 'places-emptied', 'settled-window', 'cancelled-log', 'cancelled-bucket', 'cancelled-sliding-window'] as $scenario) {
	check_sweep($scenario, 'kill');
	check_sweep($scenario, 'hold');
}
foreach (['places-first', 'places-again', 'places-dead', 'places-full', 'places-released', 'places-renewed', 'acquired-window'] as $scenario) {
	check_sweep($scenario, 'kill');
}
check_sweep('places', 'twice');
done();
?>
--EXPECT--
done
