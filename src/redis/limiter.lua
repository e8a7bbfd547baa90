-- The limiters' script is on its way; until then its questions have no answer.
return redis.error_reply('ERR no limiter yet')
