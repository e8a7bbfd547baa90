<?php

/** On the command line all callers are one client. A round admits some millions of calls: more than 16,777,215 in an hour. */
#[FrequencyLimit\AccessLimit(seconds: 1, maxCount: 16_777_215)]
function bench_attributed(): bool
{
    return true;
}

/** Of a limiter that the caller has defined. */
#[FrequencyLimit\RateLimit('attribute')]
function bench_rate_limited(): bool
{
    return true;
}

/** Two limiters, one decision. */
#[FrequencyLimit\RateLimit('first'), FrequencyLimit\RateLimit('second')]
function bench_rate_limited_two(): bool
{
    return true;
}

/** A place, which comes free at the end. */
#[FrequencyLimit\RateLimit('place')]
function bench_rate_limited_place(): bool
{
    return true;
}
