-- Fragment 44, the token bucket: limit permits, refilled continuously with rate permits in a period, by the generic cell rate
-- algorithm (GCRA). One permit takes period / rate.
--
-- Limit state: rate, period, and the theoretical arrival time (TAT), the moment at which the bucket will be full: tat_us +
-- tat_frac / rate, exactly.
makers[5] = function()
	-- Returns floor(a * b / c) and the rest, exactly: for a below 2^52, b below 2^24, c below 2^50, a quotient below 2^52.
	local function mul_div(a, b, c)
		local product = a * b
		if product < 2 ^ 53 then
			local rest = math.fmod(product, c)
			return (product - rest) / c, rest
		end
		-- The product has more bits than a number holds: b is added bit by bit, and each sum is reduced by c.
		local rest_of_a = math.fmod(a, c)
		local whole_of_a = (a - rest_of_a) / c
		local whole, rest = 0, 0
		local bit = 2 ^ 24
		while bit >= 1 do
			whole, rest = whole * 2, rest * 2
			if b >= bit then
				b = b - bit
				whole, rest = whole + whole_of_a, rest + rest_of_a
			end
			while rest >= c do
				whole, rest = whole + 1, rest - c
			end
			bit = bit / 2
		end
		return whole, rest
	end

	-- Moves the TAT forward by the time that so many permits take.
	local function tat_add(state, permits)
		local us, frac = mul_div(state.period, permits, state.rate)
		state.tat_us, state.tat_frac = state.tat_us + us, state.tat_frac + frac
		if state.tat_frac >= state.rate then
			state.tat_us, state.tat_frac = state.tat_us + 1, state.tat_frac - state.rate
		end
	end

	-- Moves the TAT back.
	local function tat_sub(state, permits)
		local us, frac = mul_div(state.period, permits, state.rate)
		state.tat_us, state.tat_frac = state.tat_us - us, state.tat_frac - frac
		if state.tat_frac < 0 then
			state.tat_us, state.tat_frac = state.tat_us - 1, state.tat_frac + state.rate
		end
	end

	local function expires_at(state)
		return state.tat_us + (state.tat_frac > 0 and 1 or 0)
	end

	return {
		unpack = function(bytes, at)
			local rate, period, tat_us, tat_frac, next = struct.unpack('<I3I7I7I3', bytes, at)
			if rate == 0 or period == 0 then
				error('not a state')
			end
			return {algorithm = 5, rate = rate, period = period, tat_us = tat_us, tat_frac = tat_frac}, next
		end,

		pack = function(state)
			return struct.pack('<BI3I7I7I3', 5, state.rate, state.period, state.tat_us, state.tat_frac)
		end,

		expires_at = expires_at,

		-- Used is the backlog in permits, a part of one as a whole.
		evaluate = function(ctx)
			local state = ctx.state
			local whole, rest = mul_div(state.tat_us - ctx.now, state.rate, state.period)
			ctx.used = whole + math.ceil((rest + state.tat_frac) / state.period)
			ctx.full_at = expires_at(state)
		end,

		-- Returns when the backlog is no more than limit - cost permits.
		earliest = function(ctx, t)
			local state = ctx.state
			if not state then
				return t
			end
			local us, frac = mul_div(state.period, ctx.limit.number - ctx.cost, state.rate)
			return math.max(t, state.tat_us - us + (state.tat_frac > frac and 1 or 0))
		end,

		admit = function(ctx)
			local limit, state = ctx.limit, ctx.state
			if not state or state.rate ~= limit.rate or state.period ~= limit.period then
				state = {algorithm = 5, rate = limit.rate, period = limit.period, tat_us = ctx.now, tat_frac = 0}
				tat_add(state, ctx.used)
			end
			tat_add(state, ctx.cost)
			return state
		end,

		credit = function(ctx)
			local state = ctx.state
			if ctx.cost >= ctx.used then
				state.tat_us, state.tat_frac = ctx.now, 0
			else
				tat_sub(state, ctx.cost)
			end
			return state
		end,
	}
end
