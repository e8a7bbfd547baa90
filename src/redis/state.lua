-- A limiter's script: state.lua, one file for each algorithm, then limiter.lua. The build joins them.
-- docs/semantics.md says what each number means; src/core is the same in C.

-- An algorithm is a table of functions, which makers makes, at its number:
--
--   unpack(bytes, at)     a slot (what one limit remembers), and where the next one begins
--   pack(slot)            its bytes; a slot that is asked to change is changed in place
--   fits(slot, limit)     is the slot of this limit's period?
--   over_at(slot)         from when on it equals a fresh one
--   used(case)            what counts at the moment that is judged
--   earliest(case, t)     the first moment at or after t at which the cost would be admitted
--   whole_at(case)        when the limit will be whole
--   admit(case)           the slot after the cost was admitted
--   refund(case)          the slot after the cost was given back
--   room_at(case)         when there will be room for the booking; now or earlier when there is
--   cancel(case)          the slot without the booking; nil when there is none. Absent: this algorithm books nothing
--
-- A case is {limit, slot (nil: a fresh one), now, at (the moment that is judged), booking, cost}. Times are
-- microseconds: whole numbers below 2^53, which are exact in Lua, and 7 bytes of a state.
--
-- Its table is made when a call first needs it: a script begins from nothing each time, and few calls know more than
-- one or two of them.
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

local function read_state(bytes)
	local version, ban_kind, at = struct.unpack('<BB', bytes)
	local state = {slots = {}}
	if version ~= VERSION or ban_kind > 2 then
		error('no state of ours')
	end
	if ban_kind > 0 then
		state.ban = {algorithm = 0, rate = 0, period = 0}
		state.ban['end'], at = struct.unpack('<I7', bytes, at)
	end
	if ban_kind == 2 then
		local ban = state.ban
		ban.algorithm, ban.rate, ban.period, at = struct.unpack('<BI3I7', bytes, at)
	end
	local slots
	slots, at = struct.unpack('<B', bytes, at)
	for i = 1, slots do
		local number
		number, at = struct.unpack('<B', bytes, at)
		state.slots[i], at = algorithms[number].unpack(bytes, at)
		state.slots[i].algorithm = number
	end
	if at ~= #bytes + 1 then
		error('no state of ours')
	end
	return state
end

local function write_state(state)
	local ban = state.ban
	local parts = {struct.pack('<B', VERSION)}
	if not ban then
		parts[2] = struct.pack('<B', 0)
	elseif ban.algorithm == 0 then
		parts[2] = struct.pack('<BI7', 1, ban['end'])
	else
		parts[2] = struct.pack('<BI7BI3I7', 2, ban['end'], ban.algorithm, ban.rate, ban.period)
	end
	parts[3] = struct.pack('<B', #state.slots)
	for _, slot in ipairs(state.slots) do
		parts[#parts + 1] = struct.pack('<B', slot.algorithm) .. algorithms[slot.algorithm].pack(slot)
	end
	return table.concat(parts)
end
