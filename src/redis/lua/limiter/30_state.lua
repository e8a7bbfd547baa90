-- What an algorithm is, and a state.

-- An algorithm is a table of functions, which makers makes, at its number:
--
--   unpack(bytes, at)     a slot (what one limit remembers), and where the next one begins
--   pack(slot)            its bytes, the algorithm's number first
--   over_at(slot)         from when on it equals a fresh one
--   look(case)            finds out used and whole_at, and whatever the functions below want to know of the slot; there is one
--   earliest(case, t)     the first moment at or after t at which the cost would be admitted
--   admit(case)           the slot after the cost was admitted
--   refund(case)          the slot after the cost was given back; there is one
--   room_at(case)         when there will be room for the booking; now or earlier when there is
--   cancel(case)          the slot without the booking; nil when there is none. Absent: this algorithm books nothing
--
-- A slot has its algorithm's number, its period, and what else the algorithm remembers; one that is asked to change is
-- changed in place. A case is {limit, slot (nil: a fresh one), now, at (the moment that is judged), booking, cost, used (what
-- counts at that moment), whole_at (when the limit will be whole)}. Times are microseconds: whole numbers below 2^53, which
-- are exact in Lua, and 7 bytes of a state.
local makers = {}
local algorithms = setmetatable({}, {
	__index = function(made, number)
		local algorithm = makers[number] and makers[number]()
		made[number] = algorithm
		return algorithm
	end,
})

-- A state is a string, its integers little-endian:
--
--   version                                          1
--   ban: 0 none, 1 by hand, 2 by a limit             1
--     1, 2: its end                                  7
--     2: the limit's algorithm, rate and period  1+3+7
--   number of slots                                  1
--   each slot: its algorithm, then as it packs       1
local VERSION = 1

-- The ban, or nil, and the slots. Raises an error for what is no state of ours.
local function read_state(bytes)
	local version, kind, at = struct.unpack('<BB', bytes)
	local ban
	if version ~= VERSION or kind > 2 then
		error('no state of ours')
	elseif kind > 0 then
		local over, algorithm, rate, period = nil, 0, 0, 0
		over, at = struct.unpack('<I7', bytes, at)
		if kind == 2 then
			algorithm, rate, period, at = struct.unpack('<BI3I7', bytes, at)
		end
		ban = {over = over, algorithm = algorithm, rate = rate, period = period}
	end
	local slots, n = {}, string.byte(bytes, at)
	at = at + 1
	for i = 1, n do
		slots[i], at = algorithms[string.byte(bytes, at)].unpack(bytes, at + 1)
	end
	if at ~= #bytes + 1 then
		error('no state of ours')
	end
	return ban, slots
end

local function write_state(ban, slots)
	local bytes
	if not ban then
		bytes = string.char(VERSION, 0, #slots)
	elseif ban.algorithm == 0 then
		bytes = struct.pack('<BBI7B', VERSION, 1, ban.over, #slots)
	else
		bytes = struct.pack('<BBI7BI3I7B', VERSION, 2, ban.over, ban.algorithm, ban.rate, ban.period, #slots)
	end
	for _, slot in ipairs(slots) do
		bytes = bytes .. algorithms[slot.algorithm].pack(slot)
	end
	return bytes
end
