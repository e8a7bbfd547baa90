-- Fragment 43, the sliding window: admits at most limit permits in every interval of the period, with a few dozen counters
-- whatever the limit is. The period is cut into 30 sub-windows; a permit counts until its whole sub-window is a period old.
--
-- Limit state: period, origin, and the counters, the oldest first, each as its index i and its count: what was admitted in
-- [origin + i*w, origin + (i+1)*w). A stored origin is that of the oldest counter, so that an i is never more than 31. The
-- counters are one list, i and count in turn, from the place first on.
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

	local function count(state, t, n)
		local counters, first = state.counters, state.first
		-- Never before the oldest counter, where the clock was set back: later counters count longer.
		local i = math.max(counters[first] or 0, math.floor((t - state.origin) / state.width))
		local place = #counters - 1
		while place >= first and counters[place] > i do
			place = place - 2
		end
		if place >= first and counters[place] == i then
			counters[place + 1] = counters[place + 1] + n
		else
			table.insert(counters, place + 2, i)
			table.insert(counters, place + 3, n)
		end
	end

	-- Counts anew what was counted under another period, each counter at its last moment, so that nothing is forgotten too
	-- early.
	local function recount(old, period, now)
		local state = new(period, nil, {})
		for place = old.first, #old.counters, 2 do
			local last = math.min(now, old.origin + (old.counters[place] + 1) * old.width - 1)
			state.origin = state.origin or last
			count(state, last, old.counters[place + 1])
		end
		drop_expired(state, now)
		return state.counters[state.first] and state or nil
	end

	return {
		unpack = function(bytes, at)
			local period, origin, n
			period, origin, n, at = struct.unpack('<I7I7B', bytes, at)
			if period == 0 then
				error('not a state')
			end
			local counters = {struct.unpack('<' .. string.rep('BI3', n), bytes, at)}
			at = table.remove(counters)
			return new(period, origin, counters), at
		end,

		pack = function(state)
			local counters, first = state.counters, state.first
			local oldest = counters[first]
			state.origin = state.origin + oldest * state.width
			for place = first, #counters, 2 do
				counters[place] = counters[place] - oldest
			end
			local n = (#counters - first + 1) / 2
			return struct.pack('<BI7I7B' .. string.rep('BI3', n), 4, state.period, state.origin, n, unpack(counters, first))
		end,

		expires_at = expires_at,

		evaluate = function(ctx)
			ctx.used, ctx.full_at = drop_expired(ctx.state, ctx.now), expires_at(ctx.state)
		end,

		earliest = function(ctx, t)
			local state, n = ctx.state, ctx.used
			if not state then
				return t
			end
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

		admit = function(ctx)
			local state, period = ctx.state, ctx.limit.period
			if state and state.period ~= period then
				state = recount(state, period, ctx.now)
			end
			state = state or new(period, ctx.now, {})
			count(state, ctx.now, ctx.cost)
			return state
		end,

		-- Takes from the newest counter first, and removes a counter that reaches 0.
		credit = function(ctx)
			local state, left = ctx.state, ctx.cost
			local counters = state.counters
			while left > 0 and #counters > state.first do
				local last = #counters
				local back = math.min(left, counters[last])
				counters[last] = counters[last] - back
				left = left - back
				if counters[last] == 0 then
					counters[last], counters[last - 1] = nil, nil
				end
			end
			return state
		end,
	}
end
