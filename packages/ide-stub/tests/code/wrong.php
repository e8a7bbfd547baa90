<?php
declare(strict_types=1);

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;

FrequencyLimit::check('like', 7, 60, 5, ['typ' => 1, 'ttl' => 60])->ensureAccepted(); // misspelt
$none = new Limiter('x', []); // no limit
$text = new Limiter('x', ['no limit']); // no Limit
$zero = Limit::fixedWindow(0, 60); // admits nothing
$limiter = new Limiter('x', Limit::fixedWindow(1, 60));
$free = $limiter->consume('u', 0)->accepted; // no cost
$many = $limiter->consumeMany([1.5]); // no identity
$float = $limiter->consume(['tenant' => 1.5])->accepted; // no identity
$less = $limiter->consume('u', ['tokens' => -1])->accepted; // less than no cost
$limiter->acquire('u'); // thrown away
Limit::slidingLog(5, 60)->ban(60); // thrown away, too
Limit::slidingLog(5, 60)->unit('tokens'); // thrown away, too
if ($limiter->consume('u')) { // always true
    echo 'passes';
}
echo FrequencyLimit::check('like', 7, 60, 5) ? 'passes' : 'refused'; // always true
if ($permit = $limiter->acquire('u')) { // always true
    $permit->release();
}

#[AccessLimit(60)] // not imported
#[RateLimit('login')] // not imported
function limited(): void
{
}
