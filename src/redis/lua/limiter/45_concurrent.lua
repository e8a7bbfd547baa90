-- Fragment 45, the concurrent limit: admits at most limit places at a time, each of which is held until it is released, or its
-- end.
--
-- Limit state: period, the number of places, the sum of their counts; then the places in the order of their ends, each as
-- its permit's number, its count and its end. The places stay a slice of the state's bytes (from start on) until some come
-- or go: of thousands, a call reads a dozen.
makers[6] = function()
	local PLACE, WIDTH = '<I6I2I7', 15
	local PLACES_MAX = 10000

	-- Returns the number, the count and the end of the place at index i, from 0.
	local function place(state, i)
		return struct.unpack(PLACE, state.bytes, state.start + i * WIDTH)
	end

	local function end_of(state, i)
		return (struct.unpack('<I7', state.bytes, state.start + i * WIDTH + 8))
	end

	local function slice(state, from, to)
		return string.sub(state.bytes, state.start + from * WIDTH, state.start + to * WIDTH - 1)
	end

	local function expires_at(state)
		return state.n > 0 and end_of(state, state.n - 1) or 0
	end

	-- Returns the index of the first place that ends after t.
	local function first_after(state, t)
		return first_behind(state, t, end_of)
	end

	-- Returns the sum of the counts of the places from a to b (b not included).
	local function sum_of(state, a, b)
		local sum = 0
		for i = a, b - 1 do
			local _, count = place(state, i)
			sum = sum + count
		end
		return sum
	end

	-- Drops the places from a to b (b not included).
	local function drop(state, a, b)
		state.sum = state.sum - sum_of(state, a, b)
		state.bytes, state.start, state.n = slice(state, 0, a) .. slice(state, b, state.n), 1, state.n - (b - a)
	end

	local function insert(state, number, count, end_at)
		local i = first_after(state, end_at)
		state.bytes = slice(state, 0, i) .. struct.pack(PLACE, number, count, end_at) .. slice(state, i, state.n)
		state.start, state.n, state.sum = 1, state.n + 1, state.sum + count
	end

	-- Returns the index of the first place of a permit, or nil.
	local function find(state, number)
		local packed, from = struct.pack('<I6', number), state.start
		while true do
			from = string.find(state.bytes, packed, from, true)
			local i = from and (from - state.start) / WIDTH
			if not i or i >= state.n then
				return nil
			elseif i == math.floor(i) then
				return i
			end
			from = from + 1
		end
	end

	-- Drops the places of a permit. Returns the count of the first one, or nil if there was none.
	local function release(state, number)
		local first
		local i = find(state, number)
		while i do
			local _, count = place(state, i)
			first = first or count
			drop(state, i, i + 1)
			i = find(state, number)
		end
		return first
	end

	return {
		unpack = function(bytes, at, extended)
			local period, n, sum, start = struct.unpack('<I7I2I4', bytes, at)
			local next = start + n * WIDTH
			if n > PLACES_MAX or next > #bytes + 1 or extended then
				error('not a state')
			end
			return {algorithm = 6, period = period, n = n, sum = sum, bytes = bytes, start = start}, next
		end,

		pack = function(state)
			return struct.pack('<BI7I2I4', 6, state.period, state.n, state.sum) .. slice(state, 0, state.n)
		end,

		expires_at = expires_at,

		evaluate = function(ctx)
			local state = ctx.state
			local over = first_after(state, ctx.now)
			if over > 0 then
				drop(state, 0, over)
			end
			ctx.used = state.sum
			if ctx.at > ctx.now then
				ctx.used = ctx.used - sum_of(state, 0, first_after(state, ctx.at))
			end
			ctx.full_at = expires_at(state)
		end,

		-- Returns when enough of the oldest places end, if none is released.
		earliest = function(ctx, t)
			local state, used, i = ctx.state, ctx.used, 0
			if not state or used + ctx.cost <= ctx.limit.number then
				return t
			end
			if ctx.at > ctx.now then
				i = first_after(state, ctx.at)
			end
			while i < state.n and used + ctx.cost > ctx.limit.number do
				local _, count, end_at = place(state, i)
				used, t, i = used - count, math.max(t, end_at), i + 1
			end
			return t
		end,

		-- Without an acquire's number this is a peek, which writes nothing.
		admit = function(ctx)
			local state, period = ctx.state, ctx.limit.period
			state = state or {algorithm = 6, n = 0, sum = 0, bytes = '', start = 1}
			state.period = period
			insert(state, ctx.number or 0, ctx.cost, ctx.at + period)
			return state
		end,

		-- A gift to what was counted: a place that is held stays.
		credit = function(ctx)
			return ctx.state
		end,

		give_back = function(ctx, held)
			return release(ctx.state, held.tag) and ctx.state or nil
		end,

		-- Moves the end of a permit's place. Returns nil if it is gone.
		renew = function(ctx, held, period)
			local count = release(ctx.state, held.tag)
			if not count then
				return nil
			end
			insert(ctx.state, held.tag, count, ctx.now + period)
			return ctx.state
		end,
	}
end
