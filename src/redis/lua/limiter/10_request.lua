-- A limiter's script, which the build joins: asked.lua, short.lua, state.lua, one file for each algorithm, one.lua, and
-- limiter.lua. docs/semantics.md says what each number means; src/core is the same in C.
--
-- KEYS[1]  the state
-- ARGV[1]  packed: nonce (6 bytes), op, cost, the moment to book (lease: how many permits more, at most), ban kind (0 none,
--          1 for, 2 until), ban in us; then of each limit: algorithm, number, rate, ban kind, ban in us, period in us (a
--          calendar window's: Period, and the boundaries b0 b1 b2)
-- Returns  packed: nonce, now in us, reason (or STALE), limit index, remaining, retry after in us (-1:
--          never), reset after in us, found (lease: permits handed out beside the cost)
--
-- All is read and judged before the one write at the end: Redis takes nothing back.
--
-- A script begins from nothing each time: each call makes its tables and functions anew, and what is made is tidied up
-- behind it. That takes Redis longer than all arithmetic. So what few calls need comes after where most calls end, tables
-- are made whole, not a field at a time, and an algorithm's functions when they are first asked for.
local CONSUME, PEEK, RESERVE, CANCEL, REFUND, BAN, UNBAN, RESET, LEASE = 1, 2, 3, 4, 5, 6, 7, 8, 9
local ACCEPTED, LIMITED, BANNED, TOO_EXPENSIVE, STALE = 0, 1, 2, 3, 10
local ANSWER = '<I7BBI3i7I7I4'
local LIMIT, LIMIT_BYTES, BOUNDS = '<BI3I3BI7I7', 22, '<I7I7I7'
local LEASE_SHARE = 8

local key, asked = KEYS[1], ARGV[1]
local nonce = string.sub(asked, 1, 6)
local op, cost, at, ban_kind, ban_us, limits_at = struct.unpack('<BI3I7BI7', asked, 7)

-- pcall: an error is answered as Redis gave it. Raised, it would come wrapped in the name of the script.
local call = redis.pcall

local value = call('GET', key)
if type(value) == 'table' then
	return value
end
local time = call('TIME')
if time.err then
	return time
end
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
