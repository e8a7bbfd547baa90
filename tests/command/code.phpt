--TEST--
bin/ratelimit check PATH finds attributes without their import or their limiter, and runs none of the code
--EXTENSIONS--
ratelimit
tokenizer
--FILE--
<?php
require __DIR__ . '/command.inc';

$folder = temp_folder(0755);
$write = function (string $file, string $code) use ($folder): void {
	@mkdir(dirname("$folder/$file"), 0755, true);
	file_put_contents("$folder/$file", "<?php\n$code");
};
/** Returns the exit status, and what is reported: "file:line attribute class". */
$check = function (string ...$paths) use ($folder): array {
	[$exit, $out, $errors] = ratelimit(['check', ...array_map(fn ($path) => "$folder/$path", $paths)]);
	same(1, preg_match('/^[1-9]\d* PHP files read\n\z/', $out), $out);
	preg_match_all('~^ratelimit: ' . preg_quote($folder) . '/(\S+): #\[(\w+)\] limits nothing here: it means the class (\S+), which does not exist\. Add "use FrequencyLimit\\\\\2;"\n~m',
		$errors, $found, PREG_SET_ORDER);
	same(strlen($errors), array_sum(array_map(fn ($one) => strlen($one[0]), $found)), $errors);
	return [$exit, array_map(fn ($one) => "$one[1] $one[2] $one[3]", $found)];
};

$write('src/right.php', 'namespace App;
	use FrequencyLimit\{Limit, AccessLimit as AL};
	use FrequencyLimit as F;
	use Other\{function AccessLimit as x, Y};
	use Vendor\Own\ConcurrencyLimit;
	echo "run";
	class C { use T;
		#[AL(60, 1), F\ConcurrencyLimit(1, 1)] function a() { return function () use ($x) { return "{$x} ${y}"; }; }
		#[\FrequencyLimit\AccessLimit(60)] #[Other([1, 2], AccessLimit::class)] function b() {}
		#[Mine\AccessLimit, namespace\Mine\AccessLimit, ConcurrencyLimit] function c() {} }');
$write('src/mine.php', 'namespace App\Mine { interface AccessLimit {} } namespace { use FrequencyLimit\AccessLimit; #[AccessLimit(1)] fn () => 1; }');
$write('vendor/composer/autoload_psr4.php', 'return ["Vendor\\\\" => [__DIR__ . "/../code"]];');
$write('vendor/code/Own/ConcurrencyLimit.php', '');
$write('vendor/code/wrong.php', '#[AccessLimit] function f() {}');
same([0, []], $check('src'), 'nothing is missing');

$write('wrong/wrong.php', 'namespace App;
	use FrequencyLimit\AccessLimt as AccessLimit;
	use function FrequencyLimit\ConcurrencyLimit;
	#[AccessLimit] function a() {}
	class C {
		#[Other(1, new #[X] class { }),
			ConcurrencyLimit(1, 1)] function b() {}
		#[FrequencyLimit\AccessLimit(1)] public int $c;
		#[accessLIMIT] const D = 1; }');
$write('wrong/global.php', '#[AccessLimit] fn () => 1; namespace { }');
same([1, ['wrong/global.php:2 AccessLimit AccessLimit', 'wrong/wrong.php:5 AccessLimit FrequencyLimit\AccessLimt', 'wrong/wrong.php:8 ConcurrencyLimit App\ConcurrencyLimit',
	'wrong/wrong.php:9 AccessLimit App\FrequencyLimit\AccessLimit', 'wrong/wrong.php:10 AccessLimit FrequencyLimit\AccessLimt']], $check('wrong'), 'what is missing');
same([1, ['wrong/global.php:2 AccessLimit AccessLimit']], $check('src/right.php', 'src/mine.php', 'wrong/global.php'), 'files');
same(5, count($check('')[1]), 'all but vendor');

/* Limiters that are nowhere. */
$write('named/code.php', 'use FrequencyLimit\{RateLimit, Limiter, Limit};
#[RateLimit("file")] function a() {}
#[RateLimit(cost: ["x" => 1], name: \'no\')] function b() {}
#[Other, RateLimit("made", 2)] class C { function f() { new Limiter("made", Limit::none()); } }
#[RateLimit(NAME), RateLimit("a" . "b")] function d() {}
#[RateLimit] function e() {}');
file_put_contents("$folder/limiters.ini", "[file]\na = fixed:1/1m\n");
$names = function (string ...$paths) use ($folder): array {
	[$exit, , $errors] = ratelimit(['check', ...array_map(fn ($path) => "$folder/$path", $paths)], ['ratelimit.limiters' => "$folder/limiters.ini"]);
	preg_match_all('~^ratelimit: ' . preg_quote($folder) . '/(\S+): #\[RateLimit\]: there is no limiter "(\w+)",~m', $errors, $found, PREG_SET_ORDER);
	return [$exit, array_map(fn ($one) => "$one[1] $one[2]", $found)];
};
same([1, ['named/code.php:4 no', 'named/code.php:5 made']], $names('named'), 'names that are nowhere');
$write('named/defines.php', '\FrequencyLimit\Limiter::define($limiter);');
same([1, ['named/code.php:4 no']], $names('named'), 'one that the code may define');

[$exit, $out, $errors] = ratelimit(['check', "$folder/nowhere"]);
same([2, ''], [$exit, $out], 'no such folder');

/* What was read. */
mkdir("$folder/empty");
same([1, "0 PHP files read\n", ''], ratelimit(['check', "$folder/empty"]), 'nothing');
$write('broken/a.php', "function f(\n");
$write('broken/b.php', 'function g() {}');
[$exit, $out, $errors] = ratelimit(['check', '--json', "$folder/broken"]);
$read = json_decode($out, true);
same([1, false, 2, 1], [$exit, $read['ok'], $read['files'], count($read['problems'])], $out);
same("ratelimit: {$read['problems'][0]}\n", $errors, 'the same problem');
ok(str_starts_with($read['problems'][0], "$folder/broken/a.php:3: PHP " . PHP_VERSION . ' cannot parse it: '), $errors);
[$exit, $out, $errors] = ratelimit(['check', "$folder/nowhere"]);
ok(str_contains($errors, "there is no $folder/nowhere"), $errors);
done();
?>
--EXPECT--
done
