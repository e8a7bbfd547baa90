-- Fragment 45, the rest of the concurrent limit: places that end before their time, or later. They stay a slice of the state's bytes:
-- of thousands, a call reads a dozen.
local PLACE, PLACE_BYTES, PLACES_AT = '<I6I2I7', 15, 16

-- Returns the number, the count and the end of the place at index i, from 0.
local function place_at(state, i)
	return from_bytes(PLACE, state.bytes, PLACES_AT + i * PLACE_BYTES)
end

-- Puts places into that of those from index a to b (b not included), and adds to the sum of the counts.
local function replace(state, a, b, places, more)
	local n, sum = from_bytes('<I2I4', state.bytes, 10)
	for i = a, b - 1 do
		local _, count = place_at(state, i)
		more = more - count
	end
	state.bytes = to_bytes('<I2I7I2I4', state.word, state.period, n + #places / PLACE_BYTES - (b - a), math.max(0, sum + more))
		.. string.sub(state.bytes, PLACES_AT, PLACES_AT + a * PLACE_BYTES - 1) .. places
		.. string.sub(state.bytes, PLACES_AT + b * PLACE_BYTES)
end

local function insert(state, number, count, end_at)
	local i, n = 0, (#state.bytes - PLACES_AT + 1) / PLACE_BYTES
	while i < n and select(3, place_at(state, i)) <= end_at do
		i = i + 1
	end
	replace(state, i, i, to_bytes(PLACE, number, count, end_at), count)
end

-- Drops the places of a permit. Returns the count of the first one, or nil if there was none.
local function release(state, number)
	local packed, from, first = to_bytes('<I6', number), PLACES_AT, nil
	while true do
		from = string.find(state.bytes, packed, from, true)
		local i = from and (from - PLACES_AT) / PLACE_BYTES
		if not i then
			return first
		elseif i == math.floor(i) then
			local _, count = place_at(state, i)
			first = first or count
			replace(state, i, i + 1, '', 0)
		else
			from = from + 1
		end
	end
end

algorithms[6] = {
	load = function(state)
		local over, n = 0, (#state.bytes - PLACES_AT + 1) / PLACE_BYTES
		while over < n and select(3, place_at(state, over)) <= now do
			over = over + 1
		end
		if over > 0 then
			replace(state, 0, over, '', 0)
		end
	end,

	ends = function(state)
		return #state.bytes > PLACES_AT and from_bytes('<I7', state.bytes, #state.bytes - 6) or 0
	end,

	judge = function(ctx, cost, t)
		local state = ctx.state
		local left, _, again_at = concurrent(state.word, ctx.limit.number, cost, 0, state.period, t, state.bytes, 1)
		return left, again_at
	end,

	-- Without an acquire's number this is a peek, which writes nothing.
	admit = function(ctx, state)
		state.period = ctx.limit.period
		state.bytes = state.bytes or to_bytes('<I2I7I2I4', state.word, state.period, 0, 0)
		insert(state, ctx.number or 0, ctx.cost, ctx.at + state.period)
	end,

	-- A gift to what was counted: a place that is held stays.
	credit = function() end,

	give_back = function(ctx, held)
		return release(ctx.state, held.tag)
	end,

	-- Moves the end of a permit's place. Returns nil if it is gone.
	renew = function(ctx, held, period)
		local count = release(ctx.state, held.tag)
		if count then
			insert(ctx.state, held.tag, count, now + period)
		end
		return count
	end,
}
