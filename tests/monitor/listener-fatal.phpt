--TEST--
A fatal error in a listener changes no limiter of the file: exempt identities pass in the later requests of the worker
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../named-limiters/named.inc';
require __DIR__ . '/../attribute/request.inc';

$file = temp_folder(0755) . '/limiters.ini';
write_limiters($file, "[api]\nexempt = bob\na = fixed:1/1h\n");
$site = new PhpSite(site_folder('use FrequencyLimit\Limiter;
	$limiter = Limiter::named("api");
	if ($_SERVER["REQUEST_URI"] === "/fatal") {
		FrequencyLimit\Monitor::listen(function (string $name, int|string $identity): void {
			echo "before $identity";
			eval("class Twice {} class Twice {}");
		});
		$limiter->consumeMany(["bob", "eve"]);
	}
	echo count(array_filter(array_map(fn () => $limiter->allow("bob"), range(1, 5)))), " ", count(array_filter($limiter->consumeMany(["bob", "bob"]), fn ($result) => $result->accepted));
'), ['ratelimit.limiters' => $file, 'display_errors' => '0']);
same('5 2', $site->get('/')[2], 'before');
same('before eve', $site->get('/fatal')[2], 'a fatal error');
same('5 2', $site->get('/')[2], 'behind it');
same('5 2', $site->get('/')[2], 'and behind that');
done();
?>
--EXPECT--
done
