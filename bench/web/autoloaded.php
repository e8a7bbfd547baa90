<?php
/** Without a limit, and with the autoloader that the frameworks' limiters need. */
require __DIR__ . '/page.php';
require getenv('BENCH_AUTOLOAD');

comments();
