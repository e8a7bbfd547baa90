--TEST--
The login recipe tries exactly 5 of 40 passwords that are guessed in parallel
--EXTENSIONS--
ratelimit
pcntl
--FILE--
<?php
require __DIR__ . '/readme.inc';

/** Returns the function of the recipe, without the calls that follow it. */
function login_recipe(): string
{
	foreach (php_blocks(readme('docs/recipes.md')) as $code) {
		if (preg_match('/^.*?^function log_in\(.*?^}$/ms', $code, $found)) {
			return $found[0];
		}
	}
	throw new Exception('docs/recipes.md has no function log_in()');
}

eval(login_recipe());

$tried = temp_folder() . '/tried';
for ($round = 0; $round < 10; $round++) {
	touch($tried);
	file_put_contents($tried, '');
	/* The check of a password is slow, so that guesses overlap. */
	$isRight = function (string $user, string $password) use ($tried): bool {
		file_put_contents($tried, "$password\n", FILE_APPEND | LOCK_EX);
		pause(0.02);
		return $password === 'right';
	};
	$answers = in_processes(40, fn (int $i): string => log_in("user $round", "guess $i", $isRight));
	same(['too many failures' => 35, 'wrong' => 5], (function (array $counts): array {
		ksort($counts);
		return $counts;
	})(array_count_values($answers)), "round $round: the answers");
	same(5, count(array_unique(file($tried))), "round $round: the passwords that were tried");
	same(5, count(file($tried)), "round $round: the checks");
	same('too many failures', log_in("user $round", 'right', $isRight), "round $round: the user is locked");
}

/* A right password costs nothing, also beside wrong ones. */
$isRight = fn (string $user, string $password): bool => $password === 'right';
same(array_fill(0, 100, 'welcome'), array_map(fn (): string => log_in('bob', 'right', $isRight), range(1, 100)), 'right passwords');
for ($i = 0; $i < 5; $i++) {
	same(['wrong', $i < 4 ? 'welcome' : 'too many failures'],
		[log_in('bob', "guess $i", $isRight), log_in('bob', 'right', $isRight)], "after $i guesses");
}

done();
?>
--EXPECT--
done
