--TEST--
A Result or Permit as a bool is what the limiter decided, and warns once per line of what to write
--EXTENSIONS--
ratelimit
pdo
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';

/* Each line of a body that warns has a comment with it. $no and $yes are a refused and an accepted Result, or Permit. */
$code = <<<'CODE'
	use FrequencyLimit\{Limit, Limiter, Permit, Reason, Request, Result};
	function ways(object $no, object $yes): array {
		$taken = [];
		if ($no) { // warns
			$taken[] = 'if';
		}
		if (!$yes) { // warns
			$taken[] = 'if not';
		}
		while ($no) { // warns
			$taken[] = 'while';
			break;
		}
		for (; $no;) { // warns
			$taken[] = 'for';
			break;
		}
		$turns = 0;
		do {
			if (++$turns > 1) {
				break;
			}
		} while ($no); // warns
		$cast = $no;
		settype($cast, 'bool'); // warns
		$answers = [$taken, $cast];
		$answers[] = $no && true; // warns
		$answers[] = $no || false; // warns
		$answers[] = ($no xor false); // warns
		$answers[] = $no ? 1 : 0; // warns
		$answers[] = $no ?: 'else'; // warns
		$answers[] = (bool) $no; // warns
		$answers[] = boolval($no); // warns
		$answers[] = empty($no); // warns
		$answers[] = !empty($yes); // warns
		$answers[] = count(array_filter([$no, $yes, $no])); // warns
		$answers[] = array_map(fn ($one) => (bool) $one, [$no, $yes]); // warns
		$answers[] = match (true) { !$no => 'refused', default => 'accepted' }; // warns
		return $answers;
	}
	final class Typed {
		public function __construct(private readonly Limiter $limiter, private readonly ?Limiter $places = null) {}
		public function consume(int $id): bool { if ($this->limiter->consume($id)) { return true; } return false; } // warns
		public function not(int $id): bool { return !$this->limiter->consume($id); } // warns
		public function peek(int $id): bool { return (bool) $this->limiter->peek($id); } // warns
		public function check(int $id): bool { $r = FrequencyLimit::check('typed', $id, 60, 1); if ($r) { return true; } return false; } // warns
		public function same(int $id): bool { return FrequencyLimit::peek('typed', $id, 60, 1) == true; } // warns
		public function typed(Result $r): string { return $r ? 'y' : 'n'; } // warns
		public function nullable(?Result $r): string { if ($r instanceof Result) { return $r ? 'y' : 'n'; } return '-'; } // warns
		public function acquire(int $id): string { if ($permit = $this->places->acquire($id) and $permit->wait()) { return 'y'; } return 'n'; } // warns
	}
	function right(?Result $result, ?Permit $permit, object $other): array {
		$f = fn () => $result;
		return [
			$result !== null, $result?->accepted, $result ?? 1, isset($result), is_null($result), $result instanceof Result, $result == null, $f(),
			$permit !== null, $permit?->result->accepted, isset($permit->result), $result == $other, in_array($result, [$other], true),
			(array) $result, json_encode($result), is_callable($result), Request::lastResult()?->accepted, match (true) { $result => 1, default => 2 },
		];
	}
	$warned = [];
	set_error_handler(function (int $level, string $message, string $file, int $line) use (&$warned): bool {
		$warned[] = [$line, $level, $message];
		return true;
	});
	$no = Result::of(Reason::Limited, limit: 5);
	$yes = Result::of(Reason::Accepted, limit: 5);
	$answers = [];
	for ($i = 1; $i <= 200; $i++) {
		right($yes, Permit::of($yes), $no);
		right(null, null, $no);
		$typed = new Typed(new Limiter('typed', Limit::fixedWindow(1, 60)), new Limiter('places', Limit::concurrent(1, 60)));
		$answer = [ways($no, $yes), $typed->consume($i), $typed->consume($i), $typed->not($i), $typed->peek($i), $typed->check($i), $typed->check($i), $typed->same($i),
			$typed->typed($no), $typed->typed($yes), $typed->nullable($no), $typed->nullable($yes), $typed->nullable(null), $typed->acquire($i)];
		$answers[json_encode($answer)] = true;
	}
	$of_results = $warned;
	$warned = [];
	$answers[json_encode([ways(Permit::of($no), Permit::of($yes))])] = true;
	restore_error_handler();
	echo json_encode([array_keys($answers), $of_results, $warned]);
CODE;

$lines = array_map(fn (int $i): int => $i + 2, array_keys(preg_grep('~// warns~', explode("\n", $code))));
$ways = [[], false, false, false, false, 0, 'else', false, false, true, true, 1, [false, true], 'refused'];
$file = tempnam(sys_get_temp_dir(), 'as-bool');
file_put_contents($file, "<?php\n$code");
$opcache = extension_loaded('Zend OPcache') ? [] : ['zend_extension' => 'opcache'];
foreach ([
	'plain' => [],
	'opcache' => $opcache + ['opcache.enable_cli' => 1],
	'the tracing JIT' => $opcache + ['opcache.enable_cli' => 1, 'opcache.jit' => 'tracing', 'opcache.jit_buffer_size' => '16M', 'opcache.jit_hot_loop' => 2, 'opcache.jit_hot_func' => 2],
	'the function JIT' => $opcache + ['opcache.enable_cli' => 1, 'opcache.jit' => 'function', 'opcache.jit_buffer_size' => '16M'],
] as $what => $ini) {
	[$exit, $output] = run_command(php_command($ini, [$file]));
	[$answers, $results, $permits] = json_decode(strstr($output, '[[') ?: '', true) ?? [[], [], []];
	same([0, true], [$exit, $results !== []], "$what: it ends: $output");
	same([json_encode([$ways, true, false, true, false, true, false, false, 'n', 'y', 'n', 'y', '-', 'y']), json_encode([$ways])], $answers, "$what: the value of accepted");
	$found = array_column($results, 0);
	sort($found);
	same($lines, $found, "$what: the lines, once each");
	same(['A FrequencyLimit\Result is used as a bool: write ->accepted, or !== null where it may be null',
		'A FrequencyLimit\Permit is used as a bool: write ->result->accepted, or !== null where it may be null'],
		array_values(array_unique(array_column($results, 2))), "$what: the messages");
	same([E_WARNING], array_values(array_unique(array_column($results, 1))), "$what: warnings");
	same([], $permits, "$what: the lines have warned already");
}
unlink($file);

/* The warning may throw: the branch is not taken, and the object may be gone. */
$result = FrequencyLimit::check('thrown', 1, 60, 5);
set_error_handler(function (int $level, string $message) use (&$result): bool {
	$result = null;
	throw new ErrorException($message);
});
throws(ErrorException::class, ['Result is used as a bool'], function () use (&$result) {
	if ($result) {
		failed('the branch is taken');
	}
}, 'an error handler that throws');
set_error_handler(function () use (&$result): bool {
	$result = null;
	return true;
});
$result = FrequencyLimit::check('thrown', 1, 60, 5);
same('accepted', $result ? 'accepted' : 'refused', 'an error handler that frees it');

/* An object that no decision made is false. */
$statement = (new PDO('sqlite::memory:'))->query("SELECT 'FrequencyLimit\\Result'");
$statement->setFetchMode(PDO::FETCH_CLASS | PDO::FETCH_CLASSTYPE);
same(false, (bool) $statement->fetch(), 'made by PDO');
done();
?>
--EXPECT--
done
