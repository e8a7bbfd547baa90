-- The script of doHandle() and check(): one counter with its ban. docs/semantics.md defines it; src/core/counter.c is the
-- same in C. The first part is a copy of the rest for speed; tests/core/redis_counter_test.c checks both.
--
-- KEYS[1]  the counter: a decimal number whose expiry is the window's end
-- ARGV[1]  packed: nonce (6 bytes), verb, number, window in ms, ban kind (0 none, 1 for, 2 until), ban in ms. COUNT is TAKE
--          whose admission may be answered by the nonce alone. BAN sets a ban by hand, and UNBAN drops a running one
-- Returns  packed: nonce, now in us, reason, limit index, remaining, retry after in us, reset after in us, found; or the
--          nonce alone: counted and admitted
--
-- Each path writes at most once, after everything is read and judged: Redis rolls nothing back, so a write that is refused
-- (memory, rights, a replica) must be the first.
local PEEK, FORGET, COUNT, BAN, UNBAN = 2, 3, 4, 5, 6

-- pcall returns an error as Redis reported it. An error that is raised would be wrapped in the script's name.
local call, key, request = redis.pcall, KEYS[1], ARGV[1]
local nonce = string.sub(request, 1, 6)

local value = call('GET', key)
if type(value) == 'table' then
	return value
end

-- Most calls are one more permit in a running window. A window is over from its last millisecond on, which its key
-- outlives. INCR refuses what is no plain number; if anything fails here, nothing has changed yet.
local verb, number, next_at = struct.unpack('<BI3', request, 7)
if value and verb == COUNT then
	local count = tonumber(value)
	if count and count >= 0 and count < number then
		local left_ms = call('PTTL', key)
		if type(left_ms) == 'number' and left_ms > 0 and type(call('INCR', key)) == 'number' then
			return nonce
		end
	end
end

local BANNED_COUNT = 16777216
local ACCEPTED, LIMITED, BANNED = 0, 1, 2
local ANSWER = '<I7BBI3i7I7I4'

-- A count has no leading zero and no sign, and is exact as a Lua number.
if value and (not (value == '0' or string.find(value, '^[1-9]%d*$')) or #value > 15) then
	return {err = 'RATELIMIT_FOREIGN the key holds a value that is not a counter'}
end

-- Redis 7.0 and later return the exact end. With an older one, the time left is read before the clock: a millisecond between
-- the two makes the window longer, never shorter.
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
	return time
end
local now_us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now_ms = math.floor(now_us / 1000)
local next_ms = math.ceil(now_us / 1000)
if left_ms >= 0 then
	end_ms = now_ms + left_ms
end

local immortal = value and end_ms < 0
-- A key lives on for the millisecond in which it ends; the window does not.
local count = value and (immortal or end_ms > now_ms) and tonumber(value) or nil

local window_ms, ban_kind, ban_ms = struct.unpack('<I7BI7', request, next_at)
local ban_end_ms = ban_kind == 1 and next_ms + ban_ms or ban_ms

if verb == FORGET or verb >= BAN then
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

-- The write, if any: the count, and the end if it is a new one.
local reason, new_count, new_end_ms

if not count then
	reason, new_count, new_end_ms = ACCEPTED, 1, next_ms + window_ms
else
	if immortal then
		-- An INCR of another program whose EXPIRE never came: without an end the counter would refuse for ever.
		new_count, new_end_ms = count, next_ms + window_ms
	end
	if count == BANNED_COUNT then
		reason = BANNED
	elseif count < number then
		reason, new_count = ACCEPTED, count + 1
	else
		reason = LIMITED
		if ban_kind ~= 0 and ban_end_ms > now_ms then
			-- No window is so long: it is a ban of another program, such as the article's class. It keeps its end.
			local runs = end_ms > next_ms + window_ms
			reason, new_count, new_end_ms = BANNED, BANNED_COUNT, runs and end_ms or ban_end_ms
		end
	end
end

if new_count and verb ~= PEEK then
	-- One write sets a count and its end, so that no key is ever without its end. (Redis prints whole numbers in full.)
	local done
	if new_end_ms then
		done = call('SET', key, new_count, 'PXAT', new_end_ms)
	else
		done = call('INCR', key)
	end
	if type(done) == 'table' and done.err then
		return done
	end
end
local remaining = reason == BANNED and 0 or math.max(0, number - (new_count or count))
-- A foreign expiry may lie thousands of years ahead: more than the answer's seven bytes hold.
local reset_us = math.min((new_end_ms or end_ms) * 1000 - now_us, 2 ^ 53)
local retry_us = remaining > 0 and 0 or reset_us
return nonce .. struct.pack(ANSWER, now_us, reason, 0, remaining, retry_us, reset_us, 0)
