<?php
/** Without a limit. */
require __DIR__ . '/page.php';

comments();
