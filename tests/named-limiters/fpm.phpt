--TEST--
All workers of php-fpm take up a changed file without a reload; two pools with files of their own never mix them
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.inc'; needs_fpm(); ?>
--FILE--
<?php
require __DIR__ . '/named.inc';
require __DIR__ . '/../include/fpm.inc';

$folder = temp_folder(0755);
foreach (['one' => 5, 'two' => 50] as $pool => $limit) {
	write_limiters("$folder/$pool.ini", "[login]\na = fixed:$limit/1h\n");
}
$fpm = new Fpm([], ['one' => ['php_admin_value[ratelimit.limiters]' => "$folder/one.ini"], 'two' => ['php_value[ratelimit.limiters]' => "$folder/two.ini"]]);
$code = 'return [getmypid(), FrequencyLimit\Limiter::named("login")->limits[0]->limit];';

/** Returns the limits of the workers of a pool that answered: pid => limit. */
$limits = function (string $pool) use ($fpm, $code): array {
	$limits = [];
	for ($i = 0; $i < 30 && count($limits) < 4; $i++) {
		foreach ($fpm->together(8, "hold(5); $code", $pool) as [$pid, $limit]) {
			$limits[$pid] = $limit;
		}
	}
	return $limits;
};
$all = fn (string $pool, int $limit): bool => array_unique(array_values($limits($pool))) === [$limit];
ok($all('one', 5) && $all('two', 50), 'each pool has its own file');
ok(count($limits('one')) > 1, 'several workers');

/* A deployment: the file is replaced. Then a mistake, in all workers: one line in the log. Then another file by a link. */
write_limiters("$folder/one.ini", "[login]\na = fixed:6/1h\n");
look_again("$folder/one.ini");
ok($all('one', 6) && $all('two', 50), 'changed: ' . json_encode([$limits('one'), $limits('two')]));
write_limiters("$folder/one.ini", "[login]\na = fixed:x/1h\n");
look_again("$folder/one.ini");
ok($all('one', 6), 'a mistake');
same(1, substr_count($fpm->log(), 'ratelimit.limiters:'), 'one line in the log of all workers: ' . $fpm->log());
write_limiters("$folder/release-2.ini", "[login]\na = fixed:7/1h\n");
unlink("$folder/one.ini");
symlink("$folder/release-2.ini", "$folder/one.ini");
look_again("$folder/one.ini");
ok($all('one', 7) && $all('two', 50), 'a link to another release');
/* The count is the same for all workers and pools, whatever limit each has. */
same([true, 6], $fpm('$r = FrequencyLimit\Limiter::named("login")->consume("x"); return [$r->accepted, $r->remaining];', 'one'), 'one counts');
same([true, 48], $fpm('$r = FrequencyLimit\Limiter::named("login")->consume("x"); return [$r->accepted, $r->remaining];', 'two'), 'two counts in the same place');
$fpm->stop();

/* A worker that is made while the file has a mistake has the limiters that the master read; a mended file holds for all. */
write_limiters("$folder/all.ini", "[login]\na = fixed:8/1h\n[other]\na = fixed:1/1h\n");
$fpm = new Fpm(['ratelimit.limiters' => "$folder/all.ini"], ['one' => ['pm' => 'static', 'pm.max_children' => '1', 'pm.max_requests' => '1']]);
$seen = [];
foreach (['fixed:8/1h', 'fixed:9/1h', 'oops', null, 'fixed:7/1h'] as $limit) {
	if ($limit) {
		write_limiters("$folder/all.ini", "[login]\na = $limit\n[other]\na = fixed:1/1h\n");
		look_again("$folder/all.ini");
	}
	[$pids[], $seen[]] = $fpm($code, 'one');
}
same([8, 9, 8, 8, 7], $seen, 'by the workers that were made before and after the mistake');
same(5, count(array_unique($pids)), 'each request has a worker of its own');
eventually(fn () => str_contains($fpm->log(), '"oops" is not a limit'), 60);
same(1, substr_count($fpm->log(), '"oops" is not a limit'), 'one line: ' . $fpm->log());
$fpm->stop();

/* What the master cannot use, and what a worker may not read, is reported. */
mkdir("$folder/all.d");
foreach (["$folder/all.d" => 'it is no regular file'] + (is_root() ? ["$folder/secret.ini" => 'Permission denied'] : []) as $path => $why) {
	is_dir($path) || (write_limiters($path, "[login]\na = fixed:8/1h\n") ?? chmod($path, 0600));
	$fpm = new Fpm(['ratelimit.limiters' => $path], ['one' => []]);
	[$message, $warnings] = $fpm('try { FrequencyLimit\Limiter::named("login"); } catch (Exception $e) { } return [isset($e) ? $e->getMessage() : "", FrequencyLimit\Monitor::stats()["warnings"]];', 'one');
	ok(str_contains($message, $why), "$path: $message");
	same(["ratelimit.limiters: $path: $why"], $warnings, $path);
	ok(eventually(fn () => str_contains($fpm->log(), "$why; there are no named limiters"), 60), $fpm->log());
	$fpm->stop();
}
done();
?>
--EXPECT--
done
