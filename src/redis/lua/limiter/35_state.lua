-- Fragment 35: reads and writes a limiter's state.

-- Locals of this fragment and the later ones; the usual calls create none that they do not use.
local RESERVE, CANCEL, CREDIT, BAN, UNBAN, RESET = 3, 4, 5, 6, 7, 8
local SETTLE, RELEASE, RENEW, PARTS, DEBTS = 11, 12, 13, 64, 128
local BANNED, TOO_EXPENSIVE, STALE = 2, 3, 10
local BAN_FOR, BAN_UNTIL, BAN_STEPS = 1, 2, 3
local CALENDAR_WINDOW, SLIDING_LOG, SLIDING_WINDOW, TOKEN_BUCKET, CONCURRENT = 2, 3, 4, 5, 6
-- The largest count; and a number that each cost passes, by which a step counts what was admitted already.
local LARGEST, ENDLESS = 1e12, 2 ^ 52
local ban_kind, ban_us, limits_at = from_bytes('<BI7', request, BAN_AT)

-- A state is a string, its integers little-endian:
--
--   1        version.
--   1        number of limit states.
--   2+7+...  each limit state: its word, its period, and what its step has.
--
-- If it has any of these, they follow:
--
--   7+2+5+7  ban: its end (0: none), and word, rate and period of its limit (0: by hand).
--   2+7      the level, and when it is forgotten.
--   6+2      of each limit state: its tag (0: none), the number of its notes,
--     7+7    and each: a moment and a number.
--
-- Times are microseconds: whole numbers below 2^53, which are exact in Lua. A state's latest moment is 20 years ahead: a permit
-- waits for at most ten, and its period is at most ten. Numbers are at most 10^12, which takes 5 bytes.
--
-- The notes of a limit state are in the order of their moments. They are the bookings that have not come, with their costs: a
-- window's begin, or its end of a calendar window, a log's moment, the begin of a sub-window. A bucket has its marks there.
--
-- An algorithm is a table of functions:
--
--   load(state)           lets the notes come that have come.
--   ends(state)           returns the moment from which on it equals a fresh one.
--   judge(ctx, cost, t)   returns the permits that are left at t after the cost. Below 0 it is refused; the second value is then another
--                         moment, before which it is refused, too. Requires a limit state.
--   admit(ctx, state)     counts the cost in the ctx's limit state, or in a fresh one, which has no bytes yet.
--   credit(ctx)           gives back the cost; requires a limit state.
--   give_back(ctx, held, n, all)  gives back n of what a permit holds (all: as if the permit had never been). Returns nil if the
--                         place is gone; requires the limit state with its tag.
--   book_at(ctx)          returns when it has room for the booking; now or earlier if it has; absent: always.
--   cancel(ctx)           takes the booking back, or returns nil; absent: no bookings.
--
-- A limit state is a table of its bytes, its algorithm, word, period, rate, tag (nil: none) and notes; these functions change it
-- in place. A ctx is {limit, state (nil: a fresh one), at (the moment that is judged), booking, cost, used (permits that count at
-- that moment), full_at (when the limit has all its permits again)}. Those that need them set more: tag (of the limit state after
-- admit), debt (the cost is counted whatever the limit is). admit() sets place and moved: the permit's place, and by how much a booking
-- moved a bucket's TAT.
local algorithms = {}

-- Returns the index of the first note at or behind t.
local function first_note(notes, t)
	local low, high = 1, #notes + 1
	while low < high do
		local middle = math.floor((low + high) / 2)
		if notes[middle].moment < t then
			low = middle + 1
		else
			high = middle
		end
	end
	return low
end

-- Adds n to the note of a moment.
local function add_note(notes, moment, n)
	local i = first_note(notes, moment)
	if notes[i] and notes[i].moment == moment then
		notes[i].n = math.min(LARGEST, notes[i].n + n)
	else
		table.insert(notes, i, {moment = moment, n = n})
	end
end

-- Takes up to n from the note of a moment. Returns how many; nil: there is no such note.
local function take_note(notes, moment, n)
	local i = first_note(notes, moment)
	local note = notes[i]
	if not note or note.moment ~= moment then
		return nil
	end
	n = math.min(n, note.n)
	note.n = note.n - n
	if note.n == 0 then
		table.remove(notes, i)
	end
	return n
end

-- Takes the notes before t out of the list. Returns them and the others.
local function split_notes(notes, t)
	local come, others = {}, {}
	for _, note in ipairs(notes) do
		local list = note.moment < t and come or others
		list[#list + 1] = note
	end
	return come, others
end

-- Returns the ban, or nil, the limit states, the level (0: none), and when it is forgotten. Raises an error if the bytes are no
-- state.
local function unpack_state(bytes)
	-- The bytes of a limit state, and those of each of its windows, moments, counters or places.
	local BYTES, EACH = {21, 11, 19, 18, 26, 15}, {0, 12, 7, 6, 0, 15}
	local PLACES_MAX = 10000
	local _, n, from = from_bytes('<BB', bytes)
	local ban, states, level, forget_at = nil, {}, 0, 0
	for i = 1, n do
		local word, period = from_bytes('<I2I7', bytes, from)
		local algorithm = word % MARKS
		local each = algorithm == SLIDING_LOG and string.byte(bytes, from + 11) or EACH[algorithm]
		local elements = each > 0 and from_bytes('<I2', bytes, from + 9) or 0
		local length = BYTES[algorithm] + each * elements
		local rate = algorithm == TOKEN_BUCKET and from_bytes('<I5', bytes, from + 9) or 0
		if from + length > #bytes + 1 or period == 0 or elements > PLACES_MAX or algorithm == TOKEN_BUCKET and rate == 0
				or algorithm == SLIDING_LOG and (each < 4 or each > 7) then
			error('not a state')
		end
		states[i] = {
			bytes = string.sub(bytes, from, from + length - 1), algorithm = algorithm, word = word, period = period, rate = rate, notes = {},
		}
		from = from + length
	end
	if from <= #bytes then
		local end_at, word, rate, period
		end_at, word, rate, period, level, forget_at, from = from_bytes('<I7I2I5I7I2I7', bytes, from)
		ban = end_at > now and {end_at = end_at, word = word, rate = rate, period = period} or nil
		for _, state in ipairs(states) do
			local tag, n_notes
			tag, n_notes, from = from_bytes('<I6I2', bytes, from)
			state.tag = tag > 0 and tag or nil
			for i = 1, n_notes do
				local moment, number
				moment, number, from = from_bytes('<I7I7', bytes, from)
				state.notes[i] = {moment = moment, n = number}
			end
		end
	end
	if from ~= #bytes + 1 then
		error('not a state')
	end
	for _, state in ipairs(states) do
		algorithms[state.algorithm].load(state)
	end
	return ban, states, forget_at > now and level or 0, forget_at
end

local function pack_state(ban, states, level, forget_at)
	local parts, needs_more = {string.char(VERSION, #states)}, ban ~= nil or level > 0
	for i, state in ipairs(states) do
		parts[i + 1] = state.bytes
		needs_more = needs_more or state.tag ~= nil or state.notes[1] ~= nil
	end
	if needs_more then
		ban = ban or {end_at = 0, word = 0, rate = 0, period = 0}
		parts[#parts + 1] = to_bytes('<I7I2I5I7I2I7', ban.end_at, ban.word, ban.rate, ban.period, level, level > 0 and forget_at or 0)
		for _, state in ipairs(states) do
			parts[#parts + 1] = to_bytes('<I6I2', state.tag or 0, #state.notes)
			for _, note in ipairs(state.notes) do
				parts[#parts + 1] = to_bytes('<I7I7', note.moment, note.n)
			end
		end
	end
	return table.concat(parts)
end
