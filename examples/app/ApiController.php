<?php

declare(strict_types=1);

namespace App;

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Request;
use FrequencyLimit\Result;

/** Ten calls a second for each address. */
final class ApiController
{
    private readonly Limiter $limiter;

    public function __construct()
    {
        $this->limiter = new Limiter('api', Limit::fixedWindow(10, 1)->named('api'));
    }

    public function call(): Result
    {
        return $this->limiter->consume(Request::clientAddress());
    }
}
