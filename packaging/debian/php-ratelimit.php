mod ratelimit.ini
