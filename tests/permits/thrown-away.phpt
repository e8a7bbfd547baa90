--TEST--
A permit that its line throws away warns, whatever it is; one that is used, kept or returned does not
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';

$code = <<<'CODE'
	use FrequencyLimit\{Limit, Limiter, LimiterInterface};
	final class Wrap {
		public function __construct(private Limiter $limiter) {}
		public function acquire(int $id) { return $this->limiter->acquire($id); }
		public function __call(string $name, array $arguments) { return $this->limiter->acquire(...$arguments); }
		public function assigned(int $id): int { $unused = $this->limiter->acquire($id); return strlen('work'); }
		public function overwritten(int $id): int { $permit = $this->limiter->acquire($id); $permit = null; return 1; }
		public function unset(int $id): void { try { $permit = $this->limiter->acquire($id); strlen('work'); } finally { unset($permit); } }
		public function __destruct() { $permit = $this->limiter->acquire('destructor'); }
	}
	function values(Limiter $limiter): Generator {
		yield $limiter->acquire(1);
		yield from [$limiter->acquire(2)];
		return $limiter->acquire(3);
	}
	function take(mixed ...$arguments): void {}
	function kept(Limiter $limiter): void {
		static $first;
		$first ??= $limiter->acquire(1);
		$permit = $limiter->acquire(2);
		take($limiter->acquire(3));
		take(...[$limiter->acquire(4), 'name' => $limiter->acquire(5)]);
		foreach (values($limiter) as $value) {
		}
		$wrap = new Wrap($limiter);
		$wrap->acquire(6);
		$wrap->other(7);
		$wrap->assigned(8);
		$wrap->overwritten(9);
		$wrap->unset(10);
		$limiter->acquire(11)->result->accepted;
		$limiter->acquire(12)->wait();
		(fn () => $limiter->acquire(13))();
		array_map([$limiter, 'acquire'], [14, 15]);
		array_map($limiter->acquire(...), [16]);
		(new ReflectionMethod($limiter, 'acquire'))->invoke($limiter, 17);
		(new Fiber([$limiter, 'acquire']))->start(18);
		$chosen = true ? $limiter->acquire(19) : null;
		$or = $limiter->acquire(20) ?? null;
		if ($limiter->acquire(21) !== null) {
		}
		match (true) {
			default => $limiter->acquire(22),
		};
		new Wrap($limiter);
		take(new Wrap($limiter));
		if (PHP_VERSION_ID >= 80500) {
			eval('(void) $limiter->acquire(23);');
		}
	}
	function lost(Limiter $limiter, LimiterInterface $interface, ?Limiter $nullable): void {
		$limiter->acquire(1); // warns
		$interface->acquire(2); // warns
		$nullable?->acquire(3); // warns
		$callable = $limiter->acquire(...);
		$callable(4); // warns
		[$limiter, 'acquire'](5); // warns
		call_user_func([$limiter, 'acquire'], 6); // warns
		$name = 'acquire';
		$limiter->$name(id: 7); // warns
		$limiter->acquire(...[8]); // warns
		for ($i = 0; $i < 1; $i++, $limiter->acquire(9)); // warns
		(new Limiter('none', Limit::none()))->acquire(10); // warns
		(new Limiter('refused', Limit::fixedWindow(1, 60)))->acquire(11, 5); // warns
		(new Limiter('labels', [Limit::concurrent(5, 60)->by('a'), Limit::concurrent(5, 60)->by('b')]))->acquire(['a' => 1, 'b' => 2]); // warns
	}
	$warned = [];
	set_error_handler(function (int $level, string $message, string $file, int $line) use (&$warned): bool {
		$warned[] = [$line, $level, $message];
		return true;
	});
	$limiter = new Limiter('places', Limit::concurrent(10, 60));
	for ($i = 0; $i < 200; $i++) {
		kept($limiter);
	}
	$wrong = $warned;
	$warned = [];
	for ($i = 0; $i < 200; $i++) {
		lost($limiter, $limiter, $limiter);
	}
	restore_error_handler();
	echo json_encode([$wrong, $warned]);
CODE;

$lines = array_map(fn (int $i): int => $i + 2, array_keys(preg_grep('~// warns~', explode("\n", $code))));
$file = tempnam(sys_get_temp_dir(), 'thrown-away');
file_put_contents($file, "<?php\n$code");
$opcache = extension_loaded('Zend OPcache') ? [] : ['zend_extension' => 'opcache'];
$has_opcache = str_ends_with(run_command(php_command($opcache, ['-r', 'echo (int) extension_loaded("Zend OPcache");']))[1], '1');
foreach ([
	'plain' => [],
	'opcache' => $opcache + ['opcache.enable_cli' => 1],
	'opcache with each pass' => $opcache + ['opcache.enable_cli' => 1, 'opcache.optimization_level' => -1],
	'the tracing JIT' => $opcache + ['opcache.enable_cli' => 1, 'opcache.jit' => 'tracing', 'opcache.jit_buffer_size' => '16M', 'opcache.jit_hot_loop' => 2, 'opcache.jit_hot_func' => 2],
	'the function JIT' => $opcache + ['opcache.enable_cli' => 1, 'opcache.jit' => 'function', 'opcache.jit_buffer_size' => '16M'],
] as $what => $ini) {
	/* musl's PHP has no opcache, and the JIT does not start in a PHP with sanitizers. */
	if ($ini && (!$has_opcache || (isset($ini['opcache.jit']) && getenv('SKIP_ASAN')))) {
		continue;
	}
	[$exit, $output] = run_command(php_command($ini, [$file]));
	[$wrong, $warned] = json_decode($output, true) ?? [[$output], []];
	same([0, []], [$exit, $wrong], "$what: no wrong warning");
	$found = array_column($warned, 0);
	sort($found);
	same($lines, $found, "$what: each line, once");
	same([[E_WARNING, 'The permit of FrequencyLimit\Limiter::acquire() is thrown away, so that it holds no place: keep it in a variable until the work is done']],
		array_values(array_unique(array_map(fn (array $one): array => [$one[1], $one[2]], $warned), SORT_REGULAR)), "$what: the message");
}
unlink($file);

/* The warning comes before the place is taken: one that throws takes none. */
$limiter = new FrequencyLimit\Limiter('thrown', FrequencyLimit\Limit::slidingLog(5, 60));
set_error_handler(fn (int $level, string $message) => throw new ErrorException($message));
throws(ErrorException::class, ['thrown away'], function () use ($limiter) {
	$limiter->acquire(1);
}, 'an error handler that throws');
restore_error_handler();
same(4, $limiter->peek(1)->remaining, 'nothing is taken');
done();
?>
--EXPECT--
done
