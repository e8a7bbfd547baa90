-- Fragment 43, the sliding window: admits at most limit permits in every interval of the period, with a few dozen counters
-- whatever the limit is. The period is cut into 30 sub-windows; a permit counts until its whole sub-window is a period old.
--
-- Limit state: period, origin, and the counters, the oldest first, each as its index i and its count: what was admitted in
-- [origin + i*w, origin + (i+1)*w). A stored origin is that of the oldest counter, so that an i is never more than 31 without
-- bookings. With them it takes 6 bytes, in the form that EXTENDED tells apart. In 20 years a sub-window of 34 us, the
-- shortest, has an i below 2^45. The counters are one list, i and count in turn, from the place first on.
makers[4] = function()
	local SUB_WINDOWS = 30

	local function new(period, origin, counters)
		return {
			algorithm = 4, period = period, width = math.ceil(period / SUB_WINDOWS), origin = origin, counters = counters,
			first = 1,
		}
	end

	local function counter_expires_at(state, i)
		return state.origin + (i + 1) * state.width + state.period
	end

	local function expires_at(state)
		local counters = state.counters
		return counters[state.first] and counter_expires_at(state, counters[#counters - 1]) or 0
	end

	-- Skips the counters that no longer count, by the state's own period. Returns the sum of the others.
	local function drop_expired(state, now)
		local counters, first = state.counters, state.first
		while counters[first] and counter_expires_at(state, counters[first]) <= now do
			first = first + 2
		end
		state.first = first
		local sum = 0
		for place = first + 1, #counters, 2 do
			sum = sum + counters[place]
		end
		return sum
	end

	-- Counts n in sub-window i.
	local function count(state, i, n)
		local counters, first = state.counters, state.first
		local place = #counters - 1
		while place >= first and counters[place] > i do
			place = place - 2
		end
		if place >= first and counters[place] == i then
			counters[place + 1] = math.min(1e12, counters[place + 1] + n)
		else
			table.insert(counters, place + 2, i)
			table.insert(counters, place + 3, n)
		end
	end

	return {
		unpack = function(bytes, at, extended, wide)
			local COUNTERS_MAX = 2000 -- the results of one struct.unpack() fit on Lua's stack
			local period, origin, n
			period, origin, n, at = struct.unpack(extended and '<I7I7I2' or '<I7I7B', bytes, at)
			if period == 0 or n > COUNTERS_MAX then
				error('not a state')
			end
			local counters = {struct.unpack('<' .. string.rep((extended and 'I6' or 'B') .. (wide and 'I6' or 'I3'), n), bytes, at)}
			at = table.remove(counters)
			return new(period, origin, counters), at
		end,

		pack = function(state, wide)
			local EXTENDED_WINDOW, SHORT_MAX = 4 + 32, 255 -- the largest i, and the most counters, of the other form
			local counters, first = state.counters, state.first
			local oldest = counters[first]
			state.origin = state.origin + oldest * state.width
			for place = first, #counters, 2 do
				counters[place] = counters[place] - oldest
			end
			local n = (#counters - first + 1) / 2
			if n > SHORT_MAX or counters[#counters - 1] > SHORT_MAX then
				return struct.pack('<BI7I7I2' .. string.rep(wide and 'I6I6' or 'I6I3', n), EXTENDED_WINDOW, state.period, state.origin, n,
					unpack(counters, first))
			end
			return struct.pack('<BI7I7B' .. string.rep(wide and 'BI6' or 'BI3', n), 4, state.period, state.origin, n, unpack(counters, first))
		end,

		expires_at = expires_at,

		evaluate = function(ctx)
			local state, at = ctx.state, ctx.at
			local used = drop_expired(state, ctx.now)
			state.sum, ctx.full_at = used, expires_at(state)
			if at > ctx.now then
				local counters, place = state.counters, state.first
				while counters[place] and counter_expires_at(state, counters[place]) <= at do
					used, place = used - counters[place + 1], place + 2
				end
			end
			ctx.used = used
		end,

		earliest = function(ctx, t)
			local state = ctx.state
			if not state then
				return t
			end
			local n = state.sum
			for place = state.first, #state.counters, 2 do
				local end_at = counter_expires_at(state, state.counters[place])
				if end_at > t then
					if n + ctx.cost <= ctx.limit.number then
						break
					end
					t = end_at
				end
				n = n - state.counters[place + 1]
			end
			return t
		end,

		-- Of a call that counts now, by the state's own period; more() has the whole.
		admit = function(ctx)
			local state = ctx.state or new(ctx.limit.period, ctx.now, {})
			count(state, math.floor((ctx.now - state.origin) / state.width), ctx.cost)
			return state
		end,

		more = function(algorithm)
			algorithm.largest = function(state)
				local most = 0
				for place = state.first + 1, #state.counters, 2 do
					most = math.max(most, state.counters[place])
				end
				return most
			end

			-- Takes n from the counter at a place of the list. One that reaches 0 is removed.
			local function take(state, place, n)
				local counters = state.counters
				counters[place + 1] = math.max(0, counters[place + 1] - n)
				if counters[place + 1] == 0 then
					table.remove(counters, place + 1)
					table.remove(counters, place)
				end
			end

			-- Counts anew what was counted under another period, each counter at its last moment, or now, if it contains that, so
			-- that nothing is forgotten too early.
			local function recount(old, period, now)
				local state = new(period, nil, {})
				for place = old.first, #old.counters, 2 do
					local begin = old.origin + old.counters[place] * old.width
					local last = begin + old.width - 1
					if last > now and begin <= now then
						last = now
					end
					state.origin = state.origin or math.min(now, last)
					count(state, math.floor((last - state.origin) / state.width), old.counters[place + 1])
				end
				drop_expired(state, now)
				return state.counters[state.first] and state or nil
			end

			algorithm.admit = function(ctx)
				local state, period = ctx.state, ctx.limit.period
				if state and state.period ~= period then
					state = recount(state, period, ctx.now)
				end
				state = state or new(period, ctx.now, {})
				local i = math.floor((ctx.at - state.origin) / state.width)
				if ctx.tag then
					ctx.place = state.origin + i * state.width
				end
				count(state, i, ctx.cost)
				return state
			end

			-- Takes from the newest counter first, and removes a counter that reaches 0.
			algorithm.credit = function(ctx)
				local state, left = ctx.state, ctx.cost
				local counters = state.counters
				while left > 0 and #counters > state.first do
					local back = math.min(left, counters[#counters])
					take(state, #counters - 1, back)
					left = left - back
				end
				return state
			end

			-- Only a call that waits for its turn needs room.
			algorithm.book_at = function(ctx)
				local AHEAD_MAX = 1000
				local state = ctx.state
				if not state then
					return 0
				end
				local counters, ahead = state.counters, 0
				for place = #counters - 1, state.first, -2 do
					if state.origin + counters[place] * state.width <= ctx.now then
						break
					end
					ahead = ahead + 1
				end
				return ahead >= AHEAD_MAX and counter_expires_at(state, counters[state.first]) or 0
			end

			algorithm.give_back = function(ctx, held, n)
				local state = ctx.state
				local i = (held.place - state.origin) / state.width
				for place = state.first, #state.counters, 2 do
					if state.counters[place] == i then
						take(state, place, n)
						return state
					end
				end
			end
		end,
	}
end
