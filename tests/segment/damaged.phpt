--TEST--
A truncated, extended or overwritten segment file never crashes PHP
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';
$file = temp_folder() . '/segment';
$ini = ['ratelimit.shm_path' => $file, 'ratelimit.shm_size' => '1M'];
$call = 'for ($i = 1; $i < 300; $i++) { FrequencyLimit::doHandle("a", $i, 3600, 3); FrequencyLimit::isActionAllowed($i, "a", 60, 20); } FrequencyLimit\Monitor::stats(); echo "alive";';
$alive = function (string $what) use ($call, $ini) {
	[$exit, $output] = run_php($call, $ini);
	ok($exit === 0 && str_ends_with($output, 'alive'), "$what: $exit: $output");
};

$alive('fresh');
$whole = file_get_contents($file);
$put = function (string $content) use ($file) {
	@unlink($file);
	file_put_contents($file, $content);
	chmod($file, 0600);
};
foreach ([0, 1, 63, 64, 4095, 4096, 65536, strlen($whole) - 1] as $length) {
	$put(substr($whole, 0, $length));
	$alive("truncated to $length");
}
$put($whole . str_repeat("\0", 4096));
$alive('extended');

/* The header, word by word: magic, version, geometry, whatever they may be. */
for ($word = 0; $word < 16; $word++) {
	$damaged = $whole;
	for ($byte = 0; $byte < 8; $byte++) {
		$damaged[$word * 8 + $byte] = chr(ord($damaged[$word * 8 + $byte]) ^ 0xff);
	}
	$put($damaged);
	$alive("header word $word inverted");
}

/* The rest: a valid header over noise and over ones. */
mt_srand(20260601);
foreach (['noise' => fn () => chr(mt_rand(0, 255)), 'ones' => fn () => "\xff"] as $what => $byte) {
	$damaged = $whole;
	for ($i = 4096; $i < strlen($whole); $i++) {
		$damaged[$i] = $byte();
	}
	$put($damaged);
	$alive($what);
}
for ($round = 0; $round < 10; $round++) {
	$damaged = $whole;
	for ($i = 0; $i < 20000; $i++) {
		$damaged[mt_rand(4096, strlen($whole) - 1)] = chr(mt_rand(0, 255));
	}
	$put($damaged);
	$alive("scribbled over, round $round");
}
done();
?>
--EXPECT--
done
