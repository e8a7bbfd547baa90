--TEST--
The destructors of a listener and of a resolver set others at the end of a request, which then end, too
--EXTENSIONS--
ratelimit
--FILE--
<?php
use FrequencyLimit\{Monitor, Request};

final class Chain
{
	public function __construct(private int $length) {}

	public function __invoke(): void {}

	public function __destruct()
	{
		if ($this->length > 0) {
			$this->length % 2 ? Monitor::listen(new Chain($this->length - 1)) : Request::identifyBy(new Chain($this->length - 1));
		} else {
			echo "the last one ends\n";
		}
	}
}

/* It runs after PHP has called all other destructors. */
ob_start(function (string $output): string {
	Monitor::listen(new Chain(0));
	Request::identifyBy(new Chain(5));
	return $output;
});
?>
--EXPECT--
the last one ends
the last one ends
