












local COUNT = 4


local call, key, request = redis.pcall, KEYS[1], ARGV[1]
local nonce, verb, number, next_at = struct.unpack('<c6BI3', request)





local value, is_new
if verb == COUNT then
local counted = tonumber(call('INCR', key))
if counted then
local left_ms = counted <= number and counted > 0 and tonumber(call('PTTL', key))
if left_ms and left_ms > 0 then
return nonce
end
is_new = counted == 1 and left_ms == -1
if not is_new then
local EXACT_MAX, TAIL_MAX = 1e15, 999999
value = counted - 1
if counted >= EXACT_MAX or counted <= -EXACT_MAX then

local head, tail = string.match(call('GET', key), '^(.*)(......)$')
tail = tail + (counted > 0 and -1 or 1)
if tail < 0 or tail > TAIL_MAX then
head, tail = head - 1, tail < 0 and TAIL_MAX or 0
end
value = string.format('%.0f%06d', head, tail)
end

local done = counted == 1 and not left_ms and call('DEL', key) or call('SET', key, value, 'KEEPTTL')
if type(done) == 'table' and done.err then
return done
end
end
end
end
if not value and not is_new then
value = call('GET', key)
if type(value) == 'table' then
return value
end
end

local PEEK, FORGET, BAN, UNBAN, LEASE = 2, 3, 5, 6, 7
local BANNED_COUNT = 16777216
local ACCEPTED, LIMITED, BANNED = 0, 1, 2
local ANSWER = '<I7BBI3i7I7I4'
local LEASE_SHARE = 8


local is_count = not value or type(value) == 'number' and value >= 0
if not is_count and (not (value == '0' or string.find(value, '^[1-9]%d*$')) or #value > 15) then
return {err = 'RATELIMIT_FOREIGN the key holds a value that is not a counter'}
end



local end_ms, left_ms = -2, -2
if value then
local expiry = call(redis.REDIS_VERSION_NUM and 'PEXPIRETIME' or 'PTTL', key)
if type(expiry) == 'table' then
return expiry
elseif redis.REDIS_VERSION_NUM then
end_ms = expiry
else
left_ms = expiry
end
end
local time = call('TIME')
if time.err then
if is_new then
call('DEL', key)
end
return time
end
local now_us = time[1] * 1000000 + time[2]
local now_ms = math.floor(now_us / 1000)
local next_ms = math.ceil(now_us / 1000)
if left_ms >= 0 then
end_ms = now_ms + left_ms
end

local immortal = value and end_ms < 0

local count = value and (immortal or end_ms > now_ms) and tonumber(value) or nil

local window_ms, ban_kind, ban_ms, lease_at = struct.unpack('<I7BI7', request, next_at)
local ban_end_ms = ban_kind == 1 and next_ms + ban_ms or ban_ms

if verb == FORGET or verb == BAN or verb == UNBAN then
local found = count and (verb == FORGET or count == BANNED_COUNT)
local done
if verb == BAN and ban_end_ms > now_ms then
done = call('SET', key, BANNED_COUNT, 'PXAT', ban_end_ms)
elseif value and (verb ~= UNBAN or found) then
done = call('DEL', key)
end
if type(done) == 'table' and done.err then
return done
end
return nonce .. struct.pack(ANSWER, now_us, ACCEPTED, 0, 0, 0, 0, verb ~= BAN and found and 1 or 0)
end


local reason, new_count, new_end_ms

if not count then
reason, new_count, new_end_ms = ACCEPTED, 1, next_ms + window_ms
else
if immortal then

new_count, new_end_ms = count, next_ms + window_ms
end
if count == BANNED_COUNT then
reason = BANNED
elseif count < number then
reason, new_count = ACCEPTED, count + 1
else
reason = LIMITED
if ban_kind ~= 0 and ban_end_ms > now_ms then

local runs = end_ms > next_ms + window_ms
reason, new_count, new_end_ms = BANNED, BANNED_COUNT, runs and end_ms or ban_end_ms
end
end
end

local leased = 0
if verb == LEASE and reason == ACCEPTED then
leased = math.max(0, math.min(struct.unpack('<I3', request, lease_at), math.floor((number - new_count) / LEASE_SHARE)))
new_count = new_count + leased
end

if new_count and verb ~= PEEK then

local done
if new_end_ms then
done = call('SET', key, new_count, 'PXAT', new_end_ms)
else
done = leased > 0 and call('INCRBY', key, 1 + leased) or call('INCR', key)
end
if type(done) == 'table' and done.err then
if is_new then
call('DEL', key)
end
return done
end
end
local remaining = reason == BANNED and 0 or math.max(0, number - (new_count or count))

local reset_us = math.min((new_end_ms or end_ms) * 1000 - now_us, 2 ^ 53)
local retry_us = remaining > 0 and 0 or reset_us
return nonce .. struct.pack(ANSWER, now_us, reason, 0, remaining, retry_us, reset_us, leased)
