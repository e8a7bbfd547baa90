-- src/redis/lua: The counter of doHandle() in Lua.
--
-- The script of doHandle() and check(): one counter with its ban. docs/semantics.md defines it; src/core/algorithm/counter.c is the
-- same in C. The first part is a copy of the rest for speed; tests/c/redis/counter_test.c checks both.
--
-- KEYS[1]  the counter: a decimal number whose expiry is the window's end
-- ARGV[1]  packed: nonce (6 bytes), verb, number, window in ms, ban kind (0 none, 1 for, 2 until), ban in ms. COUNT is TAKE
--          whose admission may have the short answer. BAN sets a ban by hand, and UNBAN drops a running one. LEASE is
--          TAKE that also counts permits for the machine, at most as many as follow the ban in ms. OWED is TAKE that first counts what a
--          machine has admitted without Redis, whatever the number is: so many permits, and their age in us, follow the ban in ms
-- Returns  packed: nonce, now in us, reason, limit index, retry after in us, found (LEASE: the permits counted beside the call's
--          own), remaining, reset after in us. The short answer, counted and admitted: nonce, remaining, the ms until the window's end
--
-- Redis rolls nothing back, so a write that is refused (memory, rights, a replica) must be the first. Each path but COUNT's
-- writes at most once, after everything is read and judged. COUNT writes first, and undoes that before it goes on.
local COUNT = 4

-- pcall returns an error as Redis reported it. An error that is raised would be wrapped in the script's name.
local call, key, request = redis.pcall, KEYS[1], ARGV[1]
local nonce, verb, number, next_at = struct.unpack('<c6BI3', request)

-- Most calls are one more permit in a running window, so COUNT counts first and looks afterwards. A window is over from its
-- last millisecond on, which its key outlives. If the server refuses INCR (no plain number, or no write), nothing has changed.
-- A wrong INCR is undone before anything else is judged. Only a key that INCR has made (is_new) waits for the SET below; if
-- that fails, the key is deleted. (tonumber: an error is a table, and becomes nil.)
local value, is_new
if verb == COUNT then
	local counted = tonumber(call('INCR', key))
	if counted then
		local left_ms = counted <= number and counted > 0 and tonumber(call('PTTL', key))
		if left_ms and left_ms > 0 then
			return struct.pack('<c6I3I7', nonce, number - counted, left_ms)
		end
		is_new = counted == 1 and left_ms == -1
		if not is_new then
			local EXACT_MAX, TAIL_MAX = 1e15, 999999
			value = counted - 1
			if counted >= EXACT_MAX or counted <= -EXACT_MAX then
				-- A Lua number holds no more digits exactly: the last six are counted by themselves.
				local head, tail = string.match(call('GET', key), '^(.*)(......)$')
				tail = tail + (counted > 0 and -1 or 1)
				if tail < 0 or tail > TAIL_MAX then
					head, tail = head - 1, tail < 0 and TAIL_MAX or 0
				end
				value = string.format('%.0f%06d', head, tail)
			end
			-- Without the right to PTTL, a first count may be a new key: it must not stay without an expiry.
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

local PEEK, FORGET, BAN, UNBAN, LEASE, OWED = 2, 3, 5, 6, 7, 8
local BANNED_COUNT = 16777216
local ACCEPTED, LIMITED, BANNED = 0, 1, 2
local ANSWER = '<I7BBi7I4I5I7'
local LEASE_SHARE = 8

-- A count has no leading zero and no sign, and is exact as a Lua number. INCR takes no leading zero.
local is_count = not value or type(value) == 'number' and value >= 0
if not is_count and (not (value == '0' or string.find(value, '^[1-9]%d*$')) or #value > 15) then
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
-- A key lives on for the millisecond in which it ends; the window does not.
local count = value and (immortal or end_ms > now_ms) and tonumber(value) or nil

local window_ms, ban_kind, ban_ms, lease_at = struct.unpack('<I7BI7', request, next_at)
local ban_end_ms = ban_kind == 1 and next_ms + ban_ms or ban_ms

if verb == FORGET or verb == BAN or verb == UNBAN then
	local found = count and (verb == FORGET or count == BANNED_COUNT)
	local done
	if verb == BAN then
		done = ban_end_ms > now_ms and call('SET', key, BANNED_COUNT, 'PXAT', ban_end_ms)
	elseif value and (verb ~= UNBAN or found) then
		done = call('DEL', key)
	end
	if type(done) == 'table' and done.err then
		return done
	end
	return nonce .. struct.pack(ANSWER, now_us, ACCEPTED, 0, 0, verb ~= BAN and found and 1 or 0, 0, 0)
end

-- The write, if any: the count, and the end if it is a new one.
local reason, new_count, new_end_ms

if verb == OWED and count ~= BANNED_COUNT then
	local owed, age_us = struct.unpack('<I3I7', request, lease_at)
	if count then
		new_count = math.min(count + owed, BANNED_COUNT - 1)
		count = new_count
	elseif age_us < window_ms * 1000 then
		-- The window of the machine: Redis has none.
		new_count, new_end_ms = owed, next_ms + window_ms - math.floor(age_us / 1000)
		count, end_ms = owed, new_end_ms
	end
end
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

local leased = 0
if verb == LEASE and reason == ACCEPTED then
	leased = math.max(0, math.min(struct.unpack('<I3', request, lease_at), math.floor((number - new_count) / LEASE_SHARE)))
	new_count = new_count + leased
end

if new_count and verb ~= PEEK then
	-- One write sets a count and its end, so that no key is ever without its end. (Redis prints whole numbers in full.)
	local done
	if new_end_ms then
		done = call('SET', key, new_count, 'PXAT', new_end_ms)
	else
		local more = new_count - value
		done = more > 1 and call('INCRBY', key, more) or more > 0 and call('INCR', key)
	end
	if type(done) == 'table' and done.err then
		if is_new then
			call('DEL', key)
		end
		return done
	end
end
local remaining = reason == BANNED and 0 or math.max(0, number - (new_count or count))
-- A foreign expiry may lie thousands of years ahead: more than the answer's seven bytes hold.
local reset_us = math.min((new_end_ms or end_ms) * 1000 - now_us, 2 ^ 53)
local retry_us = remaining > 0 and 0 or reset_us
return nonce .. struct.pack(ANSWER, now_us, reason, 0, retry_us, leased, remaining, reset_us)
