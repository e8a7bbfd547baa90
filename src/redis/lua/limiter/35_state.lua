-- Fragment 35: defines an algorithm's functions, and reads and writes a limiter's state.

-- Locals of this fragment and the later ones; the fast path creates none that it does not use.
local RESERVE, CANCEL, CREDIT, BAN, UNBAN, RESET = 3, 4, 5, 6, 7, 8
local SETTLE, RELEASE, RENEW, PARTS = 11, 12, 13, 64
local BANNED, TOO_EXPENSIVE, STALE = 2, 3, 10
local WIDE = 128
local ANSWER = '<I7BBI3i7I7I4'
local ban_kind, ban_us, limits_at = from_bytes('<BI7', request, BAN_AT)

-- An algorithm is a table of functions, which makers[number]() creates:
--
--   unpack(bytes, at, extended, wide)  returns a limit state (one limit's part of a state), and the index behind it
--   pack(state, wide)     returns its bytes, the algorithm's number first, with EXTENDED added if it needs that form
--   largest(state)        returns the largest of its numbers that take 3 bytes, or with wide 6; nil: none could be too large
--   expires_at(state)     returns the moment from which on it equals a fresh one
--   evaluate(ctx)         sets used and full_at, and what the functions below need; requires a limit state
--   earliest(ctx, t)      returns the first moment at or after t at which the cost would be admitted
--   admit(ctx)            returns the limit state after the cost was admitted
--   credit(ctx)           returns the limit state after the cost was given back; requires a limit state
--   give_back(ctx, held, n, all)  returns the limit state after n of what a permit holds were given back (all: as if the
--                         permit had never been), or nil if the place is gone; requires the limit state with its tag
--   book_at(ctx)          returns when it has room for the booking; now or earlier if it has
--   cancel(ctx)           returns the limit state without the booking, or nil; absent: no bookings
--
-- A limit state has its algorithm's number, its period, its tag (nil: none), and the algorithm's own fields; these functions
-- change it in place. A ctx is {limit, state (nil: a fresh one), now, at (the moment that is judged), booking, cost, used
-- (permits that count at that moment), full_at (when the limit has all its permits again); then, set by those that need
-- them: tag (of the limit state after admit), debt (the cost is counted whatever the limit is), place and moved (set by
-- admit: the permit's place, and by how much a booking moved a bucket's TAT)}. Times are microseconds: whole numbers below
-- 2^53, which are exact in Lua, and take 7 bytes in a state. A state's latest moment is 20 years ahead: a permit waits for
-- at most ten, and its period is at most ten.
local makers = {}
local algorithms = setmetatable({}, {
	__index = function(made, number)
		local algorithm = makers[number] and makers[number]()
		made[number] = algorithm
		return algorithm
	end,
})

-- Returns the index, from 0, of the first of state.n moments behind t. moment(state, i) returns one; they are in order.
local function first_behind(state, t, moment)
	local low, high = 0, state.n
	-- Mostly it is one of the ends.
	if high == 0 or moment(state, 0) > t then
		return 0
	elseif moment(state, high - 1) <= t then
		return high
	end
	while low < high do
		local middle = math.floor((low + high) / 2)
		if moment(state, middle) <= t then
			low = middle + 1
		else
			high = middle
		end
	end
	return low
end

-- A state is a string, its integers little-endian:
--
--   version: 1, or 2 (wide) where a count or a rate takes more than 3 bytes: all of them then take 6.  1
--   ban: 0 none, 1 by hand, 2 by a limit; + 4: level              1
--     1, 2: its end                                  7
--     2: the limit's algorithm, rate and period  1+3+7 (wide: 1+6+7)
--     4: the level, and when it is forgotten       2+7
--   number of limit states                           1
--   each limit state: its algorithm, then its pack() 1
--
-- A constant that a function uses is a local of that function: each function that shares one would cost a cell for it.
--
-- The algorithm's byte has EXTENDED added where its pack() has a form that came later, and TAGGED where a tag (6) follows.
-- An older version has no algorithm of such a number, and refuses the state.
local VERSION, VERSION_WIDE = 1, 2
local EXTENDED, TAGGED = 32, 64
local LEVEL = 4

-- Returns the ban, or nil, the limit states, whether they are wide, the level (0: none), and when it is forgotten.
-- Raises an error if the bytes are no state.
local function unpack_state(bytes)
	local version, kind, at = struct.unpack('<BB', bytes)
	local has_level, level, forget_at = kind >= LEVEL, 0, 0
	kind = kind % LEVEL
	local ban
	local wide = version == VERSION_WIDE
	if version ~= VERSION and not wide or kind > 2 or string.byte(bytes, 2) >= 2 * LEVEL then
		error('not a state')
	elseif kind > 0 then
		local end_at, algorithm, rate, period
		end_at, at = struct.unpack('<I7', bytes, at)
		if kind == 2 then
			algorithm, rate, period, at = struct.unpack(wide and '<BI6I7' or '<BI3I7', bytes, at)
		else
			algorithm, rate, period = 0, 0, 0
		end
		ban = {end_at = end_at, algorithm = algorithm, rate = rate, period = period}
	end
	if has_level then
		level, forget_at, at = struct.unpack('<I2I7', bytes, at)
	end
	local states, n = {}, string.byte(bytes, at)
	at = at + 1
	for i = 1, n do
		local algorithm = string.byte(bytes, at)
		if algorithm < EXTENDED then
			states[i], at = algorithms[algorithm].unpack(bytes, at + 1, false, wide)
		else
			local tag
			at = at + 1
			if algorithm >= TAGGED then
				algorithm = algorithm - TAGGED
				tag, at = struct.unpack('<I6', bytes, at)
			end
			states[i], at = algorithms[algorithm % EXTENDED].unpack(bytes, at, algorithm >= EXTENDED, wide)
			states[i].tag = tag
		end
	end
	if at ~= #bytes + 1 then
		error('not a state')
	end
	return ban, states, wide, level, forget_at
end

local function pack_state(ban, states, wide, level, forget_at)
	local bytes
	local version = wide and VERSION_WIDE or VERSION
	if level > 0 then
		local kind = ban and (ban.algorithm == 0 and 1 or 2) or 0
		bytes = string.char(version, LEVEL + kind) .. (ban and struct.pack('<I7', ban.end_at) or '')
			.. (kind == 2 and struct.pack(wide and '<BI6I7' or '<BI3I7', ban.algorithm, ban.rate, ban.period) or '')
			.. struct.pack('<I2I7B', level, forget_at, #states)
	elseif not ban then
		bytes = string.char(version, 0, #states)
	elseif ban.algorithm == 0 then
		bytes = struct.pack('<BBI7B', version, 1, ban.end_at, #states)
	else
		bytes = struct.pack(wide and '<BBI7BI6I7B' or '<BBI7BI3I7B', version, 2, ban.end_at, ban.algorithm, ban.rate, ban.period, #states)
	end
	for _, state in ipairs(states) do
		local packed = algorithms[state.algorithm].pack(state, wide)
		if state.tag then
			packed = struct.pack('<BI6', string.byte(packed) + TAGGED, state.tag) .. string.sub(packed, 2)
		end
		bytes = bytes .. packed
	end
	return bytes
end
