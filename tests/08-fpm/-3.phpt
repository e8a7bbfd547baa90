--TEST--

--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.inc';
needs_fpm();
?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.inc';
fbedfba Reference model of every limit, and random programs to compare the stores with it
a35619f The version matrix and the sanitizers
07179c0 The demo, and the guides' examples as tests
290286c Tests: a proxy between PHP and Redis that makes faults happen by rule and by count
2756fe1 Benchmark: one command measures, checks and reports; instructions by callgrind
a9cd0ad A changed period applies from the next admitted call on
7cad91e README, guides and their tests: every example and every setting that they name is checked
4d7c6e7 Tests: a stepper that kills a worker at any instruction, and a clock that a test drives
b62f87a Benchmark: every contestant in the same loop, interleaved, its count checked
d61b92e Examples: the article's three controllers and six more applications, on php -S
d544b04 Headers as contracts: the two stores, the guard between, the module's globals
6e3c40d State the API, the exact meaning of every limit, and what a store must do
done();
?>
--EXPECT--
done
