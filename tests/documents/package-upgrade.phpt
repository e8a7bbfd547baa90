--TEST--
An upgrade of the Debian package moves a segment file of another layout aside, and leaves all other files
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/readme.inc';

$folder = temp_folder();
mkdir("$folder/php/8.2/fpm/conf.d", 0777, true);
$segment = "$folder/now";
[$exit, $said] = run_php('FrequencyLimit::doHandle("like", 1, 60, 5);', ['ratelimit.shm_path' => $segment]);
same([0, ''], [$exit, $said], 'a segment of this layout');
$now = file_get_contents($segment, length: 4096);
file_put_contents("$folder/other", $other = substr_replace($now, pack('P', unpack('P', $now, 8)[1] - 1), 8, 8));
file_put_contents("$folder/text", 'A text of another program.');
file_put_contents("$folder/php/8.2/fpm/conf.d/80-ratelimit.ini", "; ratelimit.shm_path=$folder/unset\nratelimit.shm_path = \"$folder/now\"\n");
file_put_contents("$folder/php/8.2/fpm/pool.conf", "php_admin_value[ratelimit.shm_path] = $folder/other ; a comment\nphp_value[ratelimit.shm_path]=$folder/text\n"
	. "php_value[ratelimit.shm_path]=$folder/missing\n");
file_put_contents("$folder/unset", $other);

/* As the package's rules fill it in. */
ok((bool) preg_match('/^number = .*$/m', readme('packaging/debian/rules'), $rule), 'the rule');
file_put_contents("$folder/Makefile", "$rule[0]\nall:\n\t@echo \$(call number,RL_SEGMENT_MAGIC) \$(call number,RL_SEGMENT_LAYOUT)\n");
[, $numbers] = run_command(['make', '-s', '-C', ROOT, '-f', "$folder/Makefile"]);
[$magic, $layout] = explode(' ', trim($numbers));
same([unpack('P', $now)[1], unpack('P', $now, 8)[1]], [hexdec($magic), hexdec($layout)], 'the numbers are those of the segment');
file_put_contents("$folder/postinst", strtr(readme('packaging/debian/php-ratelimit.postinst'), ['#MAGIC#' => $magic, '#LAYOUT#' => $layout, '/etc/php' => "$folder/php"]));

[$exit, $said] = run_command(['sh', "$folder/postinst", 'configure', '']);
same([0, '', true], [$exit, $said, is_file("$folder/other")], 'a first installation moves nothing');
[$exit, $said] = run_command(['sh', "$folder/postinst", 'configure', '0.1.0']);
same([0, ''], [$exit, $said], 'an upgrade');
clearstatcache();
same([false, $other], [is_file("$folder/other"), file_get_contents("$folder/other.old")], 'the file of another layout');
foreach (['now', 'text', 'unset'] as $kept) {
	same([true, false], [is_file("$folder/$kept"), is_file("$folder/$kept.old")], $kept);
}
done();
?>
--EXPECT--
done
