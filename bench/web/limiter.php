<?php
/** With the headers of the remaining permits. */
require __DIR__ . '/page.php';

use FrequencyLimit\{Limit, Limiter};

$result = (new Limiter('page', Limit::fixedWindow((int) $_GET['n'], 3600)))->consume((int) $_GET['id']);
foreach ($result->headers() as $name => $value) {
    header("$name: $value");
}
if ($result->accepted) {
    comments();
} else {
    too_often((int) ceil($result->retryAfter));
}
